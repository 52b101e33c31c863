/** Repeats all failed runs that match a filter, a few at a time, in the process that was asked to. */
import type { Context } from "../../../context.ts";
import { conflict, notFound, Refusal } from "../../../errors.ts";
import { faultOf } from "../../../log.ts";
import { startRetry } from "../control.ts";
import { countFailed, listEnded, listFailed, type Repeated } from "../queries.ts";
import {
  type Claimed,
  claimRetry,
  endRetry,
  type Filter,
  findRetry,
  findRunning,
  insertRetry,
  noteRetried,
  releaseRetry,
} from "./queries.ts";
import { MOST_RUNS, type Refusals, type RetryOfMany } from "./schema.ts";

/** Runs at a time. The next ones begin when these have ended, or after `WAIT_MS`. */
const AT_ONCE = 3;
const WAIT_MS = 5_000;
/** Before a run is tried again that the server had no room for. */
const PAUSE_MS = 1_000;

/** @throws {Refusal} 404 */
export async function readRetry({ sql, viewer }: Context, id: string): Promise<RetryOfMany> {
  const found = await findRetry(sql, viewer, id);
  if (!found) throw notFound();
  return found;
}

/**
 * Begins it, or continues one that was interrupted. Runs that are created from now on are left out.
 *
 * @throws {Refusal} 404 for another user's id; 409 while another one of the viewer's goes on
 */
export async function beginRetry(
  ctx: Context,
  { id = crypto.randomUUID(), ...filter }: Filter & { id?: string | undefined },
): Promise<RetryOfMany> {
  const { sql, viewer, clock } = ctx;
  const running = await findRunning(sql, viewer);
  if (running !== undefined && running !== id) {
    throw conflict(await readRetry(ctx, running), "Another retry of many runs goes on: wait for it, or cancel it");
  }
  if (!await findRetry(sql, viewer, id)) {
    const now = clock.now();
    const fixed = { ...filter, to: filter.to ?? now.toISOString() };
    const total = await countFailed(sql, viewer, fixed, await repeatedBefore(ctx, now.getTime()), MOST_RUNS);
    await insertRetry(sql, viewer, { id, filter: fixed, total });
  }
  const claimed = await claimRetry(sql, viewer, id);
  if (claimed) void work(ctx, id, claimed);
  return await readRetry(ctx, id);
}

/** @throws {Refusal} 404 */
export async function cancelRetry(ctx: Context, id: string): Promise<RetryOfMany> {
  await readRetry(ctx, id);
  await endRetry(ctx.sql, id, "cancelled");
  return await readRetry(ctx, id);
}

async function work(ctx: Context, id: string, claimed: Claimed): Promise<void> {
  const { sql, log, flows } = ctx;
  try {
    await repeatAll(ctx, id, claimed);
  } catch (error) {
    if (!flows.stopping.aborted) log.warn("a retry of many runs was interrupted", { retry: id, ...faultOf(error) });
    await releaseRetry(sql, id).catch(() => {});
  }
}

async function repeatAll(ctx: Context, id: string, { filter, began_ms, last_id, done }: Claimed): Promise<void> {
  const { sql, flows } = ctx;
  const repeated = await repeatedBefore(ctx, began_ms);
  for (let [after, count] = [last_id ?? undefined, done]; count < MOST_RUNS;) {
    if (flows.stopping.aborted) return await releaseRetry(sql, id);
    // Rights may have changed since the request.
    if (!await renewed(ctx)) return void await endRetry(sql, id, "cancelled");
    const ids = await listFailed(sql, ctx.viewer, filter, repeated, after, Math.min(AT_ONCE, MOST_RUNS - count));
    const last = ids.at(-1);
    if (last === undefined) break;
    const reasons = await Promise.all(ids.map((run) => repeatOne(ctx, id, run)));
    const refusals: Refusals = ids.flatMap((run, index) => {
      const reason = reasons[index];
      return reason === undefined ? [] : [{ id: run, reason }];
    });
    if (!await noteRetried(sql, id, { last_id: last, done: ids.length, refusals })) return;
    after = last;
    count += ids.length;
  }
  await endRetry(sql, id, "finished");
}

/** Runs in progress that are looked at, the newest. */
const MOST_PENDING = 1_000;

async function repeatedBefore({ sql, flows, viewer }: Context, began_ms: number): Promise<Repeated> {
  const pending = (await flows.pending(viewer.account_id, MOST_PENDING)).filter(({ made_at }) => made_at < began_ms);
  // A run that has ended leaves Deno KV a moment later.
  const ended = await listEnded(sql, viewer, pending.map(({ id }) => id));
  const repeating = pending.flatMap(({ id, retry }) => retry && !ended.has(id) ? [retry.of] : []);
  return { began_ms, repeating };
}

/** Reads the viewer's role and departments again. @returns false if the user is gone or inactive */
async function renewed({ call, viewer, viewers }: Context): Promise<boolean> {
  const known = await viewers.users.find(viewer.account_id, viewer.user_id);
  if (!known?.active) return false;
  // A guest of a host page keeps what the host has granted.
  if (!viewer.grant) call.viewer = { ...viewer, ...known };
  return true;
}

/** @returns why the run was refused */
async function repeatOne(ctx: Context, id: string, run: string): Promise<string | undefined> {
  const { flows, viewer, config } = ctx;
  for (;;) {
    try {
      // The key makes a second attempt, after an interruption, find the run of the first one.
      const started = await startRetry(ctx, { id: run, from: "start", program: "now" }, `retries:${id}:${run}`);
      await flows.wait(viewer.account_id, started, Math.min(config.action_wait_ms, WAIT_MS));
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const is_full = error.status === 429 || error.status === 503;
      if (!is_full) return error.message;
      if (flows.stopping.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
