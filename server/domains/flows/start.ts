/** Starting flows by hand. */
import type { Context } from "../../context.ts";
import { invalid, notFound } from "../../errors.ts";
import { dryRun } from "./checks/dry_run.ts";
import { findStartable } from "./queries.ts";
import type { FlowRun, RunAnswer } from "./schema.ts";

/**
 * Starts a run and waits for its end for at most ACTION_WAIT_MS, or not at all.
 *
 * @throws {Refusal} 404; 422 if the flow is inactive, or for answers without `dry_run`
 */
export async function runFlow(ctx: Context, order: FlowRun): Promise<RunAnswer> {
  if (order.dry_run) return await dryRun(ctx, order);
  const { id, input, idempotency_key, wait, answers } = order;
  // Who gives answers expects that nothing leaves the server.
  if (Object.keys(answers ?? {}).length > 0) throw invalid({ answers: ["need dry_run"] });
  const { sql, viewer, flows, config } = ctx;
  const flow = await findStartable(sql, viewer, id);
  if (!flow) throw notFound("Flow");
  if (!flow.active) throw invalid({ base: ["This flow is switched off"] });
  const run = await flows.start({
    account_id: viewer.account_id,
    flow_code: flow.code,
    input,
    trigger: "manual",
    user_id: viewer.user_id,
    // Keys are unique in an account, so the flow and the user are part of the key.
    idempotency_key: idempotency_key === undefined
      ? undefined
      : `manual:${id}:user ${viewer.user_id}:${idempotency_key}`,
  });
  const state = await flows.wait(viewer.account_id, run.id, wait ? config.action_wait_ms : 0);
  if (!state) throw new Error(`the run ${run.id} was started and is not found`);
  const { status, data, error } = state;
  return { flow_process_id: run.id, status, ...(data !== undefined && { data }), ...(error && { error }) };
}
