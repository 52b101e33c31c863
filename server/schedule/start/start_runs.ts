/** Starts the runs of claimed rows: in small batches, fairly by account, each only while its trigger is active. */
import { Refusal } from "../../errors.ts";
import type { FairQueue } from "../../fairness/fair_limiter.ts";
import { isOfInput, NO_FLOW } from "../../flow/flow.ts";
import { faultOf } from "../../log.ts";
import { skip } from "../ledger/not_started.ts";
import { STOPPED } from "../ledger/reasons.ts";
import { LEASE_S, listUnstarted, markStarted, type PendingStart, release } from "../ledger/start_rows.ts";
import { planned } from "../planned.ts";
import { type Deps, isKnown, newRun } from "./new_run.ts";

/** Runs that are started together. */
const BATCH = 64;
/** Batches at the same time. */
const LANES = 2;
/** Rows that one batch may release. */
const MAX_RELEASED = 1_000;
/** Rows that are not started within this time are released before their lease ends, so that no other process takes them over. */
const MAX_MS = LEASE_S * 1_000 * 0.75;

/**
 * Empties the queue.
 *
 * @param isClosing if it returns true, the rest of the rows is released for other processes
 * @returns how many runs the engine has
 */
export async function startRuns(
  deps: Deps,
  queue: FairQueue<PendingStart>,
  isClosing: () => boolean,
): Promise<number> {
  const { sql, log } = deps;
  const until = performance.now() + MAX_MS;
  /** Accounts that the engine refused: none of their runs is started in this tick. */
  const full = new Set<number>();
  const mayStart = ({ account_id }: PendingStart) => !full.has(account_id) && !isClosing() && performance.now() < until;
  let started = 0;
  const lane = async () => {
    while (queue.size > 0) {
      const { batch, released } = takeBatch(queue, mayStart);
      await release(sql, released);
      const count = await startBatch(deps, batch, full);
      started += count;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (full.size > 0) log.warn("too many runs wait", { accounts: full.size });
  return started;
}

function takeBatch(queue: FairQueue<PendingStart>, mayStart: (row: PendingStart) => boolean) {
  const [batch, released]: [PendingStart[], PendingStart[]] = [[], []];
  while (batch.length < BATCH && released.length < MAX_RELEASED) {
    const row = queue.next()?.job;
    if (!row) break;
    (mayStart(row) ? batch : released).push(row);
  }
  return { batch, released };
}

/** @returns how many runs the engine has */
async function startBatch(deps: Deps, batch: readonly PendingStart[], full: Set<number>): Promise<number> {
  if (batch.length === 0) return 0;
  const { sql, clock } = deps;
  const unstarted = await planned(sql, (tx) => listUnstarted(tx, batch));
  const wanted = new Map(unstarted.map(({ id, wanted }) => [id, wanted]));
  const results = await Promise.all(batch.map(async (row) => {
    const is_wanted = wanted.get(row.id);
    if (is_wanted === undefined) return undefined;
    return await (is_wanted ? startOne(deps, row, full) : stopOne(deps, row));
  }));
  const started = batch.filter((_, index) => results[index] === "has_run");
  if (started.length > 0) await planned(sql, (tx) => markStarted(tx, started, clock.now()));
  return started.length;
}

/**
 * `has_run`: the engine has the run; `wrong_input`: the flow takes no such input; `refused`: the flow cannot be started as
 * it is; `left`: there is no run, or not yet.
 */
export type Start = "has_run" | "wrong_input" | "refused" | "left";

export async function startOne(deps: Deps, row: PendingStart, full: Set<number>): Promise<Start> {
  const { sql, flows, log } = deps;
  try {
    await flows.start(newRun(row));
    return "has_run";
  } catch (error) {
    if (error instanceof Refusal && error.status === 422) {
      // A process started it and died, and the trigger's input was changed since.
      if (error.fields?.idempotency_key && await isKnown(deps, row)) return "has_run";
      // A missing flow, a missing author (`base`) and a wrong input are failures of the trigger. A deactivated flow is not,
      // and neither is the input that a webhook was sent.
      const { flow_code, base } = error.fields ?? {};
      const failed = !row.by_hand &&
        (base !== undefined || flow_code?.includes(NO_FLOW) === true ||
          row.kind !== "webhook" && isOfInput(error.fields));
      await skip(sql, row, `the flow ${row.target_code} could not be started: ${error.message}`, failed);
      return isOfInput(error.fields) ? "wrong_input" : "refused";
    }
    if (error instanceof Refusal && error.status === 409) {
      await skip(sql, row, `the flow ${row.target_code} could not be started: ${error.message}`, false);
      return "left";
    }
    if (error instanceof Refusal && error.status === 503) full.add(row.account_id);
    else log.warn("a trigger's run could not be started", { cron: row.cron_id, ...faultOf(error) });
    await release(sql, [row]);
    return "left";
  }
}

/**
 * For a row whose trigger was deactivated after the claim. A process that had the row before may have started its run
 * and died before it marked the row.
 */
async function stopOne(deps: Deps, row: PendingStart): Promise<Start> {
  if (await isKnown(deps, row)) return "has_run";
  await skip(deps.sql, row, STOPPED, false);
  return "left";
}
