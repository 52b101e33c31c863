/** The schedule: what a minute does, and what the API asks of it. */
import { faultOf } from "../log.ts";
import { createFairQueue } from "../fairness/fair_limiter.ts";
import { claimDue, type Dues, type Waiting } from "./due.ts";
import { type Expression, readExpression } from "./expression/expression.ts";
import { fire } from "./fire.ts";
import { giveUp, listOverdue, listUnstarted, markStarted, promoteQueued, sweepLedger, takeOver } from "./ledger.ts";
import { planned } from "./planned.ts";
import type { Schedules, Ticked } from "./schedule.ts";
import { FROM_THE_FIRST, settle, type Settled, settleLost } from "./settle.ts";
import { type Deps, startAll } from "./start.ts";

/** Runs that are claimed and not yet started, which is what a tick holds in memory. */
const MOST_WAITING = 20_000;
/** Rows of one statement. */
const AT_ONCE = 1_000;
/** Rows that are looked at one by one. */
const AT_HAND = 100;
/** A run that has ended is counted then, not at the next tick: a trigger's health is what people look at. */
const NOTED_AFTER_MS = 1_000;
/** Of a minute: whoever has more to sweep goes on in the next one. */
const SWEEP_MS = 10_000;
const MOST_EXPRESSIONS = 2_000;

export function createSchedules(deps: Deps): Schedules {
  const { sql, clock, log, flows } = deps;
  const read = remembered();
  let closing = false;
  let working: Promise<Ticked> | undefined;
  let next: Promise<Ticked> | undefined;

  async function settleAll(of?: readonly number[]): Promise<number> {
    let settled = 0;
    for (let after: Settled["after"] = FROM_THE_FIRST; after && !closing;) {
      const from: NonNullable<Settled["after"]> = after;
      const page: Settled = await planned(sql, (tx) => settle(tx, clock.now(), AT_ONCE, from, of));
      settled += page.count;
      after = page.after;
    }
    return settled;
  }

  async function tick(): Promise<Ticked> {
    const began = performance.now();
    const settled = await attempted("settling", () => settleAll()) ?? 0;
    await attempted("giving up", giveUpAll);
    await attempted("looking for lost runs", findLost);
    // What is taken from here on is started, or let go of.
    if (closing) return { claimed: 0, started: 0, settled };
    // Each account's next in turn; one account may fill it.
    const queue = createFairQueue<Waiting>({ waiting: 4 * MOST_WAITING });
    const push = (rows: readonly Waiting[]) => rows.forEach((row) => queue.push(row.account_id, row));
    push(await planned(sql, (tx) => takeOver(tx, clock.now(), MOST_WAITING / 2)));
    push(await planned(sql, (tx) => promoteQueued(tx, clock.now(), MOST_WAITING / 2)));
    let [claimed, started] = [0, 0];
    let more = true;
    do {
      const dues: Dues = new Map();
      while (more && !closing && queue.size < MOST_WAITING) {
        const batch = await claimDue(sql, clock.now(), read, dues);
        push(batch.waiting);
        claimed += batch.count;
        more = batch.whole;
      }
      started += await startAll(deps, queue, () => closing);
    } while (more && !closing);
    const ticked = { claimed, started, settled };
    if (claimed + started > 0) log.info("tick", { ...ticked, ms: Math.round(performance.now() - began) });
    return ticked;
  }

  async function findLost(): Promise<void> {
    const overdue = await listOverdue(sql, AT_HAND);
    await Promise.all(overdue.map(async (run) => {
      if (await flows.wait(run.account_id, run.flow_process_id, 0)) return;
      await planned(sql, (tx) => settleLost(tx, clock.now(), run));
    }));
  }

  async function giveUpAll(): Promise<void> {
    const unstarted = await listUnstarted(sql, clock.now(), AT_HAND);
    await Promise.all(unstarted.map(async (row) => {
      // Whoever started it died before telling.
      if (await flows.wait(row.account_id, row.flow_process_id, 0)) await markStarted(sql, [row.id], clock.now());
      else await giveUp(sql, row);
    }));
  }

  /** What goes wrong in it must not keep from a start what is due. */
  async function attempted<Result>(what: string, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      log.warn(`${what} failed`, faultOf(error));
    }
  }

  const ended = new Set<number>();
  let settling: ReturnType<typeof setTimeout> | undefined;
  let settled: Promise<unknown> | undefined;
  /** Runs often end together: their ends are noted together. */
  function noteEnd(cron_id: number): void {
    ended.add(cron_id);
    if (!closing) settling ??= setTimeout(() => void (settled = settleEnded()), NOTED_AFTER_MS);
  }

  async function settleEnded(): Promise<void> {
    while (ended.size > 0 && !closing) {
      const of = [...ended].slice(0, AT_ONCE);
      for (const id of of) ended.delete(id);
      await attempted("settling", () => settleAll(of));
    }
    settling = undefined;
  }

  const begin = () =>
    working = tick().finally(() => {
      working = undefined;
    });

  return {
    read,
    noteEnd,
    fire: (firing) => fire(deps, firing),
    tick() {
      if (!working) return begin();
      // What comes due while a round is at work is not found by it for sure.
      return next ??= working.catch(() => {}).then(() => {
        next = undefined;
        return begin();
      });
    },
    async sweep() {
      const end = performance.now() + SWEEP_MS;
      while (performance.now() < end && !closing && await sweepLedger(sql, AT_ONCE) === AT_ONCE);
    },
    async close() {
      closing = true;
      clearTimeout(settling);
      await Promise.allSettled([working, next, settled]);
    },
  };
}

/** The expressions in use; reading one takes as long as ten queries of the driver's. */
function remembered(): (schedule: string, timezone: string) => Expression {
  const known = new Map<string, Expression>();
  return (schedule, timezone) => {
    const key = `${timezone} ${schedule}`;
    const expression = known.get(key) ?? readExpression(schedule, timezone);
    known.delete(key);
    known.set(key, expression);
    const [oldest] = known.keys();
    if (known.size > MOST_EXPRESSIONS && oldest !== undefined) known.delete(oldest);
    return expression;
  };
}
