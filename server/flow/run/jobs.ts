/** Jobs: the runs that wait or are executed in this process. */
import { createFairLimiter } from "../../fairness/fair_limiter.ts";
import { createInFlight } from "../../fairness/in_flight.ts";
import { faultOf, type Log } from "../../log.ts";
import type { Kept } from "../storage/run_store.ts";
import { Interrupted } from "./execution/interruption.ts";
import type { KeptJournal } from "./execution/journal.ts";
import type { Limits } from "./limits.ts";
import type { RecordedOutcome, RunHead } from "./model.ts";
import { createSlots, shareOf, type Slot } from "./slots.ts";

export interface Job extends Kept {
  /** Aborts the execution, with a `RunFault` or an `Interrupted`. */
  controller: AbortController;
  /** Resolves to undefined if the run continues in a peer, or waits. */
  ended: PromiseWithResolvers<RecordedOutcome | undefined>;
  /** Undefined until the run is executed. */
  journal: KeptJournal | undefined;
  slot: Slot;
  /** The fair limiter has let it begin. */
  begun: boolean;
  /** Claimed from a previous owner, which may have kept entries of the journal. */
  resumed: boolean;
  /** When a new run was about to be stored, by the monotonic clock; undefined for a run that was claimed. */
  made_at: number | undefined;
}

export interface Jobs {
  /** @param made_at as {@linkcode Job} has it */
  add(kept: Kept, made_at?: number): void;
  get(id: string): Job | undefined;
  all(): Job[];
  /** Runs that wait or are executed, of the share of a run or of all. */
  count(of?: Pick<RunHead, "account_id" | "trigger">): number;
  /** Forgets the runs that wait. Those that wait for a slot end their work. */
  drain(): void;
}

interface Deps {
  limits: Limits;
  log: Log;
  /** Aborted when the engine closes: then no further run begins. */
  closing: AbortSignal;
  /** A run of the account begins or ends. */
  notify(account_id: number): void;
  /** Executes a run. @returns undefined if it waits. @throws {Interrupted} if it continues in a peer */
  work(job: Job): Promise<RecordedOutcome | undefined>;
}

export function createJobs({ limits, log, closing, notify, work }: Deps): Jobs {
  const jobs = createInFlight<Job>();
  const limiter = createFairLimiter({ total: limits.in_progress, per_account: limits.in_progress_per_account });
  const slots = createSlots(limits);

  async function begin(job: Job): Promise<void> {
    const { id, account_id } = job.head;
    job.begun = true;
    try {
      if (closing.aborted) return job.ended.resolve(undefined);
      await job.slot.enter();
      job.ended.resolve(await work(job));
    } catch (error) {
      // An interruption without a cause is expected: this process stops, or a peer owns the run.
      if (!(error instanceof Interrupted) || error.cause) {
        const cause = error instanceof Interrupted ? error.cause : error;
        log.error("a run was left behind", { run: id, ...faultOf(cause) });
      }
      job.ended.resolve(undefined);
    } finally {
      job.slot.leave();
      // While the engine closes, the job is kept to be handed over.
      if (!closing.aborted && jobs.get(id) === job) jobs.delete(id);
      notify(account_id);
    }
  }

  return {
    add(kept, made_at) {
      const { id, account_id } = kept.head;
      const controller = new AbortController();
      const job: Job = {
        ...kept,
        controller,
        slot: slots.slotOf(kept.head, controller.signal),
        ended: Promise.withResolvers(),
        journal: undefined,
        begun: false,
        resumed: made_at === undefined,
        made_at,
      };
      jobs.set(id, job);
      limiter.run(shareOf(kept.head), () => begin(job));
      notify(account_id);
    },
    get: jobs.get,
    all: jobs.values,
    count: (of) => limiter.count(of && shareOf(of)),
    drain() {
      limiter.drain();
      slots.drain();
    },
  };
}
