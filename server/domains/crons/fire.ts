/** Starts a trigger's flow by hand. */
import type { Context } from "../../context.ts";
import { invalid, notFound } from "../../errors.ts";
import { findFlowActive } from "../flows/queries.ts";
import { findCron } from "./queries.ts";
import type { Fired, Firing } from "./schema.ts";

/** @throws {Refusal} 404; 409 if its flow has as many runs as it may have; 422 if its flow cannot be started */
export async function fireCron({ sql, viewer, schedules }: Context, { id, input }: Firing): Promise<Fired> {
  const cron = (await findCron(sql, viewer, id))?.parse();
  if (!cron) throw notFound("Trigger");
  const active = await findFlowActive(sql, viewer, cron.target_code);
  if (!active) throw invalid({ target_code: [active === undefined ? "must exist" : "is not active"] });
  const run = await schedules.fire({
    account_id: viewer.account_id,
    cron_id: id,
    target_code: cron.target_code,
    author_id: cron.author_id,
    timezone: cron.timezone,
    input: input ?? cron.input,
    kind: cron.kind,
  });
  return { flow_process_id: run.id, status: "pending" };
}
