/** Executes one job: reads its program and input, executes it, and settles its outcome. */
import { setDeadline } from "../../fairness/deadlines.ts";
import type { JsonObject } from "../../input/json_value.ts";
import { faultOf, type Log } from "../../log.ts";
import { NoReach, reachOfRun } from "../../reach.ts";
import { type Keys, Unreadable } from "../../secrets/keys.ts";
import { createHidingOfRun, type Hiding } from "../secret/hiding.ts";
import { resealed, secretTexts, unmasked, unseal } from "../secret/seal.ts";
import type { Services } from "../steps/step_type.ts";
import type { CancelStore } from "../storage/cancel_store.ts";
import { findSteps } from "../storage/history.ts";
import type { Turns } from "../waiting/turns.ts";
import { findEarlier, isFull, MOST_WAITING, type Wait } from "../waiting/wait_store.ts";
import { findUser, type KnownProgram, type Programs } from "../storage/program_cache.ts";
import type { RunStore } from "../storage/run_store.ts";
import { VALUES_KEPT_HOURS } from "../storage/sweep.ts";
import { endedBy, execute } from "./execution/execute.ts";
import {
  CANCELLED,
  CLOSING,
  interrupt,
  Interrupted,
  LOST,
  RunFault,
  Suspended,
  TOO_LONG,
} from "./execution/interruption.ts";
import type { Job } from "./jobs.ts";
import { createLook } from "./cancels.ts";
import { createJournal, type KeptJournal } from "./execution/journal.ts";
import type { Limits } from "./limits.ts";
import { isoOf } from "../../database/iso_time.ts";
import type { Outcome, RecordedOutcome, RunHead } from "./model.ts";
import type { Outcomes } from "./outcomes.ts";
import { type Patience, untilStored } from "./execution/recovery.ts";

/** A run ends with an error after so many processes died while they executed it: it may be what kills them. */
const MOST_LOST = 5;
/** As long as a run may wait at a step. */
const MOST_QUEUED_DAYS = 30;
/** An older run is not continued, because the sweep deletes its values and claims. */
const MOST_AGE_MS = (VALUES_KEPT_HOURS - 1) * 3_600_000;

interface Deps {
  services: Services;
  keys: Keys;
  store: RunStore;
  cancels: CancelStore;
  programs: Programs;
  outcomes: Outcomes;
  turns: Turns;
  limits: Limits;
  clock: { now(): Date };
  log: Log;
  closing: AbortSignal;
  /** @throws {Interrupted} if a peer may own the run */
  proveOwned(head: RunHead): Promise<void>;
  /** A run of the account has advanced. */
  notify(account_id: number): void;
}

/**
 * @returns a function that executes a job. It returns the outcome, or undefined if the run waits. It throws {Interrupted} if
 *   the run continues in a peer.
 */
