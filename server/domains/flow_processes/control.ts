/** Cancelling runs, and running them again. */
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { conflict, invalid } from "../../errors.ts";
import { hasBranches, isFailedItem, NO_FLOW } from "../../flow/flow.ts";
import { findFlowActive } from "../flows/queries.ts";
import { readProcess } from "./inspect.ts";
import { findRepeatable } from "./queries.ts";
import type { Retry, WholeFlowProcess } from "./schema.ts";

/** @throws {Refusal} 404; 409 if the run has ended */
export async function cancelProcess(ctx: Context, id: string): Promise<Json<WholeFlowProcess>> {
  const { viewer, flows, config } = ctx;
  const before = (await readProcess(ctx, id)).parse();
  if (before.status !== "pending" && before.status !== "waiting") throw conflict(before, "The run has ended");
  if (!await flows.cancel(viewer.account_id, id)) {
    throw conflict((await readProcess(ctx, id)).parse(), "The run has ended");
  }
  // The step in progress is aborted, so the run usually ends within a second.
  await flows.wait(viewer.account_id, id, Math.min(config.action_wait_ms, 1_000));
  return await readProcess(ctx, id);
}

/**
 * Starts a new run of the flow with the input of a previous one.
 *
 * @throws {Refusal} 404; 409 if the run is pending, or what it is to continue from has not failed; 422 if the flow is gone
 */
export async function retryProcess(ctx: Context, { id, from }: Retry): Promise<Json<WholeFlowProcess>> {
  const { sql, viewer, flows, schedules, config } = ctx;
  const before = await findRepeatable(sql, viewer, id);
  if (!before) throw conflict((await readProcess(ctx, id)).parse(), "The run goes on: cancel it first");
  if (await findFlowActive(sql, viewer, before.flow_code) === undefined) throw invalid({ flow_code: [NO_FLOW] });
  // The last failure is the one that ended the run. A step with branches fails after the step inside it.
  const failed = before.steps.findLast(({ status, type }) => status === "error" && !hasBranches(type));
  if (from === "failed_step" && !failed) {
    throw conflict((await readProcess(ctx, id)).parse(), "No step of the run has failed");
  }
  if (from === "failed_items" && !before.steps.some(isFailedItem)) {
    throw conflict((await readProcess(ctx, id)).parse(), "No step inside of a for_each has failed");
  }
  const run = await flows.start({
    account_id: viewer.account_id,
    flow_code: before.flow_code,
    input: before.input,
    trigger: before.trigger,
    // A retried run belongs to the viewer, so that it has no more rights than the viewer. Anonymous runs stay anonymous.
    user_id: before.user_id === null ? null : viewer.user_id,
    app_id: before.app_id ?? undefined,
    action: before.action ?? undefined,
    cron_id: before.cron_id ?? undefined,
    trigger_data: before.trigger_data ?? undefined,
    retry: {
      of: id,
      from_step: from === "failed_step" ? failed?.place : undefined,
      failed_items: from === "failed_items" || undefined,
    },
  });
  if (before.cron_id !== null) {
    await schedules.noteRepeated({ account_id: viewer.account_id, cron_id: before.cron_id }, run.id);
  }
  await flows.wait(viewer.account_id, run.id, config.action_wait_ms);
  return await readProcess(ctx, run.id);
}
