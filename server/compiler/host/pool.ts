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
}

export interface Pool {
  /**
   * @throws {CompileFailure} where the source costs too much time or memory, or crashes the worker
   * @throws {CompilerBusy} where the queue is full, or no worker lives long enough
   */
  perform(request: Unnumbered, account: number, limit_ms: number): Promise<Answer>;
  /** Starts one worker, for a Svelte app. */
  warm(): Promise<void>;
  close(): Promise<void>;
}

interface Job {
  request: Unnumbered;
  limit_ms: number;
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
  { workers, queue_limit, further_worker_after_ms = FURTHER_WORKER_AFTER_MS, ...options }: PoolOptions,
): Pool {
  const queue = createFairQueue<Job>({ waiting: queue_limit });
  const slots = Array.from({ length: workers }, (_, index) => {
    const idle_ms = index === 0 ? options.idle_ms : Math.min(options.idle_ms, FURTHER_IDLE_MS);
    return createSlot({ ...options, idle_ms });
  });
  /** Slots that work on a request. */
  const busy = new Set<Slot>();
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
    if (queue.size === 0 || starting.size > 0) return;
    const free = freeSlots();
    const next = free.find(({ state }) => state === "starting") ?? free[0];
    if (!next) return;
    if (next.state === "starting" || slots.every(({ state }) => state === "empty")) start(next);
    else {
      further ??= setTimeout(() => {
        further = undefined;
        if (queue.size > 0) start(next);
      }, further_worker_after_ms);
    }
  }

  function take(slot: Slot) {
    const next = queue.next();
    if (!next) return;
    const { request, limit_ms, resolve, reject } = next.job;
    busy.add(slot);
    void slot.perform(request, limit_ms).then(resolve, reject).finally(() => {
      busy.delete(slot);
      pump();
    });
  }

  /** The queue keeps the request until the worker is ready: another worker may be free earlier. */
  function start(slot: Slot) {
    starting.add(slot);
    slot.start(last_engine).catch((error: unknown) => queue.next()?.job.reject(error)).finally(() => {
      starting.delete(slot);
      pump();
    });
  }

  return {
    perform(request, account, limit_ms) {
      return new Promise((resolve, reject) => {
        if (closed) return reject(new Error("the compiler is closed"));
        const taken = queue.push(account, { request, limit_ms, resolve, reject });
        if (!taken) {
          return reject(new CompilerBusy(Math.max(1, Math.ceil(queue.size * SECONDS_A_SOURCE / workers))));
        }
        if (request.job === "compile") last_engine = request.source.engine;
        pump();
      });
    },

    async warm() {
      const [slot] = slots;
      if (slot && !closed) await slot.start(last_engine);
    },

    async close() {
      closed = true;
      clearTimeout(further);
      for (const job of queue.drain()) job.reject(new Error("the compiler is closed"));
      await Promise.all(slots.map((slot) => slot.close()));
    },
  };
}
