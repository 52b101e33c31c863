/** Starts what was claimed: a few at a time, account by account, each only while its trigger still wants it. */
import type { Pool } from "../database/pool.ts";
import { Refusal } from "../errors.ts";
import { type Flows, type NewRun, NO_FLOW } from "../flow/flow.ts";
import { faultOf, type Log } from "../log.ts";
import type { FairQueue } from "../fairness/fair_limiter.ts";
import type { Waiting } from "./due.ts";
import { planned } from "./planned.ts";
import { LEASE_S, listWanted, markStarted, release, skip, STOPPED } from "./ledger.ts";

/** Runs that are started together. */
const AT_ONCE = 64;
const LANES = 2;
/** What waits longer than this in memory is left to whoever comes: others may think that this process died. */
const LONGEST_MS = LEASE_S * 1_000 * 0.75;

export interface Deps {
  sql: Pool;
  flows: Pick<Flows, "start" | "wait">;
  clock: { now(): Date };
  log: Log;
}

export const runOf = ({ account_id, cron_id, target_code, flow_process_id, due_at, by_hand }: Waiting): NewRun => ({
  id: flow_process_id,
  account_id,
  flow_code: target_code,
  input: { kind: "cron", cron_id },
  trigger: "cron",
  user_id: null,
  cron_id,
  idempotency_key: `cron:${cron_id}:${by_hand ? flow_process_id : `${due_at.slice(0, 16)}Z`}`,
});

/** @returns how many runs the engine has. @param isClosing what is left then, others start */
export async function startAll(deps: Deps, queue: FairQueue<Waiting>, isClosing: () => boolean): Promise<number> {
  const { sql, log } = deps;
  const until = performance.now() + LONGEST_MS;
  /** Accounts that have too many runs: not one more of theirs in this tick. */
  const full = new Set<number>();
  let started = 0;
  const lane = async () => {
    while (queue.size > 0) {
      const [wanted, left]: [Waiting[], Waiting[]] = [[], []];
      while (wanted.length < AT_ONCE && queue.size > 0) {
        const next = queue.next()?.job;
        if (!next) break;
        const can = !full.has(next.account_id) && !isClosing() && performance.now() < until;
        (can ? wanted : left).push(next);
        if (left.length >= 1_000) break;
      }
      await release(sql, left.map(({ id }) => id));
      const count = await startSome(deps, wanted, full);
      started += count;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (full.size > 0) log.warn("too many runs wait", { accounts: full.size });
  return started;
}

async function startSome(deps: Deps, rows: readonly Waiting[], full: Set<number>): Promise<number> {
  if (rows.length === 0) return 0;
  const { sql, clock } = deps;
  const wanted = new Map(
    (await planned(sql, (tx) => listWanted(tx, rows.map(({ id }) => id)))).map(({ id, wanted }) => [id, wanted]),
  );
  const done = await Promise.all(rows.map(async (row) => {
    const is_wanted = wanted.get(row.id);
    if (is_wanted === undefined) return;
    return await (is_wanted ? startOne(deps, row, full) : stopOne(deps, row));
  }));
  const ids = done.filter((id) => id !== undefined);
  await planned(sql, (tx) => markStarted(tx, ids, clock.now()));
  return ids.length;
}

/** @returns the row's id where the engine has the run */
async function startOne(deps: Deps, row: Waiting, full: Set<number>): Promise<number | undefined> {
  const { sql, flows, log } = deps;
  try {
    await flows.start(runOf(row));
    return row.id;
  } catch (error) {
    if (error instanceof Refusal && error.status === 422) {
      // A flow that is not active is no failure of its trigger.
      const failed = !row.by_hand && Boolean(error.fields?.flow_code?.includes(NO_FLOW));
      await skip(sql, row.id, `the flow ${row.target_code} could not be started: ${error.message}`, failed);
      return;
    }
    if (error instanceof Refusal && error.status === 503) full.add(row.account_id);
    else log.warn("a trigger's run could not be started", { cron: row.cron_id, ...faultOf(error) });
    await release(sql, [row.id]);
  }
}

/** The trigger is not active any more. Whoever had the row before may have started it, and died before telling. */
async function stopOne({ sql, flows }: Deps, row: Waiting): Promise<number | undefined> {
  if (await flows.wait(row.account_id, row.flow_process_id, 0)) return row.id;
  await skip(sql, row.id, STOPPED, false);
}
