/** Inspection of runs: in this process, in flight in a peer, or ended. */
import type { Sql } from "../../database/pool.ts";
import { boundedSteps } from "../storage/bounded_steps.ts";
import { findOutcome } from "../storage/history.ts";
import type { RunStore } from "../storage/run_store.ts";
import { countWaiting, findEarlier, findWaiting, listWaiting } from "../waiting/wait_store.ts";
import { endedState, pendingState, waitingState } from "./heads.ts";
import type { Jobs } from "./jobs.ts";
import type { RunDetail, RunHead, RunState, StepRecord } from "./model.ts";
import type { Waits } from "./waits.ts";

/** Waits between looks at a run of a peer. Each is twice as long as the one before. */
const FIRST_POLL_MS = 50;
const LONGEST_POLL_MS = 1_000;

interface Deps {
  sql: Sql;
  store: RunStore;
  jobs: Jobs;
  waits: Waits;
  clock: { now(): Date };
}

/** @returns `wait`, `pending`, `waiting`, `countWaiting` and `inspect` of `Flows` */
export function createInspection({ sql, store, jobs, waits, clock }: Deps) {
  /** Where the run is now: a run moves to PostgreSQL when it waits, and back to Deno KV when it is woken. */
  async function find(account_id: number, id: string) {
    for (let look = 0; look < 2; look++) {
      // Deno KV before PostgreSQL: a run that ends in between is found in PostgreSQL.
      const kept = await store.find(account_id, id);
      const ended = await findOutcome(sql, account_id, id);
      if (ended) return { state: endedState(id, ended), has_ended: true };
      const waiting = await findWaiting(sql, account_id, id);
      // Its head may still be in Deno KV for a moment.
      if (waiting && waiting.attempts >= (kept?.head.attempts ?? 0)) {
        const { head, wake_at, is_queued, awaits } = waiting;
        return { head, state: waitingState(head), wake_at, is_queued, awaits };
      }
      if (kept) return { head: kept.head, state: pendingState(kept.head) };
    }
  }

  /** Whether the run certainly waits longer than until this moment. One that it has called may end at any time. */
  async function waitsBeyond(
    account_id: number,
    { wake_at, is_queued, awaits = [] }: NonNullable<Awaited<ReturnType<typeof find>>>,
    moment: number,
  ): Promise<boolean> {
    if (is_queued || wake_at === undefined || wake_at <= moment) return false;
    for (const id of awaits) {
      const called = await find(account_id, id);
      if (called && !await waitsBeyond(account_id, called, moment)) return false;
    }
    return true;
  }

  /** Polls for a run that a peer executes, that waits, or that has ended. */
  async function poll(account_id: number, id: string, until: number): Promise<RunState | undefined> {
    for (let pause_ms = FIRST_POLL_MS;; pause_ms = Math.min(2 * pause_ms, LONGEST_POLL_MS)) {
      const found = await find(account_id, id);
      if (!found || found.has_ended) return found?.state;
      const left_ms = until - performance.now();
      if (pause_ms > left_ms || waits.ended.aborted) return found.state;
      if (await waitsBeyond(account_id, found, clock.now().getTime() + left_ms)) return found.state;
      await new Promise((resolve) => setTimeout(resolve, pause_ms));
    }
  }

  return {
    async wait(account_id: number, id: string, wait_ms: number): Promise<RunState | undefined> {
      const until = performance.now() + wait_ms;
      const job = jobs.get(id);
      if (job?.head.account_id === account_id) {
        const ended = await waits.within(job.ended.promise, wait_ms);
        if (ended) return endedState(id, ended);
        if (ended === null) return pendingState(job.head);
      }
      return await poll(account_id, id, until);
    },

    // The head in memory is newer: the start of the first step is stored only with the first checkpoint.
    pending: async (account_id: number, most: number): Promise<RunHead[]> =>
      (await store.newest(account_id, most)).map((head) => jobs.get(head.id)?.head ?? head),

    waiting: (account_id: number, most: number): Promise<RunHead[]> => listWaiting(sql, account_id, most),

    countWaiting: (account_id: number): Promise<number> => countWaiting(sql, account_id),

    async inspect(account_id: number, id: string): Promise<RunDetail | undefined> {
      const job = jobs.get(id);
      if (job?.journal && job.head.account_id === account_id) {
        const [input = {}, steps] = await Promise.all([store.inputOf(job.head), job.journal.seen()]);
        return { head: job.head, input, steps: boundedSteps(steps) };
      }
      const found = await find(account_id, id);
      if (!found?.head) return undefined;
      const { head, wake_at, is_queued } = found;
      const [input = {}, earlier, steps] = await Promise.all([
        store.inputOf(head),
        findEarlier(sql, id),
        wake_at === undefined ? store.journalOf(id) : [],
      ]);
      return {
        head: job?.head ?? head,
        input,
        steps: boundedSteps(latest([...earlier, ...steps])),
        wake_at,
        is_queued,
      };
    },
  };
}

/** Without entries of steps that waited and have been executed since. */
function latest(steps: readonly StepRecord[]): StepRecord[] {
  const ended = new Set(steps.filter(({ status }) => status !== "waiting").map(({ place }) => place));
  return steps.filter(({ status, place }) => status !== "waiting" || !ended.has(place));
}
