/** The compile workers: started on first need, one request at a time each, replaced when they die or are killed. */
import { CompileFailure, CompilerBusy } from "../compiler.ts";
import { Answer, READY, type Request, TAKEN } from "../protocol.ts";
import { createFairQueue } from "../../fairness/fair_limiter.ts";
import { Lost, type Reason, startSubprocess, type Subprocess } from "./subprocess.ts";

export interface PoolOptions {
  workers: number;
  queue_limit: number;
  /** What starts a worker. */
  command: () => Promise<Deno.Command>;
  log: (event: string, detail: Record<string, unknown>) => void;
}

export interface Pool {
  /**
   * @throws {CompileFailure} where the request costs too much time or memory, or ends the worker by itself
   * @throws {CompilerBusy} where the queue is full, or no worker lives long enough
   */
  perform(request: Unnumbered, account: number, limit_ms: number): Promise<Answer>;
  /** Has one worker ready for the first request. */
  warm(): Promise<void>;
  close(): Promise<void>;
}

type Unnumbered = Request extends infer Each ? Each extends Request ? Omit<Each, "id"> : never : never;

interface Job {
  request: Unnumbered;
  limit_ms: number;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

interface Slot {
  worker: Promise<Subprocess> | undefined;
  /** The worker has started. */
  ready: boolean;
  /** With a request, or with the start of a worker for one. */
  busy: boolean;
}

/** A fresh machine downloads packages first. */
const START_LIMIT_MS = 60_000;

/** Killed by somebody else: the source is not to blame the first time. */
const ATTEMPTS = 2;

/** Seconds until a client may try again where workers do not start, or do not live. */
const RETRY_AFTER = 5;

/** What the author is told, where the source is to blame. */
const BLAME: Partial<Record<Reason, string>> = {
  timeout: "compile timed out",
  memory: "compile needs too much memory",
  depth: "is nested too deeply to compile",
  crash: "crashes the compiler",
};

const unreadiness = ({ ready, worker }: Slot) => ready ? 0 : worker ? 1 : 2;

export function createPool({ workers, queue_limit, command, log }: PoolOptions): Pool {
  const queue = createFairQueue<Job>({ waiting: queue_limit });
  const slots: Slot[] = Array.from({ length: workers }, () => ({ worker: undefined, ready: false, busy: false }));
  /** Also those that are still starting. */
  const living = new Set<Subprocess>();
  /** Slots whose worker starts for a request that waits. */
  let preparing = 0;
  let last_id = 0;
  let closed = false;

  function workerOf(slot: Slot): Promise<Subprocess> {
    if (slot.worker) return slot.worker;
    const starting = start();
    slot.worker = starting;
    const forget = () => {
      if (slot.worker === starting) Object.assign(slot, { worker: undefined, ready: false });
    };
    starting.then(({ ended }) => {
      slot.ready = slot.worker === starting;
      return ended.then(forget);
    }, forget);
    return starting;
  }

  async function start(): Promise<Subprocess> {
    const begun = performance.now();
    try {
      const worker = spawn(await command());
      const first = await worker.next(START_LIMIT_MS);
      if (JSON.parse(first) === READY) {
        log("compile_worker_started", { pid: worker.pid, ms: Math.round(performance.now() - begun) });
        return worker;
      }
      worker.kill();
      throw new Error("a compile worker did not say that it is ready");
    } catch (error) {
      const last_words = error instanceof Lost ? error.last_words : "";
      if (!closed) log("compile_worker_failed", { fault: String(error), last_words });
      throw new CompilerBusy(RETRY_AFTER, "The compiler cannot start", { cause: error });
    }
  }

  function spawn(command: Deno.Command): Subprocess {
    if (closed) throw new Error("the compiler is closed");
    const worker = startSubprocess(command);
    living.add(worker);
    worker.ended.then(() => living.delete(worker));
    return worker;
  }

  /** Another one takes over, before anybody needs it. */
  function replace(slot: Slot, worker: Subprocess) {
    worker.kill();
    Object.assign(slot, { worker: undefined, ready: false });
    // A start that fails is logged there, and fails the next request that needs it.
    if (!closed) workerOf(slot).catch(() => {});
  }

  async function attempt(slot: Slot, { request, limit_ms }: Job): Promise<Answer> {
    const worker = await workerOf(slot);
    const id = ++last_id;
    let taken = false;
    try {
      worker.send(JSON.stringify({ ...request, id }));
      taken = JSON.parse(await worker.next(limit_ms)) === TAKEN;
      if (!taken) throw new Error("a compile worker did not take a request");
      const answer = Answer.parse(JSON.parse(await worker.next(limit_ms)));
      if (answer.id !== id) throw new Error("a compile worker answered another request");
      if (answer.retire) replace(slot, worker);
      return answer;
    } catch (error) {
      const last_words = error instanceof Lost ? error.last_words : "";
      if (!closed) log("compile_worker_lost", { pid: worker.pid, fault: String(error), last_words });
      replace(slot, worker);
      const blame = taken && request.job === "compile" && error instanceof Lost && BLAME[error.reason];
      throw blame ? new CompileFailure([blame]) : error;
    }
  }

  async function work(slot: Slot, job: Job) {
    for (let tried = 1;; tried++) {
      try {
        return job.resolve(await attempt(slot, job));
      } catch (error) {
        if (closed || error instanceof CompileFailure || error instanceof CompilerBusy) return job.reject(error);
        if (tried === ATTEMPTS) {
          return job.reject(new CompilerBusy(RETRY_AFTER, "The compiler was interrupted", { cause: error }));
        }
      }
    }
  }

  function pump() {
    // Those that run already first: a second worker starts only when the first one is busy.
    const idle = slots.filter(({ busy }) => !busy).toSorted((a, b) => unreadiness(a) - unreadiness(b));
    for (const slot of idle) {
      if (slot.ready) take(slot);
      else if (queue.size > preparing) void prepare(slot);
    }
  }

  function take(slot: Slot) {
    const job = queue.next()?.job;
    if (!job) return;
    slot.busy = true;
    void work(slot, job).finally(() => {
      slot.busy = false;
      pump();
    });
  }

  /** A request is taken only when its worker is there: another one may be free by then. */
  async function prepare(slot: Slot) {
    slot.busy = true;
    preparing++;
    const fault = await workerOf(slot).then(() => undefined, (error: unknown) => error);
    preparing--;
    slot.busy = false;
    if (fault) queue.next()?.job.reject(fault);
    pump();
  }

  return {
    perform(request, account, limit_ms) {
      return new Promise((resolve, reject) => {
        if (closed) return reject(new Error("the compiler is closed"));
        const taken = queue.push(account, { request, limit_ms, resolve, reject });
        // Half a second each is what a slow source takes; the time limit would send honest clients away for minutes.
        if (!taken) return reject(new CompilerBusy(Math.max(1, Math.ceil(queue.size / 2 / workers))));
        pump();
      });
    },

    async warm() {
      const [slot] = slots;
      if (slot && !closed) await workerOf(slot);
    },

    async close() {
      closed = true;
      for (const job of queue.drain()) job.reject(new Error("the compiler is closed"));
      for (const worker of living) worker.kill();
      await Promise.all([...living].map(({ ended }) => ended));
      await Promise.allSettled(slots.map(({ worker }) => worker));
    },
  };
}
