/** Inspection of runs: in this process, in flight in a peer, or ended. */
import type { Sql } from "../../database/pool.ts";
import { boundedSteps } from "../storage/bounded_steps.ts";
import { findOutcome } from "../storage/history.ts";
import type { RunStore } from "../storage/run_store.ts";
import { endedState, pendingState } from "./heads.ts";
import type { Jobs } from "./jobs.ts";
import type { RunDetail, RunHead, RunState } from "./model.ts";
import type { Waits } from "./waits.ts";

/** Waits between looks at a run of a peer. Each is twice as long as the one before. */
const FIRST_POLL_MS = 50;
const LONGEST_POLL_MS = 1_000;

interface Deps {
  sql: Sql;
  store: RunStore;
  jobs: Jobs;
  waits: Waits;
}

/** @returns `wait`, `pending` and `inspect` of `Flows` */
export function createInspection({ sql, store, jobs, waits }: Deps) {
  /** Polls for a run that a peer executes, or that has ended. */
  async function poll(account_id: number, id: string, until: number): Promise<RunState | undefined> {
    for (let pause_ms = FIRST_POLL_MS;; pause_ms = Math.min(2 * pause_ms, LONGEST_POLL_MS)) {
      // Deno KV before PostgreSQL: a run that ends in between is found in PostgreSQL.
      const kept = await store.find(account_id, id);
      const ended = await findOutcome(sql, account_id, id);
      if (ended) return endedState(id, ended);
      if (!kept) return undefined;
      if (performance.now() + pause_ms > until || waits.ended.aborted) return pendingState(kept.head);
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

    async inspect(account_id: number, id: string): Promise<RunDetail | undefined> {
      const job = jobs.get(id);
      if (job?.journal && job.head.account_id === account_id) {
        return { head: job.head, input: await store.inputOf(job.head) ?? {}, steps: boundedSteps(job.journal.seen()) };
      }
      const kept = await store.find(account_id, id);
      if (!kept) return undefined;
      const [input = {}, steps] = await Promise.all([store.inputOf(kept.head), store.journalOf(id)]);
      return { head: job?.head ?? kept.head, input, steps: boundedSteps(steps) };
    },
  };
}
