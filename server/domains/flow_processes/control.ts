/** Cancelling runs, and running them again. */
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { conflict, forbidden, invalid } from "../../errors.ts";
import { hasBranches, hasFailedItem, NO_FLOW } from "../../flow/flow.ts";
import { findFlowActive } from "../flows/queries.ts";
import { readProcess } from "./inspect.ts";
import type { Viewer } from "../../viewer.ts";
import { findRepeatable, findUsedVersion, keepVersion, type Repeatable } from "./queries.ts";
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

/** Repeats a run and waits for a moment. @throws {Refusal} as `startRetry` */
export async function retryProcess(ctx: Context, retry: Retry): Promise<Json<WholeFlowProcess>> {
  const { viewer, flows, config } = ctx;
  const id = await startRetry(ctx, retry);
  await flows.wait(viewer.account_id, id, config.action_wait_ms);
  return await readProcess(ctx, id);
}

/**
 * Starts a new run of the flow with the input of a previous one, or an edited one.
 *
 * @param idempotency_key a second start with it finds the run of the first one
 * @returns the new run's id
 * @throws {Refusal} 403; 404; 409 if the run is pending, or what it is to continue from has not failed; 422 if the flow,
 *   the step or the program is gone
 */
export async function startRetry(ctx: Context, retry: Retry, idempotency_key?: string): Promise<string> {
  const { sql, viewer, flows, schedules } = ctx;
  const { id } = retry;
  const before = await findRepeatable(sql, viewer, id);
  if (!before) throw conflict((await readProcess(ctx, id)).parse(), "The run goes on: cancel it first");
  if (await findFlowActive(sql, viewer, before.flow_code) === undefined) throw invalid({ flow_code: [NO_FLOW] });
  const repetition = await repetitionOf(ctx, retry, before);
  const run = await flows.start({
    account_id: viewer.account_id,
    flow_code: before.flow_code,
    flow_version: retry.program === "then" ? await versionOfThen(ctx, id, before) : undefined,
    input: retry.input ?? before.input,
    sealed: before.sealed === null ? undefined : { of: id, text: before.sealed },
    trigger: before.trigger,
    user_id: ownerOf(viewer, retry, before),
    app_id: before.app_id ?? undefined,
    action: before.action ?? undefined,
    cron_id: before.cron_id ?? undefined,
    trigger_data: before.trigger_data ?? undefined,
    after_failure: before.failure_of !== null,
    retry: { of: id, ...repetition },
    idempotency_key,
  });
  if (before.cron_id !== null) {
    await schedules.noteRepeated({ account_id: viewer.account_id, cron_id: before.cron_id }, run.id);
  }
  return run.id;
}

/** Which outputs of the run are reused. @throws {Refusal} 409; 422 */
async function repetitionOf(
  ctx: Context,
  { id, from, from_step }: Retry,
  { steps }: Repeatable,
): Promise<{ from_step?: string | undefined; failed_items?: boolean | undefined }> {
  if (from_step !== undefined) {
    if (from !== "start") throw invalid({ from_step: ["cannot stand beside from"] });
    if (steps.some(({ place }) => place === from_step)) return { from_step };
    throw invalid({ from_step: ["is not the place of a step that the run has executed"] });
  }
  // The last failure is the one that ended the run. A step with branches fails after the step inside it.
  const failed = steps.findLast(({ status, type }) => status === "error" && !hasBranches(type));
  if (from === "failed_step" && !failed) {
    throw conflict((await readProcess(ctx, id)).parse(), "No step of the run has failed");
  }
  if (from === "failed_items" && !hasFailedItem(steps)) {
    throw conflict((await readProcess(ctx, id)).parse(), "No call and no item of a loop has failed");
  }
  return {
    from_step: from === "failed_step" ? failed?.place : undefined,
    failed_items: from === "failed_items" || undefined,
  };
}

/**
 * A retried run belongs to the viewer, so that it has no more rights than the viewer. Anonymous runs of actions stay
 * anonymous; those of triggers do, too, unless the viewer has edited their input.
 */
function ownerOf({ user_id }: Viewer, { input }: Retry, before: Repeatable): number | null {
  return before.user_id === null && (input === undefined || before.trigger === "action") ? null : user_id;
}

/**
 * The version of the run's program, which is kept for the new run, too. A program that a manager has replaced is executed
 * again by managers only.
 *
 * @throws {Refusal} 403; 422
 */
async function versionOfThen({ sql, viewer }: Context, id: string, { flow_code }: Repeatable): Promise<number> {
  if (viewer.role !== "manager" && viewer.role !== "admin") {
    throw forbidden("The program that the run used needs a manager");
  }
  const used = await findUsedVersion(sql, viewer, id);
  if (!used || !await keepVersion(sql, used, flow_code)) throw invalid({ program: ["is not kept any more"] });
  return used.flow_version;
}
