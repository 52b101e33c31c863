/**
 * The flow engine: begins runs, goes on with those that other processes left behind, and records how each ended.
 *
 * A run costs two syncs to a disk: its head in Deno KV before the caller is told, and its outcome in PostgreSQL before
 * the caller gets it. In between, the journal is kept only where a second effect follows a first.
 */
import type { Connectors } from "../../connectors/connectors.ts";
import type { Pool } from "../../database/pool.ts";
import { invalid, unavailable } from "../../errors.ts";
import { faultOf, type Log } from "../../log.ts";
import type { Databases } from "../../store/store.ts";
import { createFairLimiter } from "../../fairness/fair_limiter.ts";
import { createCancels } from "./cancels.ts";
import { execute } from "./execute.ts";
import { type Flows, NO_FLOW, type RunDetail } from "../flow.ts";
import { newHead, pendingState, stateOf } from "./heads.ts";
import {
  createHistory,
  type Ended,
  findOutcome,
  findSteps,
  isUnfit,
  type Recorded,
  withoutValues,
} from "../storage/history.ts";
import { CANCELLED, CLOSING, Interrupted, leave, LOST, TOO_LONG } from "./interruption.ts";
import { createJournal, type KeptJournal } from "./journal.ts";
import { LIMITS, type Limits } from "./limits.ts";
import { createOrphans } from "../lease/takeover.ts";
import { createOthers } from "../lease/peers.ts";
import { createOwner } from "../lease/heartbeat.ts";
import { callConnector } from "../steps/connector.ts";
import { createPrograms, findUser } from "../storage/program_cache.ts";
import { doRecordStep } from "../steps/record.ts";
import { isoOf, type Outcome, type RunHead } from "./run.ts";
import { createRunStore, type Kept } from "../storage/run_store.ts";
import { sweepHistory, VALUES_KEPT_HOURS } from "../storage/sweep.ts";
import { createWaits } from "./waits.ts";
import { createWatchers } from "./watchers.ts";

/** Processes that took a run and went away without a word, until it is given up. */
const MOST_LOST = 5;
/** What a run has noted elsewhere is swept away then. */
const MOST_AGE_MS = (VALUES_KEPT_HOURS - 1) * 3_600_000;
/** What a stop waits for; then the calls in hand are cut off. */
const CLOSING_MS = 2_500;
/** Between attempts to record an outcome, while the database is away. */
const RECORD_PAUSES_MS = [100, 300, 1_000, 3_000];

const UNREADABLE = "The flow's program cannot be read: save it again";

interface Deps {
  sql: Pool;
  kv: Deno.Kv;
  connectors: Connectors;
  dbs: Databases;
  clock: { now(): Date };
  log: Log;
  /** The outcome of a trigger's run is recorded. */
  cronEnded?(cron_id: number): void;
}

/** A run that waits or is executed here. */
interface Job extends Kept {
  controller: AbortController;
  /** Undefined where another process has it now. */
  ended: PromiseWithResolvers<Recorded | undefined>;
  journal: KeptJournal | undefined;
  /** Its turn has come. */
  begun: boolean;
  /** Claimed from another process, or begun from an earlier run's journal. */
  resumed: boolean;
}

