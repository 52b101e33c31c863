/** Reading runs: those in flight are in Deno KV, those that wait or have ended in PostgreSQL. */
import type { Context } from "../../context.ts";
import { Json } from "../../database/json.ts";
import { createdAt } from "../../database/uuid_v7.ts";
import { badRequest, notFound } from "../../errors.ts";
import { isoOf } from "../../database/iso_time.ts";
import type { RunHead } from "../../flow/flow.ts";
import { visibleTo } from "../../visibility.ts";
import { countStored, findEnded, findUsedVersion, findVersion, listStored } from "./queries.ts";
import { LAST_PAGE } from "./last_page.ts";
import type { FlowProcess, FlowProcessPage, UsedProgram, WholeFlowProcess } from "./schema.ts";

/** Runs in flight that a list includes. The others appear in it once they have ended. */
const MOST_PENDING = 1_000;

/** More are counted only on request: an account may have a million runs. */
const MOST_COUNTED = 10_000;

/** @param wake_at milliseconds since 1970; undefined unless it waits. @param is_queued waits for its turn */
export const pendingProcess = (head: RunHead, wake_at?: number, is_queued = false): FlowProcess => ({
  id: head.id,
  flow_code: head.flow_code,
  flow_version: head.flow_version,
  status: wake_at === undefined ? "pending" : "waiting",
  trigger: head.trigger,
  error: null,
  app_id: head.app_id,
  action: head.action,
  cron_id: head.cron_id,
  user_id: head.user_id,
  department_id: head.department_id,
  retry_of: head.retry?.of ?? null,
  parent_id: head.parent?.id ?? null,
  failure_of: head.failure_of ?? null,
  failure_run_id: null,
  attempts: head.attempts,
  failed_steps: null,
  warnings: null,
  started_at: head.begun_at === null ? null : isoOf(head.begun_at),
  queued: is_queued,
  wake_at: wake_at === undefined || is_queued ? null : isoOf(wake_at),
  finished_at: null,
  ms: null,
});

/** Newest first. */
export async function listProcesses(ctx: Context, page: FlowProcessPage): Promise<Json<FlowProcess[]>> {
  const { sql, viewer } = ctx;
  if (page.after !== undefined && page.page > 1) throw badRequest("after and page exclude each other");
  const offset = (page.page - 1) * page.per_page;
  const { after } = page;
  const in_flight = page.status === undefined || page.status === "pending" ? await listPending(ctx, page) : [];
  const pending = in_flight.filter(({ id }) => after === undefined || id < after);
  // The list merges both sources by id. Up to `pending.length` rows before this page are runs in flight, so the page may
  // begin that many rows earlier in PostgreSQL.
  const start = Math.max(0, offset - pending.length);
  const pending_only = page.status === "pending";
  const [ended, count] = await Promise.all([
    // One more than the page has, which tells whether there is a next one.
    pending_only ? [] : listStored(sql, viewer, page, { limit: page.per_page + pending.length + 1, offset: start }),
    page.count === false
      ? undefined
      : pending_only
      ? 0
      : countStored(sql, viewer, page, page.count ? null : MOST_COUNTED + 1),
  ]);
  // A run that ended between the two reads is in both lists.
  const ended_ids = new Set(ended.map(({ id }) => id));
  const rows = [...pending.filter(({ id }) => !ended_ids.has(id)), ...ended].toSorted((a, b) => a.id < b.id ? 1 : -1);
  const first = pending_only ? offset : offset - start;
  const is_counted = count !== undefined && (page.count || count <= MOST_COUNTED);
  const total = is_counted ? count + in_flight.filter(({ id }) => !ended_ids.has(id)).length : undefined;
  const more = rows.length > first + page.per_page && (after !== undefined || page.page < LAST_PAGE);
  return new Json(JSON.stringify(rows.slice(first, first + page.per_page)), total, more);
}

async function listPending({ flows, viewer }: Context, page: FlowProcessPage): Promise<FlowProcess[]> {
  const { flow_code, department_id, trigger, cron_id, user_id, input, from, to } = page;
  // The heads of runs in flight do not have the input.
  if (input !== undefined) return [];
  const heads = await flows.pending(viewer.account_id, MOST_PENDING);
  return heads.filter((head) =>
    visibleTo(viewer, head.department_id) &&
    (flow_code === undefined || head.flow_code === flow_code) &&
    (department_id === undefined || head.department_id === department_id) &&
    (trigger === undefined || head.trigger === trigger) &&
    (cron_id === undefined || head.cron_id === cron_id) &&
    (user_id === undefined || head.user_id === user_id) &&
    (from === undefined || createdAt(head.id) >= Date.parse(from)) &&
    (to === undefined || createdAt(head.id) < Date.parse(to))
  ).map((head) => pendingProcess(head));
}

/** @throws {Refusal} 404 */
export async function readProcess(ctx: Context, id: string): Promise<Json<WholeFlowProcess>> {
  const { sql, viewer, flows } = ctx;
  const run = await flows.inspect(viewer.account_id, id);
  // Deno KV before PostgreSQL: a run that ends in between is found in PostgreSQL.
  const ended = await findEnded(sql, viewer, id);
  if (ended) return ended;
  if (!run || !visibleTo(viewer, run.head.department_id)) throw notFound("Flow process");
  return new Json(
    JSON.stringify({
      ...pendingProcess(run.head, run.wake_at, run.is_queued),
      input: run.input,
      data: null,
      steps: run.steps,
    }),
  );
}

/** The program that a run executes or has executed, even if its flow was changed or deleted. @throws {Refusal} 404 */
export async function readProgram({ sql, viewer, flows }: Context, id: string): Promise<Json<UsedProgram>> {
  const run = await flows.inspect(viewer.account_id, id);
  const pending = run && visibleTo(viewer, run.head.department_id) ? run.head : undefined;
  const used = await findUsedVersion(sql, viewer, id) ?? pending;
  if (!used) throw notFound("Flow process");
  const program = await findVersion(sql, used);
  if (!program) throw notFound("Program");
  return program;
}
