/**
 * Composes the flow engine: it starts runs, continues runs of dead peers, and records how each run ends.
 *
 * A run costs two syncs to disk: its head in Deno KV before the caller gets its id, and its outcome in PostgreSQL before
 * the caller gets its data. The journal is kept in between only if a second effect follows a first.
 */
import { faultOf, type Log } from "../../log.ts";
import type { Flows } from "../flow.ts";
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
import { createCancels } from "./cancels.ts";
import { handOverAll } from "./handover.ts";
import { createInspection } from "./inspection.ts";
import { CANCELLED, CLOSING, LOST } from "./execution/interruption.ts";
import { createJobs, type Job } from "./jobs.ts";
import { LIMITS, type Limits } from "./limits.ts";
import type { Kept } from "../storage/run_store.ts";
import type { RunHead } from "./model.ts";
import { createOutcomes } from "./outcomes.ts";
import { createStarts } from "./start.ts";
import { createWaits } from "./waits.ts";
import { createWatchers } from "./watchers.ts";
import { createWork } from "./work.ts";
import { cancelWaiting } from "../waiting/cancel_waiting.ts";
import { sweepApprovals } from "../waiting/approval_store.ts";
import { createWakes } from "../waiting/wakes.ts";

/** The time between two sweeps. */
const SWEEP_MS = 60_000;

interface Deps extends Services {
  kv: Deno.Kv;
  clock: { now(): Date };
  log: Log;
  /** No other process can be alive: the embedded database's folder is locked. */
  alone: boolean;
  /** Called when the outcome of a trigger's run is recorded. */
  cronEnded?(cron_id: number): void;
}

export function createFlows(deps: Deps, given: Partial<Limits> = {}): Flows {
  const { sql, kv, log, clock } = deps;
  const limits = { ...LIMITS, ...given };
  const commits = createCommits(kv);
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
    waits: (at) => wakes.soon(at),
    ready: (id) => wakes.wakeReady(id),
  });
  const execute = createWork({
    services: deps,
    store,
    cancels: cancel_store,
    programs,
    outcomes,
    limits,
    clock,
    log,
    closing,
    proveOwned,
    notify,
  });
  const work = async (job: Job) => {
    const outcome = await execute(job);
    if (outcome && job.head.cron_id !== null) deps.cronEnded?.(job.head.cron_id);
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
    programs,
    store,
    heartbeat,
    limits,
    clock,
    closing,
    count: jobs.count,
    enqueue(kept) {
      cancels.watch();
      jobs.add(kept, false);
    },
  });

  const hasRoom = () => !closing.aborted && jobs.count() < limits.most;
  const resume = (kept: Kept) => {
    cancels.watch();
    jobs.add(kept, true);
  };

  const takeover = createTakeover({
    sql,
    store,
    heartbeat,
    peers: createPeers(lease_store, limits.lease_ms, undefined, deps.alone),
    log,
    hasRoom,
    isOwn: (id) => jobs.get(id) !== undefined || starts.isStarting(id) || wakes.isWaking(id) || outcomes.isRemoving(id),
    resume,
  });

  const wakes = createWakes({ sql, store, heartbeat, clock, log, hasRoom, resume });

  let next_takeover: ReturnType<typeof setTimeout> | undefined;

  return {
    start: starts.start,
    ...createRehearsals(deps, clock),
    ...createInspection({ sql, store, jobs, waits, clock }),

    async cancel(account_id, id) {
      // Twice, because a run may begin to wait between the two looks.
      for (let look = 0; look < 2; look++) {
        const waiting = await cancelWaiting({ sql, store }, account_id, id, clock.now());
        if (waiting) {
          if (waiting.cron_id !== null) deps.cronEnded?.(waiting.cron_id);
          notify(account_id);
          return true;
        }
        if (!await store.find(account_id, id)) continue;
        await cancel_store.request(id);
        jobs.get(id)?.controller.abort(CANCELLED);
        return true;
      }
      return false;
    },

    wake: wakes.wakeReady,
    watch,
    forget: programs.forget,

    async sweep() {
      if (closing.aborted) return;
      const next_ms = await takeover.claimAll();
      await wakes.wakeDue();
      await sweepHistory(sql, clock.now());
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
