/**
 * Composes the flow engine: it starts runs, continues runs of dead peers, and records how each run ends.
 *
 * A run costs two syncs to disk: its head in Deno KV before the caller gets its id, and its outcome in PostgreSQL before
 * the caller gets its data. The journal is kept in between only if a second effect follows a first.
 */
import { faultOf, type Log } from "../../log.ts";
import type { Flows } from "../flow.ts";
import type { Keys } from "../../secrets/keys.ts";
import { createHeartbeat } from "../lease/heartbeat.ts";
import { createPeers } from "../lease/peers.ts";
import { createTakeover } from "../lease/takeover.ts";
import type { Services } from "../steps/step_type.ts";
import { createCancelStore } from "../storage/cancel_store.ts";
import { createCommits } from "../storage/group_commit.ts";
import { createLeaseStore } from "../storage/lease_store.ts";
import { createPrograms } from "../storage/program_cache.ts";
import { createRehearsals } from "../rehearsal/rehearsal.ts";
import { createRunStore } from "../storage/run_store.ts";
import { sweepHistory } from "../storage/sweep.ts";
import { CANCEL_SEEN_MS, createCancels } from "./cancels.ts";
import { createPassOn } from "./failures.ts";
import { handOverAll } from "./handover.ts";
import { createInspection } from "./inspection.ts";
import { CANCELLED, CLOSING, LOST } from "./execution/interruption.ts";
import { createJobs, type Job } from "./jobs.ts";
import { LIMITS, type Limits } from "./limits.ts";
import type { Kept } from "../storage/run_store.ts";
import type { RunHead, StepRecord } from "./model.ts";
import { createOutcomes } from "./outcomes.ts";
import { createStarts } from "./start.ts";
import { createWaits } from "./waits.ts";
import { createWatchers } from "./watchers.ts";
import { createWork } from "./work.ts";
import { cancelWaiting } from "../waiting/cancel_waiting.ts";
import { closeExpired, sweepApprovals } from "../waiting/approval_store.ts";
import { createTurns } from "../waiting/turns.ts";
import { createWakes } from "../waiting/wakes.ts";

/** The time between two sweeps. */
const SWEEP_MS = 60_000;

interface Deps extends Omit<Services, "runs"> {
  kv: Deno.Kv;
  keys: Keys;
  clock: { now(): Date };
  log: Log;
  /** No other process can be alive: the embedded database's folder is locked. */
  alone: boolean;
  /** Called when the outcome of a trigger's run is recorded. */
  cronEnded?(cron_id: number): void;
}