export function createWork(deps: Deps): (job: Job) => Promise<RecordedOutcome | undefined> {
  const { services, keys, store, cancels, programs, outcomes, turns, limits, log, closing, proveOwned, notify } = deps;
  const now = () => deps.clock.now().getTime();

  async function journalOf(job: Job, patience: Patience, hiding: Hiding | undefined): Promise<KeptJournal> {
    const { head } = job;
    const repeated = head.retry?.of;
    const stored = <T>(work: () => Promise<T>) => untilStored(patience, work).catch(interrupt);
    const [earlier, kept, before] = await Promise.all([
      job.resumed ? findEarlier(services.sql, head.id) : [],
      job.resumed ? store.journalOf(head.id) : [],
      repeated === undefined ? [] : findSteps(services.sql, head.account_id, repeated),
    ]);
    return createJournal({
      earlier,
      kept,
      before: before ?? [],
      hiding,
      repetition: head.retry,
      isCancelled: createLook(() => stored(() => cancels.has(head.id)), job.made_at),
      async proveOwned() {
        if (closing.aborted) throw CLOSING;
        await stored(() => proveOwned(head));
        patience.signal.throwIfAborted();
      },
      async keep(entries, first) {
        await stored(() => proveOwned(head));
        const versionstamp = await stored(() => store.checkpoint(job, entries, first));
        if (versionstamp === undefined) throw LOST;
        job.versionstamp = versionstamp;
        notify(head.account_id);
      },
    });
  }

  /** Why a run cannot be executed. */
  function obstacleOf(head: RunHead, program: KnownProgram | null | undefined, input: unknown): string | undefined {
    if (program === null) return "The flow's program cannot be read: save it again";
    if (program === undefined) return "The flow was deleted";
    if (input === undefined || head.woken_at === undefined && now() - head.made_at > MOST_AGE_MS) {
      return "Left behind for longer than a day";
    }
    if (head.lost >= MOST_LOST) return `Given up: ${head.lost} processes went away while they worked on it`;
  }

  /** Read for each attempt of an effect, so that a change of users or departments holds for runs in progress. */
  const reachOf = (head: RunHead, program: KnownProgram, patience: Patience) =>
    untilStored(patience, () =>
      reachOfRun(services.users, head, program).catch((error) => {
        throw error instanceof NoReach ? new RunFault(error.message) : error;
      }));

  /** Before the first step. @throws {Suspended} if other runs of the flow come first; {RunFault | Interrupted} */
  async function awaitTurn(head: RunHead, patience: Patience): Promise<void> {
    if (!isQueued(head)) return;
    if (!await untilStored(patience, () => turns.holds(head))) {
      const until = head.made_at + MOST_QUEUED_DAYS * 86_400_000;
      if (now() >= until) throw new RunFault(`It was not this run's turn for ${MOST_QUEUED_DAYS} days (max_at_once)`);
      throw new Suspended({ until, awaits: [head.id] });
    }
    segmentOf(head);
    head.begun_at ??= now();
  }

  /** @throws {RunFault | Interrupted | Suspended} */
  async function executeJob(job: Job, patience: Patience, { input, hiding }: OpenInput): Promise<Outcome> {
    const { head } = job;
    await awaitTurn(head, patience);
    const program = await untilStored(patience, () => programs.read(head));
    const journal = job.journal = await untilStored(patience, () => journalOf(job, patience, hiding));
    const obstacle = obstacleOf(head, program, input);
    if (obstacle !== undefined || !program || !input) return failed(obstacle ?? "");
    // A run that was taken over may be what kills processes. That it has begun is stored before its first step.
    if (job.resumed) {
      await journal.mark();
      // It may have been cancelled while nobody had it, or while it began to wait.
      if (await untilStored(patience, () => cancels.has(head.id))) throw CANCELLED;
    }
    const user = program.names_user ? await untilStored(patience, () => findUser(services.sql, head)) : null;
    // Not the start of the first step, which is another one after a takeover.
    const started_at = isoOf(head.made_at);
    const run = { id: head.id, date: started_at.slice(0, 10), started_at, trigger: head.trigger };
    const reach = () => reachOf(head, program, patience);
    const { steps, output } = program;
    const seen = { input, user, run };
    return await execute({ program: steps, output, hiding, head, ...seen, journal, services, reach, patience, now });
  }

  /** @returns the outcome if the run may not wait */
  async function suspend(job: Job, patience: Patience, wait: Wait): Promise<Outcome | undefined> {
    const { head } = job;
    // It was counted when it was started.
    if (isQueued(head)) return void await outcomes.suspend(job, wait);
    if (await untilStored(patience, () => isFull(services.sql, head.account_id))) {
      return failed(`${MOST_WAITING} runs of the account wait already`);
    }
    head.worked_ms = (head.worked_ms ?? 0) + now() - segmentOf(head);
    await outcomes.suspend(job, wait);
  }

  /** Since when the run is at work without a wait. */
  const segmentOf = (head: RunHead): number =>
    head.woken_at === undefined ? head.begun_at ??= now() : head.segment_at ??= now();

  return async (job) => {
    const { head, controller: { signal } } = job;
    const at = now();
    if (!isQueued(head)) head.begun_at ??= at;
    head.working = true;
    const since = isQueued(head) ? at : segmentOf(head);
    const left_ms = Math.max(0, since + limits.run_ms - (head.worked_ms ?? 0) - at);
    const takeBack = setDeadline(left_ms, () => job.controller.abort(TOO_LONG));
    const waits = (error: unknown) => log.warn("a run waits for a store", { run: head.id, ...faultOf(error) });
    const patience: Patience = { signal, waits, idle: job.slot.idle };
    try {
      const reading = untilStored(patience, () => store.inputOf(head));
      const opening = reading.then((input) => openInput(keys, head, input));
      const execution = opening.then((open) => executeJob(job, patience, open));
      const ended = await execution.catch((error) => {
        if (error instanceof Interrupted) throw error;
        if (error instanceof Suspended) return suspend(job, patience, error.wait);
        if (error instanceof RunFault) return endedBy(error);
        if (error instanceof Unreadable) return failed(`The secret inputs cannot be read: ${error.message}`);
        log.error("a run failed inside", { run: head.id, ...faultOf(error) });
        return failed("The server failed while it executed the flow");
      });
      if (!ended) return undefined;
      // If a store could not be read, that is the outcome already.
      const { hiding } = await opening.catch(() => NOTHING);
      const outcome = hiding ? await hiding.outcome(ended) : ended;
      const input = await reading.catch(() => undefined);
      return await outcomes.settle(job, {
        head,
        input: input ?? {},
        outcome,
        steps: await job.journal?.shown() ?? [],
        finished_at: now(),
      });
    } finally {
      takeBack();
    }
  };
}

/** Whether it may still have to wait for its turn. */
const isQueued = (head: RunHead): boolean => head.takes_turn === true && head.begun_at === null;

/** The input as templates see it. */
interface OpenInput {
  /** Undefined if it was swept away. */
  input: JsonObject | undefined;
  hiding?: Hiding | undefined;
}

const NOTHING: OpenInput = { input: undefined };

/** Secrets are encrypted with the first of the keys from now on. @throws {Unreadable} */
function openInput(keys: Keys, head: RunHead, input: JsonObject | undefined): OpenInput {
  if (head.sealed === undefined || !input) return { input, hiding: createHidingOfRun([]) };
  head.sealed = resealed(keys, head, head.sealed);
  const secrets = unseal(keys, head, head.sealed);
  return { input: unmasked(input, secrets), hiding: createHidingOfRun(secretTexts(secrets)) };
}

const failed = (error: string): Outcome => ({ status: "error", data: null, error });
