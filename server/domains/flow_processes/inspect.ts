/** Runs as people look at them: those in flight are in Deno KV, those that have ended in PostgreSQL. */
import type { Context } from "../../context.ts";
import { badRequest, conflict, invalid, notFound } from "../../errors.ts";
import { NO_FLOW, type RunHead } from "../../flow/flow.ts";
import { Json } from "../../database/json.ts";
import { visibleTo } from "../../visibility.ts";
import { findFlowActive } from "../flows/queries.ts";
import { countEnded, findEnded, findRepeatable, listEnded } from "./queries.ts";
import type { FlowProcess, FlowProcessPage, Retry, WholeFlowProcess } from "./schema.ts";

/** Those in flight that a list looks at; more are on its later pages once they have ended. */
const MOST_PENDING = 1_000;

const isoOf = (ms: number) => new Date(ms).toISOString().replace("Z", "+00:00");

/** More are counted only when asked: an account may have a million. */
const MOST_COUNTED = 10_000;

export const pendingProcess = (head: RunHead): FlowProcess => ({
  id: head.id,
  flow_code: head.flow_code,
  flow_version: head.flow_version,
  status: "pending",
  trigger: head.trigger,
  error: null,
  app_id: head.app_id,
  action: head.action,
  cron_id: head.cron_id,
  user_id: head.user_id,
  department_id: head.department_id,
  retry_of: head.retry?.of ?? null,
  attempts: head.attempts,
  started_at: head.begun_at === null ? null : isoOf(head.begun_at),
  finished_at: null,
  ms: null,
});

/** The newest first. */
export async function listProcesses(ctx: Context, page: FlowProcessPage): Promise<Json<FlowProcess[]>> {
  const { sql, viewer } = ctx;
  if (page.after !== undefined && page.page > 1) throw badRequest("after and page exclude each other");
  const offset = (page.page - 1) * page.per_page;
  const { after } = page;
  const flying = page.status === undefined || page.status === "pending" ? await listPending(ctx, page) : [];
  const pending = flying.filter(({ id }) => after === undefined || id < after);
  // What is in flight is newer than nearly all that has ended, but not than all: so many may stand before a page.
  const start = Math.max(0, offset - pending.length);
  const none = page.status === "pending";
  const [ended, count] = await Promise.all([
    none ? [] : listEnded(sql, viewer, page, { limit: page.per_page + pending.length, offset: start }),
    none ? 0 : countEnded(sql, viewer, page, page.count ? null : MOST_COUNTED + 1),
  ]);
  const done = new Set(ended.map(({ id }) => id));
  const rows = [...pending.filter(({ id }) => !done.has(id)), ...ended].toSorted((a, b) => a.id < b.id ? 1 : -1);
  const first = none ? offset : offset - start;
  const isCounted = page.count || count <= MOST_COUNTED;
  const total = isCounted ? count + flying.filter(({ id }) => !done.has(id)).length : undefined;
  return new Json(JSON.stringify(rows.slice(first, first + page.per_page)), total);
}

async function listPending({ flows, viewer }: Context, page: FlowProcessPage): Promise<FlowProcess[]> {
  const heads = await flows.pending(viewer.account_id, MOST_PENDING);
  return heads.filter((head) =>
    visibleTo(viewer, head.department_id) &&
    (page.flow_code === undefined || head.flow_code === page.flow_code) &&
    (page.trigger === undefined || head.trigger === page.trigger)
  ).map(pendingProcess);
}

/** @throws {Refusal} 404 */
export async function readProcess(ctx: Context, id: string): Promise<Json<WholeFlowProcess>> {
  const { sql, viewer, flows } = ctx;
  const run = await flows.inspect(viewer.account_id, id);
  // After it, so that what ends in between is found.
  const ended = await findEnded(sql, viewer, id);
  if (ended) return ended;
  if (!run || !visibleTo(viewer, run.head.department_id)) throw notFound("Flow process");
  return new Json(JSON.stringify({ ...pendingProcess(run.head), input: run.input, data: null, steps: run.steps }));
}

/** @throws {Refusal} 404; 409 where it has ended */
export async function cancelProcess(ctx: Context, id: string): Promise<Json<WholeFlowProcess>> {
  const { viewer, flows, config } = ctx;
  const before = (await readProcess(ctx, id)).parse();
  if (before.status !== "pending") throw conflict(before, "The run has ended");
  if (!await flows.cancel(viewer.account_id, id)) {
    throw conflict((await readProcess(ctx, id)).parse(), "The run has ended");
  }
  // A step in hand is cut off, so the end is near.
  await flows.wait(viewer.account_id, id, Math.min(config.action_wait_ms, 1_000));
  return await readProcess(ctx, id);
}

/**
 * Runs the flow once more with the same input.
 *
 * @throws {Refusal} 404; 409 while it is pending, or where no step has failed; 422 where its flow is not there
 */
export async function retryProcess(ctx: Context, { id, from }: Retry): Promise<Json<WholeFlowProcess>> {
  const { sql, viewer, flows, config } = ctx;
  const before = await findRepeatable(sql, viewer, id);
  if (!before) throw conflict((await readProcess(ctx, id)).parse(), "The run goes on: cancel it first");
  if (await findFlowActive(sql, viewer, before.flow_code) === undefined) throw invalid({ flow_code: [NO_FLOW] });
  // The last to fail is the one that nothing caught.
  const failed = before.steps.findLast(({ status, type }) =>
    status === "error" && type !== "if" && type !== "for_each"
  );
  if (from === "failed_step" && !failed) {
    throw conflict((await readProcess(ctx, id)).parse(), "No step of the run has failed");
  }
  const run = await flows.start({
    account_id: viewer.account_id,
    flow_code: before.flow_code,
    input: before.input,
    trigger: before.trigger,
    // Whose it was may be more than who repeats it may; nobody's stays nobody's.
    user_id: before.user_id === null ? null : viewer.user_id,
    app_id: before.app_id ?? undefined,
    action: before.action ?? undefined,
    cron_id: before.cron_id ?? undefined,
    retry: { of: id, from_step: from === "failed_step" ? failed?.place : undefined },
  });
  await flows.wait(viewer.account_id, run.id, config.action_wait_ms);
  return await readProcess(ctx, run.id);
}