export function createFlows(deps: Deps, given: Partial<Limits> = {}): Flows {
  const { sql, kv, keys, log, clock } = deps;
  const limits = { ...LIMITS, ...given };
  const commits = createCommits(kv, limits.checks_at_once);
  const store = createRunStore(kv, commits, sql);
  const cancel_store = createCancelStore(kv, commits);
  const lease_store = createLeaseStore(kv, commits);
  const programs = createPrograms(sql, log);
  const { notify, watch } = createWatchers();
  const waits = createWaits();
  const closer = new AbortController();
  const closing = closer.signal;

  const heartbeat = createHeartbeat(lease_store, limits.lease_ms, {
    lost() {
      const running = jobs.all();
      log.warn("declared dead by another process", { runs: running.length });
      for (const { controller } of running) controller.abort(LOST);
    },
    failed: (error) => log.warn("could not say that it lives", faultOf(error)),
  });

  const proveOwned = async (head: RunHead): Promise<void> => {
    if (await heartbeat.prove() !== head.owner) throw LOST;
  };

  const outcomes = createOutcomes({
    sql,
    store,
    log,
    closing,
    proveOwned,
    passOn: (head) => passOn(head),
    waits: (at) => wakes.soon(at),
    ready: (id) => wakes.wakeReady(id),
  });
  const services: Services = {
    ...deps,
    runs: {
      start: (run) => starts.start(run),
      exists: async (account_id, id) => await inspection.wait(account_id, id, 0) !== undefined,
      cancel: (account_id, id) => cancel(account_id, id),
    },
  };
  const turns = createTurns({ sql, store, clock, lease_ms: limits.lease_ms, wakeDue: () => wakes.wakeDue() });
  const passOn = createPassOn({ sql, users: deps.users, programs, runs: services.runs, log });
  const execute = createWork({
    services,
    keys,
    store,
    cancels: cancel_store,
    programs,
    outcomes,
    turns,
    limits,
    clock,
    log,
    closing,
    proveOwned,
    notify,
  });
  /**
   * Wakes the parent of an ended run, cancels its children and passes its turn on.
   *
   * @param awaited ids of the child runs that the ended run was still waiting for
   */
  const noteEnd = async (head: RunHead, awaited: readonly string[]) => {
    const { account_id, cron_id, parent } = head;
    if (cron_id !== null) deps.cronEnded?.(cron_id);
    // If this fails, the next sweep wakes the parent and passes the turn on, and the children end by themselves.
    const ends: Promise<unknown>[] = awaited.map((id) => cancel(account_id, id));
    if (parent) ends.push(wakes.wakeReady(parent.id));
    if (head.takes_turn) ends.push(turns.pass(head));
    await Promise.all(ends).catch((error) => log.warn("the end of a run was not passed on", faultOf(error)));
  };

  const work = async (job: Job) => {
    const outcome = await execute(job);
    if (outcome) await noteEnd(job.head, (job.journal?.entries ?? []).flatMap(awaitedRun));
    else await cancelIfRequested(job.head);
    return outcome;
  };
  const jobs = createJobs({ limits, log, closing, notify, work });

  const cancels = createCancels({
    store: cancel_store,
    log,
    running: () => jobs.all().filter(({ begun }) => begun).map(({ head }) => head.id),
    cancel: (id) => jobs.get(id)?.controller.abort(CANCELLED),
  });

  const starts = createStarts({
    users: deps.users,
    keys,
    programs,
    store,
    heartbeat,
    turns,
    limits,
    clock,
    closing,
    count: jobs.count,
    enqueue(kept, made_at) {
      cancels.watch();
      jobs.add(kept, made_at);
    },
  });

  const hasRoom = () => !closing.aborted && jobs.count() < limits.most;
  const resume = (kept: Kept) => {
    cancels.watch();
    jobs.add(kept);
  };

  const takeover = createTakeover({
    sql,
    store,
    heartbeat,
    peers: createPeers(lease_store, limits.lease_ms, undefined, deps.alone),
    log,
    hasRoom,
    isOwn: (id) => jobs.get(id) !== undefined || starts.isStarting(id) || wakes.isWaking(id) || outcomes.isRemoving(id),
    passOn,
    resume,
  });

  const wakes = createWakes({ sql, store, heartbeat, clock, log, hasRoom, resume });

  const inspection = createInspection({ sql, store, jobs, waits, clock });

  async function cancel(account_id: number, id: string): Promise<boolean> {
    // Twice, because a run may begin to wait between the two looks.
    for (let look = 0; look < 2; look++) {
      if (await endWaiting(account_id, id)) return true;
      if (!await store.find(account_id, id)) continue;
      await cancel_store.request(id);
      const own = jobs.get(id);
      own?.controller.abort(CANCELLED);
      // Its owner may have looked for a request just before.
      if (!own) await new Promise((resolve) => setTimeout(resolve, CANCEL_SEEN_MS));
      // The run may have begun to wait, and have looked for the request before it was there.
      await endWaiting(account_id, id);
      return true;
    }
    return false;
  }

  /** Cancels a run that waits. @returns whether it did */
  async function endWaiting(account_id: number, id: string): Promise<boolean> {
    const waiting = await cancelWaiting({ sql, store }, account_id, id, clock.now());
    if (!waiting) return false;
    await noteEnd(waiting.head, waiting.steps.flatMap(awaitedRun));
    notify(account_id);
    return true;
  }

  /** For a run that has just begun to wait. A cancel that was requested meanwhile may have found no run that waits. */
  async function cancelIfRequested({ account_id, id }: RunHead): Promise<void> {
    try {
      if (await cancel_store.has(id)) await endWaiting(account_id, id);
    } catch (error) {
      // The run looks again when it is woken.
      log.warn("a cancel was not looked for", { run: id, ...faultOf(error) });
    }
  }

  let next_takeover: ReturnType<typeof setTimeout> | undefined;

  return {
    start: starts.start,
    ...createRehearsals(services, keys, clock),
    ...inspection,

    cancel,
    wake: wakes.wakeReady,
    passTurns: (account_id, flow_id) => turns.pass({ account_id, flow_id }),
    watch,
    load: () => ({ in_progress: jobs.count(), executed: jobs.all().filter(({ begun }) => begun).length }),
    forget: programs.forget,

    async sweep() {
      if (closing.aborted) return;
      const next_ms = await takeover.claimAll();
      await turns.sweep();
      await wakes.wakeDue();
      await sweepHistory(sql, clock.now());
      await closeExpired(sql, clock.now(), 1_000);
      await sweepApprovals(sql, clock.now(), 1_000);
      // A peer that died just before this sweep is not dead yet. Its runs need not wait for the next sweep.
      clearTimeout(next_takeover);
      if (next_ms === undefined || next_ms >= SWEEP_MS || closing.aborted) return;
      next_takeover = setTimeout(
        () => void takeover.claimAll().catch((error) => log.warn("sweep failed", faultOf(error))),
        next_ms + 100,
      );
    },

    stopping: waits.ended,
    endWaits: waits.end,

    async close() {
      closer.abort(CLOSING);
      waits.end();
      clearTimeout(next_takeover);
      cancels.end();
      // Runs that are being claimed become jobs, which are handed over with the others.
      await takeover.settled();
      await wakes.end();
      jobs.drain();
      await handOverAll(jobs.all(), store, log);
      await deps.evaluations.close();
      await outcomes.removed();
      await heartbeat.end();
    },
  };
}

/** The run that a step of type `flow` still awaits. */
const awaitedRun = ({ type, status, begun }: StepRecord): string[] =>
  type === "flow" && status === "waiting" && begun?.awaits ? [begun.awaits] : [];
