/** The schedule: what a minute does, and what the API asks of it. */
import { createQueue } from "../queue.ts";
import { claimDue, type Dues, type Waiting } from "./due.ts";
import { type Expression, readExpression } from "./expression.ts";
import { fire } from "./fire.ts";
import { giveUp, listOverdue, promoteQueued, sweepLedger, takeOver } from "./ledger.ts";
import { planned } from "./planned.ts";
import type { Schedules, Ticked } from "./schedule.ts";
import { FROM_THE_FIRST, settle, type Settled, settleLost } from "./settle.ts";
import { type Deps, startAll } from "./start.ts";

/** Runs that are claimed and not yet started, which is what a tick holds in memory. */
const MOST_WAITING = 20_000;
/** Rows of one statement. */
const AT_ONCE = 1_000;
/** Of a minute: whoever has more to sweep goes on in the next one. */
const SWEEP_MS = 10_000;
const MOST_EXPRESSIONS = 2_000;

export function createSchedules(deps: Deps): Schedules {
  const { sql, clock, log, flows } = deps;
  const read = remembered();
  let closing = false;
  let working: Promise<Ticked> | undefined;
  let next: Promise<Ticked> | undefined;

  async function settleAll(): Promise<number> {
    let settled = 0;
    for (let after: Settled["after"] = FROM_THE_FIRST; after && !closing;) {
      const from: NonNullable<Settled["after"]> = after;
      // deno-lint-ignore no-await-in-loop -- page after page
      const page: Settled = await planned(sql, (tx) => settle(tx, AT_ONCE, from));
      settled += page.count;
      after = page.after;
    }
    return settled;
  }

  async function tick(): Promise<Ticked> {
    const began = performance.now();
    const settled = await settleAll();
    await giveUp(sql);
    await findLost();
    // What is taken from here on is started, or let go of.
    if (closing) return { claimed: 0, started: 0, settled };
    // Each account's next in turn; one account may fill it.
    const queue = createQueue<Waiting>(4 * MOST_WAITING);
    const push = (rows: readonly Waiting[]) => rows.forEach((row) => queue.push(row.account_id, row));
    push(await planned(sql, (tx) => takeOver(tx, clock.now(), MOST_WAITING / 2)));
    push(await planned(sql, (tx) => promoteQueued(tx, clock.now(), MOST_WAITING / 2)));
    let [claimed, started] = [0, 0];
    let more = true;
    do {
      const dues: Dues = new Map();
      while (more && !closing && queue.size < MOST_WAITING) {
        // deno-lint-ignore no-await-in-loop -- batch after batch
        const batch = await claimDue(sql, clock.now(), read, dues);
        push(batch.waiting);
        claimed += batch.count;
        more = batch.whole;
      }
      // deno-lint-ignore no-await-in-loop -- what was claimed is started before more is
      started += await startAll(deps, queue, () => closing);
    } while (more && !closing);
    const ticked = { claimed, started, settled };
    if (claimed + started > 0) log.info("tick", { ...ticked, ms: Math.round(performance.now() - began) });
    return ticked;
  }

  async function findLost(): Promise<void> {
    const overdue = await listOverdue(sql, 100);
    await Promise.all(overdue.map(async (run) => {
      if (!await flows.wait(run.account_id, run.flow_process_id, 0)) await planned(sql, (tx) => settleLost(tx, run));
    }));
  }

  const begin = () =>
    working = tick().finally(() => {
      working = undefined;
    });

  return {
    read,
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
      // deno-lint-ignore no-await-in-loop -- batch after batch
      while (performance.now() < end && !closing && await sweepLedger(sql, AT_ONCE) === AT_ONCE);
    },
    async close() {
      closing = true;
      await Promise.allSettled([working, next]);
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