export function createFlows(deps: Deps, given: Partial<Limits> = {}): Flows {
  const { sql, kv, log, clock } = deps;
  const limits = { ...LIMITS, ...given };
  const store = createRunStore(kv, sql);
  const programs = createPrograms(sql, log);
  const record = createHistory(sql);
  const limiter = createFairLimiter({ total: limits.at_once, per_account: limits.at_once_per_account });
  const jobs = new Map<string, Job>();
  const { tell, watch } = createWatchers();
  /** By run: not yet, and not any more, among `jobs`. */
  const making = new Set<string>();
  const removals = new Map<string, Promise<void>>();
  const waits = createWaits();
  let closing = false;
  let later: ReturnType<typeof setTimeout> | undefined;

  const owner = createOwner(store, limits.lease_ms, {
    lost() {
      log.warn("declared dead by another process", { runs: jobs.size });
      for (const job of jobs.values()) job.controller.abort(LOST);
    },
    silent: (error) => log.warn("could not say that it lives", faultOf(error)),
  });

  const cancels = createCancels({
    store,
    log,
    running: () => [...jobs.values()].filter(({ begun }) => begun).map(({ head }) => head.id),
    cut: (id) => jobs.get(id)?.controller.abort(CANCELLED),
  });

  const enqueue = (kept: Kept, resumed: boolean) => {
    const job: Job = {
      ...kept,
      controller: new AbortController(),
      ended: Promise.withResolvers(),
      journal: undefined,
      begun: false,
      resumed,
    };
    jobs.set(kept.head.id, job);
    cancels.watch();
    limiter.run(kept.head.account_id, async () => {
      job.begun = true;
      try {
        job.ended.resolve(closing ? undefined : await work(job));
      } catch (error) {
        if (!(error instanceof Interrupted) || error.cause) {
          const cause = error instanceof Interrupted ? error.cause : error;
          log.error("a run was left behind", { run: job.head.id, ...faultOf(cause) });
        }
        job.ended.resolve(undefined);
      } finally {
        if (!closing && jobs.get(job.head.id) === job) jobs.delete(job.head.id);
        tell(job.head.account_id);
      }
    });
    tell(kept.head.account_id);
  };

  async function work(job: Job): Promise<Recorded> {
    const { head, controller } = job;
    head.begun_at ??= clock.now().getTime();
    const late = setTimeout(
      () => controller.abort(TOO_LONG),
      Math.max(0, head.begun_at + limits.run_ms - clock.now().getTime()),
    );
    try {
      const [program, input] = await Promise.all([
        programs.read(head.flow_id, head.flow_version),
        store.inputOf(head),
      ]);
      job.journal = await journalOf(job);
      const outcome: Outcome = !program
        ? { status: "error", data: null, error: program === null ? UNREADABLE : "The flow was deleted" }
        : input === undefined || clock.now().getTime() - head.made_at > MOST_AGE_MS
        ? { status: "error", data: null, error: "Left behind for longer than a day" }
        : head.lost >= MOST_LOST
        ? { status: "error", data: null, error: `Given up: ${head.lost} processes went away while they worked on it` }
        : await execute({
          program: program.steps,
          input,
          user: program.names_user ? await findUser(sql, head) : null,
          run: {
            id: head.id,
            date: isoOf(head.begun_at).slice(0, 10),
            started_at: isoOf(head.begun_at),
            trigger: head.trigger,
          },
          journal: job.journal,
          signal: controller.signal,
          now: () => clock.now().getTime(),
          perform: (step, rendered, place, signal) =>
            step.type === "connector"
              ? callConnector(
                deps.connectors,
                {
                  account_id: head.account_id,
                  run_id: head.id,
                  public_only: head.user_id === null && head.trigger === "action",
                },
                step,
                rendered,
                place,
                signal,
              )
              : doRecordStep(
                deps,
                { account_id: head.account_id, run_id: head.id, user_id: head.user_id, attempts: head.attempts },
                step,
                rendered,
                place,
                signal,
              ),
        }).catch((error) => {
          if (error instanceof Interrupted) throw error;
          log.error("a run failed inside", { run: head.id, ...faultOf(error) });
          return { status: "error", data: null, error: "The server failed while it executed the flow" } as const;
        });
      const steps_done = job.journal.entries;
      const ended = { head, input: input ?? {}, outcome, steps: steps_done, finished_at: clock.now().getTime() };
      const told = await recorded(ended);
      // Another process may have come to another end, and been first; or is about to.
      const other = told ? undefined : await findOutcome(sql, head.account_id, head.id);
      if (!told && !other) await proveOwned(head);
      remove(job);
      if (head.cron_id !== null) deps.cronEnded?.(head.cron_id);
      return other ?? { ...told ?? outcome, app_id: head.app_id, action: head.action };
    } finally {
      clearTimeout(late);
    }
  }

  /** Nobody waits for it: the outcome is there, which whoever claims the run would find. */
  function remove({ head, versionstamp, journal, resumed }: Job): void {
    // Whoever had it before may have kept more than could be read.
    const removed = resumed ? store.clear(head) : store.remove({ head, versionstamp }, journal?.kept() ?? 0);
    const removal = removed.catch((error) => {
      log.warn("a run that has ended stays for now", { run: head.id, ...faultOf(error) });
    }).finally(() => removals.delete(head.id));
    removals.set(head.id, removal);
  }

  /** @throws {Interrupted} where others may have declared the process dead since it took the run */
  async function proveOwned(head: RunHead): Promise<void> {
    if (await owner.prove() !== head.owner) throw LOST;
  }

  /**
   * Waits for a store that is away, as long as this process may have the run.
   *
   * @returns what stands there now; undefined where it is another's
   */
  async function recorded(run: Ended): Promise<Outcome | undefined> {
    for (let attempt = 0, ended = run;; attempt++) {
      try {
        await proveOwned(ended.head);
        return await record(ended) ? ended.outcome : undefined;
      } catch (error) {
        if (closing || error instanceof Interrupted) throw error;
        log.warn("an outcome could not be recorded", { run: ended.head.id, ...faultOf(error) });
        // It would not be stored the next time either.
        if (isUnfit(error)) ended = withoutValues(ended);
      }
      const pause_ms = RECORD_PAUSES_MS[Math.min(attempt, RECORD_PAUSES_MS.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, pause_ms));
    }
  }

  async function journalOf(job: Job): Promise<KeptJournal> {
    const { head } = job;
    const of = head.retry?.of;
    const [kept, before] = await Promise.all([
      job.resumed ? store.journalOf(head.id) : [],
      of === undefined ? [] : findSteps(sql, head.account_id, of),
    ]);
    return createJournal({
      kept,
      before: before ?? [],
      from_step: head.retry?.from_step,
      isCancelled: () => store.isCancelled(head.id).catch(leave),
      async proveOwned() {
        if (closing) throw CLOSING;
        await proveOwned(head).catch(leave);
        job.controller.signal.throwIfAborted();
      },
      async keep(entries, first) {
        await proveOwned(head).catch(leave);
        const versionstamp = await store.checkpoint(job, entries, first).catch(leave);
        if (versionstamp === undefined) throw LOST;
        job.versionstamp = versionstamp;
        tell(head.account_id);
      },
    });
  }

  const orphans = createOrphans({
    sql,
    store,
    owner,
    others: createOthers(store, limits.lease_ms),
    log,
    hasRoom: () => !closing && limiter.count() < limits.most,
    isOwn: (id) => jobs.has(id) || making.has(id) || removals.has(id),
    goOn: (kept) => enqueue(kept, true),
  });

  return {
    async start(run) {
      if (closing) throw unavailable("The server is stopping", undefined, 1);
      const flow = await programs.find(run.account_id, run.flow_code);
      if (!flow) throw invalid({ flow_code: [NO_FLOW] });
      if (!flow.active) throw invalid({ flow_code: ["is not active"] });
      if (limiter.count() >= limits.most || limiter.count(run.account_id) >= limits.most_per_account) {
        throw unavailable("Too many runs wait", undefined, 5);
      }
      const head = newHead(run, flow, await owner.prove(), clock.now().getTime());
      making.add(head.id);
      try {
        const made = await store.create(head, run.idempotency_key);
        if ("id" in made) {
          if (made.same) return { id: made.id };
          throw invalid({ idempotency_key: ["has been used with another input"] });
        }
        enqueue(made, false);
        return { id: head.id };
      } finally {
        making.delete(head.id);
      }
    },

    async wait(account_id, id, wait_ms) {
      const until = performance.now() + wait_ms;
      const job = jobs.get(id);
      if (job?.head.account_id === account_id) {
        const ended = await waits.within(job.ended.promise, wait_ms);
        if (ended) return stateOf(id, ended);
        if (ended === null) return pendingState(job.head);
      }
      // Another process has it, or had it.
      for (let pause_ms = 50;; pause_ms = Math.min(2 * pause_ms, 1_000)) {
        const kept = await store.find(account_id, id);
        const ended = await findOutcome(sql, account_id, id);
        if (ended) return stateOf(id, ended);
        if (!kept) return undefined;
        if (performance.now() + pause_ms > until || waits.ended.aborted) return pendingState(kept.head);
        await new Promise((resolve) => setTimeout(resolve, pause_ms));
      }
    },

    async cancel(account_id, id) {
      const kept = await store.find(account_id, id);
      if (!kept) return false;
      await store.requestCancel(id);
      jobs.get(id)?.controller.abort(CANCELLED);
      return true;
    },

    // What has begun here is not kept before its first effect.
    pending: async (account_id, most) =>
      (await store.newest(account_id, most)).map((head) => jobs.get(head.id)?.head ?? head),

    async inspect(account_id, id): Promise<RunDetail | undefined> {
      const job = jobs.get(id);
      if (job?.journal && job.head.account_id === account_id) {
        return { head: job.head, input: await store.inputOf(job.head) ?? {}, steps: job.journal.seen() };
      }
      const kept = await store.find(account_id, id);
      if (!kept) return undefined;
      const [input = {}, steps] = await Promise.all([store.inputOf(kept.head), store.journalOf(id)]);
      return { head: job?.head ?? kept.head, input, steps };
    },

    watch,
    forget: (account_id) => programs.forget(account_id),

    async sweep() {
      if (closing) return;
      const again_ms = await orphans.claim();
      await sweepHistory(sql, clock.now());
      // A process that went away just before a start is not dead yet: its runs need not wait for the next minute.
      clearTimeout(later);
      if (again_ms !== undefined && again_ms < 60_000 && !closing) {
        later = setTimeout(
          () => void orphans.claim().catch((error) => log.warn("sweep failed", faultOf(error))),
          again_ms + 100,
        );
      }
    },

    stopping: waits.ended,
    endWaits: waits.end,

    async close() {
      closing = true;
      waits.end();
      clearTimeout(later);
      cancels.end();
      // What it takes yet is handed over with the rest.
      await orphans.settled();
      limiter.drain();
      const inHand = [...jobs.values()];
      const cut = setTimeout(() => inHand.forEach(({ controller }) => controller.abort(CLOSING)), CLOSING_MS);
      await Promise.all(inHand.filter(({ begun }) => begun).map(({ ended }) => ended.promise));
      clearTimeout(cut);
      await Promise.all(inHand.map((job) => release(job)));
      await Promise.all(removals.values());
      await owner.end();
    },
  };

  /** Lets whoever comes first go on with it. */
  async function release(job: Job): Promise<void> {
    try {
      if (await Promise.race([job.ended.promise, undefined])) return;
      await job.journal?.keep();
      await store.checkpoint({ head: { ...job.head, owner: "" }, versionstamp: job.versionstamp });
    } catch (error) {
      log.warn("a run was not handed over", { run: job.head.id, ...faultOf(error) });
    }
  }
}
