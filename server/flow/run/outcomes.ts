/** The end of a run: records its outcome in PostgreSQL, then removes the run from Deno KV. */
import type { Sql } from "../../database/pool.ts";
import { createInFlight } from "../../fairness/in_flight.ts";
import { faultOf, type Log } from "../../log.ts";
import { findOutcome } from "../storage/history.ts";
import { forgetWait, suspend, type Wait } from "../waiting/wait_store.ts";
import { createRecordOutcome, type EndedRun, isUnstorable, withoutValues } from "../storage/record_outcomes.ts";
import type { RunStore } from "../storage/run_store.ts";
import type { PassOn } from "./failures.ts";
import { ownerOf } from "./heads.ts";
import type { Job } from "./jobs.ts";
import type { Outcome, RecordedOutcome, RunHead } from "./model.ts";
import { LOST } from "./execution/interruption.ts";
import { type Patience, untilStored } from "./execution/recovery.ts";

interface Deps {
  sql: Sql;
  store: RunStore;
  log: Log;
  closing: AbortSignal;
  /** @throws {Interrupted} if a peer may own the run */
  proveOwned(head: RunHead): Promise<void>;
  /** A run waits until a moment, in milliseconds since 1970. */
  waits(at: number): void;
  /** The run has ended in error. */
  passOn: PassOn;
  /** Wakes the run if what it awaits has ended. */
  ready(id: string): Promise<void>;
}

export interface Outcomes {
  /**
   * Waits for PostgreSQL as long as this process owns the run.
   *
   * @returns the outcome that is recorded: that of a previous owner, if it was faster
   * @throws {Interrupted} if a peer may own the run
   */
  settle(job: Job, ended: EndedRun): Promise<RecordedOutcome>;
  /**
   * Suspends the run: it is a row of PostgreSQL until it is woken.
   *
   * @throws {Interrupted} if a peer may own the run
   */
  suspend(job: Job, wait: Wait): Promise<void>;
  isRemoving(id: string): boolean;
  /** Resolves when no removal is in progress. */
  removed(): Promise<void>;
}

export function createOutcomes({ sql, store, log, closing, proveOwned, passOn, waits, ready }: Deps): Outcomes {
  const record = createRecordOutcome(sql);
  const removals = createInFlight<Promise<void>>();

  /** @returns the recorded outcome; undefined if PostgreSQL refused it, for another outcome or a later claim */
  const recordDurably = (job: Job, run: EndedRun): Promise<Outcome | undefined> =>
    untilStored(patienceOf(job), async () => {
      await proveOwned(run.head);
      try {
        return await record(run) ? run.outcome : undefined;
      } catch (error) {
        if (!isUnstorable(error)) throw error;
        log.warn("an outcome cannot be stored", { run: run.head.id, ...faultOf(error) });
        const ended = withoutValues(run);
        return await record(ended) ? ended.outcome : undefined;
      }
    });

  /** Unlike a run, its outcome waits without a limit. */
  const patienceOf = ({ head: { id }, slot: { idle } }: Job): Patience => ({
    signal: closing,
    waits: (error) => log.warn("an outcome could not be recorded", { run: id, ...faultOf(error) }),
    idle,
  });

  /** In the background: a takeover would find the outcome and remove the run, too. */
  async function remove(job: Job): Promise<void> {
    const { head, versionstamp, journal, resumed } = job;
    // A previous owner may have kept more entries than this process could read.
    if (head.woken_at !== undefined) await untilStored(patienceOf(job), () => forgetWait(sql, head.id));
    const removed = resumed ? store.clear(head) : store.remove({ head, versionstamp }, journal?.kept() ?? 0);
    noteRemoval(head.id, removed);
  }

  function noteRemoval(id: string, removed: Promise<void>): void {
    const removal = removed.catch((error) => {
      log.warn("a run that has ended or waits stays for now", { run: id, ...faultOf(error) });
    }).finally(() => removals.delete(id));
    removals.set(id, removal);
  }

  return {
    async settle(job, ended) {
      const { head } = job;
      const recorded = await recordDurably(job, ended);
      const find = () => findOutcome(sql, head.account_id, head.id);
      const other = recorded ? undefined : await untilStored(patienceOf(job), find);
      // Refused without another outcome: a peer has claimed the run, or the account was deleted.
      if (!recorded && !other) await untilStored(patienceOf(job), () => proveOwned(head));
      const outcome = other ??
        { ...recorded ?? ended.outcome, ...ownerOf(head) };
      // Otherwise it stays in Deno KV, where the next takeover finds it.
      if (outcome.status !== "error" || await passOn(head)) await remove(job);
      return outcome;
    },
    async suspend(job, wait) {
      const { head, journal, versionstamp } = job;
      const steps = await journal?.shown() ?? [];
      const stored = await untilStored(patienceOf(job), async () => {
        await proveOwned(head);
        return await suspend(sql, head, steps, wait);
      });
      if (!stored) throw LOST;
      noteRemoval(head.id, store.release({ head, versionstamp }));
      // What it awaits may have ended before its row was there.
      if (wait.awaits.length > 0) await untilStored(patienceOf(job), () => ready(head.id));
      waits(wait.until);
    },
    isRemoving: removals.has,
    removed: async () => void await Promise.all(removals.values()),
  };
}
