/** Shares out requests to the compile workers: one request at a time each, accounts in turn. */
import { createFairQueue } from "../../fairness/fair_limiter.ts";
import { CompilerBusy, type Engine } from "../compiler.ts";
import type { Answer } from "../protocol.ts";
import { createSlot, type Slot, type SlotOptions, type Unnumbered } from "./slot.ts";

export interface PoolOptions extends SlotOptions {
  /** Workers at most. One starts with the first request, a further one when requests have waited for a while. */
  workers: number;
  queue_limit: number;
  /** Milliseconds that requests wait before a further worker starts. */
  further_worker_after_ms?: number | undefined;
  /** Whether there should be one worker, because workers share memory. */
  shares_memory?: () => boolean;
}

export interface Pool {
  /**
   * @param signal ends the wait for a worker, with its reason
   * @throws {CostlySource} where the source costs too much time or memory, or crashes the worker
   * @throws {CompilerBusy} where the queue is full, or no worker lives long enough
   */
  perform(request: Unnumbered, account: number, limit_ms: number, signal?: AbortSignal): Promise<Answer>;
  /** Starts one worker, for a Svelte app. */
  warm(): Promise<void>;
  load(): PoolLoad;
  close(): Promise<void>;
}

export interface PoolLoad {
  /** At most. */
  workers: number;
  /** Those that have started. */
  ready: number;
  busy: number;
  /** Requests that wait for a worker. */
  waiting: number;
}

interface Job {
  request: Unnumbered;
  limit_ms: number;
  signal: AbortSignal | undefined;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Half the time that a worker takes to start: shorter queues are done before another worker could help. */
const FURTHER_WORKER_AFTER_MS = 250;

/** Seconds per waiting source that a refused client is asked to wait. Honest sources take a tenth. */
const SECONDS_A_SOURCE = 0.5;

/** How long workers beside the first wait for work. A second is rare, and holds 100 MB. */
const FURTHER_IDLE_MS = 5_000;

export function createPool(
  { workers, queue_limit, further_worker_after_ms = FURTHER_WORKER_AFTER_MS, shares_memory = () => false, ...options }:
    PoolOptions,
): Pool {
  const queue = createFairQueue<Job>({ waiting: queue_limit });
  const slots = Array.from({ length: workers }, (_, index) => {
    const idle_ms = index === 0 ? options.idle_ms : Math.min(options.idle_ms, FURTHER_IDLE_MS);
    return createSlot({ ...options, idle_ms });
  });
  /** Slots that work on a request, with its account. */
  const busy = new Map<Slot, number>();
  /** One account never holds all workers, or its slow sources would delay those of all others. */
  const most_per_account = Math.max(1, workers - 1);
  const mayRun = (account: number) =>
    busy.values().filter((other) => other === account).toArray().length < most_per_account;
  /** Slots whose worker starts for a waiting request. */
  const starting = new Set<Slot>();
  /** Starts a further worker, unless the queue is empty by then. */
  let further: ReturnType<typeof setTimeout> | undefined;
  /** Of the last request: what a new worker warms up for. */
  let last_engine: Engine = "svelte";
  let closed = false;

  const freeSlots = () => slots.filter((slot) => !busy.has(slot));

  function pump() {
    for (const slot of freeSlots().filter(({ state }) => state === "ready")) take(slot);
    if (!queue.has(mayRun) || starting.size > 0) return;
    const free = freeSlots();
    const next = free.find(({ state }) => state === "starting") ?? free[0];
    if (!next) return;
    if (next.state === "starting" || slots.every(({ state }) => state === "empty")) start(next);
    else if (!shares_memory()) {
      further ??= setTimeout(() => {
        further = undefined;
        if (queue.has(mayRun)) start(next);
      }, further_worker_after_ms);
    }
  }

  function take(slot: Slot) {
    const next = queue.next(mayRun);
    if (!next) return;
    const { request, limit_ms, signal, resolve, reject } = next.job;
    busy.set(slot, next.account);
    void slot.perform(request, limit_ms, signal).then(resolve, reject).finally(() => {
      busy.delete(slot);
      pump();
    });
  }

  /** The queue keeps the request until the worker is ready: another worker may be free earlier. */
  function start(slot: Slot) {
    starting.add(slot);
    slot.start(last_engine).catch((error: unknown) => queue.next(mayRun)?.job.reject(error)).finally(() => {
      starting.delete(slot);
      pump();
    });
  }

  return {
    perform(request, account, limit_ms, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const job = { request, limit_ms, signal, resolve, reject };
      const leave = () => queue.remove(account, job) && reject(signal?.reason);
      if (closed) reject(new Error("the compiler is closed"));
      else if (signal?.aborted) reject(signal.reason);
      else if (!queue.push(account, job)) {
        reject(new CompilerBusy(Math.max(1, Math.ceil(queue.size * SECONDS_A_SOURCE / workers))));
      } else {
        signal?.addEventListener("abort", leave, { once: true });
        if (request.job === "compile") last_engine = request.source.engine;
        pump();
      }
      return promise;
    },

    async warm() {
      const [slot] = slots;
      if (slot && !closed) await slot.start(last_engine);
    },

    load: () => ({
      workers,
      ready: slots.filter(({ state }) => state === "ready").length,
      busy: busy.size,
      waiting: queue.size,
    }),

    async close() {
      closed = true;
      clearTimeout(further);
      for (const job of queue.drain()) job.reject(new Error("the compiler is closed"));
      await Promise.all(slots.map((slot) => slot.close()));
    },
  };
}
