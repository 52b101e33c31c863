/** One tick: settles ended runs, then claims due triggers and starts their runs. */
import { createFairQueue } from "../fairness/fair_limiter.ts";
import { faultOf } from "../log.ts";
import { claimDue } from "./claim/claim_due.ts";
import type { DueTimesCache } from "./claim/decision.ts";
import { promoteQueued } from "./ledger/queued.ts";
import { type PendingStart, takeOver } from "./ledger/start_rows.ts";
import { planned } from "./planned.ts";
import { giveUpTooOld, settleLost } from "./settle/lost_runs.ts";
import { type Position, type SettledPage, settlePage, START } from "./settle/settle.ts";
import type { Deps } from "./start/new_run.ts";
import { startRuns } from "./start/start_runs.ts";
import type { ReadTimetable } from "./timetable/timetable_cache.ts";

/** Claimed runs that are not started yet. A tick holds them in memory. */
const MAX_PENDING = 20_000;
const SETTLE_BATCH = 1_000;
/** Longer than a claim by another process takes. */
const LOCKED_PAUSE_MS = 1_000;

/** What one tick did, for the log. */
export interface Ticked {
  /** Due triggers. */
  claimed: number;
  /** Runs that the engine has. */
  started: number;
  /** Runs whose outcome was written to the ledger. */
  settled: number;
  /** Triggers that were due when the tick began and are due still, if there are any. */
  overdue?: number;
}

/** @param isClosing the tick ends early if it returns true; other processes do the rest */
export async function tick(deps: Deps, read: ReadTimetable, isClosing: () => boolean): Promise<Ticked> {
  const { log } = deps;
  const began = performance.now();
  const settled = await attempt(deps, "settling", () => settleAll(deps, isClosing)) ?? 0;
  await attempt(deps, "giving up", () => giveUpTooOld(deps));
  await attempt(deps, "looking for lost runs", () => settleLost(deps));
  // Every row that is claimed from here on is started or released.
  if (isClosing()) return { claimed: 0, started: 0, settled };
  const now = deps.clock.now();
  const ticked = { ...await claimAndStart(deps, read, isClosing), settled };
  let overdue = await findOverdue(deps, now);
  if (overdue && !isClosing()) {
    // Another process has locked them. Either it claims them, or it has died and they are free in a moment.
    await new Promise((resolve) => setTimeout(resolve, LOCKED_PAUSE_MS));
    const more = await claimAndStart(deps, read, isClosing);
    ticked.claimed += more.claimed;
    ticked.started += more.started;
    overdue = await findOverdue(deps, now);
  }
  if (ticked.claimed + ticked.started > 0) log.info("tick", { ...ticked, ms: Math.round(performance.now() - began) });
  if (!overdue || isClosing()) return ticked;
  // That process is frozen or very slow. The next tick tries again.
  log.warn("triggers are overdue after a tick", { ...overdue });
  return { ...ticked, overdue: overdue.count };
}

/** Settles ended runs of all triggers, or of some. @returns how many */
export async function settleAll(
  { sql, clock }: Deps,
  isClosing: () => boolean,
  cron_ids?: readonly number[],
): Promise<number> {
  let settled = 0;
  for (let after: Position | undefined = START; after && !isClosing();) {
    const from: Position = after;
    const page: SettledPage = await planned(sql, (tx) => settlePage(tx, clock.now(), SETTLE_BATCH, from, cron_ids));
    settled += page.count;
    after = page.after;
  }
  return settled;
}

/** Logs a failure instead of throwing it: a failure while settling must not delay triggers that are due now. */
export async function attempt<Result>({ log }: Deps, what: string, work: () => Promise<Result>) {
  try {
    return await work();
  } catch (error) {
    log.warn(`${what} failed`, faultOf(error));
  }
}

/** Triggers that were due at a moment and are due still. @returns undefined if there are none */
async function findOverdue({ sql }: Deps, now: Date) {
  const overdue = await planned(sql, (tx) =>
    tx<{ id: number; next_run_at: string }[]>`
      select id, next_run_at
      from crons
      where active
        and next_run_at <= ${now}
      order by next_run_at, id
      limit ${MAX_PENDING}
    `);
  const [oldest] = overdue;
  return oldest && { count: overdue.length, oldest_cron: oldest.id, oldest_due_at: oldest.next_run_at };
}

/** Starts what waits for the end of a run of these triggers. */
export async function startQueued(deps: Deps, isClosing: () => boolean, cron_ids: readonly number[]): Promise<void> {
  const { sql, clock } = deps;
  const rows = await planned(sql, (tx) => promoteQueued(tx, clock.now(), MAX_PENDING / 2, cron_ids));
  if (rows.length === 0) return;
  const queue = createFairQueue<PendingStart>({ waiting: 4 * MAX_PENDING });
  for (const row of rows) queue.push(row.account_id, row);
  await startRuns(deps, queue, isClosing);
}

async function claimAndStart(deps: Deps, read: ReadTimetable, isClosing: () => boolean) {
  const { sql, clock } = deps;
  // Accounts take turns. The limit is high enough that one account alone can have MAX_PENDING rows.
  const queue = createFairQueue<PendingStart>({ waiting: 4 * MAX_PENDING });
  const push = (rows: readonly PendingStart[]) => rows.forEach((row) => queue.push(row.account_id, row));
  push(await planned(sql, (tx) => takeOver(tx, clock.now(), MAX_PENDING / 2)));
  push(await planned(sql, (tx) => promoteQueued(tx, clock.now(), MAX_PENDING / 2)));
  let [claimed, started, more] = [0, 0, true];
  do {
    const due_times: DueTimesCache = new Map();
    while (more && !isClosing() && queue.size < MAX_PENDING) {
      const batch = await claimDue(sql, clock.now(), read, due_times);
      push(batch.pending);
      claimed += batch.count;
      more = batch.more;
    }
    started += await startRuns(deps, queue, isClosing);
  } while (more && !isClosing());
  return { claimed, started };
}
