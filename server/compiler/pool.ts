/** The compile workers: started on first need, one request at a time each, replaced when they die or are killed. */
import { CompileFailure, CompilerBusy } from "./compiler.ts";
import { Answer, READY, type Request } from "./protocol.ts";
import { createQueue } from "./queue.ts";
import { Lost, startSubprocess, type Subprocess } from "./subprocess.ts";

export interface PoolOptions {
  workers: number;
  queue_limit: number;
  /** What starts a worker. */
  command: () => Promise<Deno.Command>;
  log: (event: string, detail: Record<string, unknown>) => void;
}

export interface Pool {
  /** @throws {CompileFailure} also where the request costs too much time or memory @throws {CompilerBusy} */
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
  busy: boolean;
}

/** A fresh machine downloads packages first. */
const START_LIMIT_MS = 60_000;

/** Killed by somebody else: the source is not to blame the first time. */
const ATTEMPTS = 2;

export function createPool({ workers, queue_limit, command, log }: PoolOptions): Pool {
  const queue = createQueue<Job>(queue_limit);
  const slots: Slot[] = Array.from({ length: workers }, () => ({ worker: undefined, busy: false }));
  let last_id = 0;
  let closed = false;

  function workerOf(slot: Slot): Promise<Subprocess> {
    if (slot.worker) return slot.worker;
    const starting = start();
    slot.worker = starting;
    const forget = () => {
      if (slot.worker === starting) slot.worker = undefined;
    };
    starting.then(({ ended }) => ended.then(forget), forget);
    return starting;
  }

  async function start(): Promise<Subprocess> {
    const begun = performance.now();
    const worker = startSubprocess(await command(), START_LIMIT_MS);
    try {
      if (JSON.parse(await worker.ready) !== READY) throw new Error("a compile worker did not say that it is ready");
    } catch (error) {
      worker.kill();
      log("compile_worker_failed", { fault: String(error), last_words: error instanceof Lost ? error.last_words : "" });
      throw new Error("the compiler cannot start", { cause: error });
    }
    log("compile_worker_started", { pid: worker.pid, ms: Math.round(performance.now() - begun) });
    return worker;
  }

  /** Another one takes over, before anybody needs it. */
  function replace(slot: Slot, worker: Subprocess) {
    worker.kill();
    slot.worker = undefined;
    // A start that fails is logged there, and fails the next request that needs it.
    if (!closed) workerOf(slot).catch(() => {});
  }

  async function attempt(slot: Slot, { request, limit_ms }: Job): Promise<Answer> {
    const worker = await workerOf(slot);
    const id = ++last_id;
    try {
      const answer = Answer.parse(JSON.parse(await worker.ask(JSON.stringify({ ...request, id }), limit_ms)));
      if (answer.id !== id) throw new Error("a compile worker answered another request");
      if (answer.retire) replace(slot, worker);
      return answer;
    } catch (error) {
      if (!closed) log("compile_worker_lost", { pid: worker.pid, fault: String(error) });
      replace(slot, worker);
      throw error;
    }
  }

  async function work(slot: Slot, job: Job) {
    for (let tried = 1;; tried++) {
      try {
        // deno-lint-ignore no-await-in-loop -- the second attempt follows from the first one's end
        return job.resolve(await attempt(slot, job));
      } catch (error) {
        const reason = error instanceof Lost ? error.reason : undefined;
        if (reason === "timeout") return job.reject(new CompileFailure(["compile timed out"]));
        if (reason === "memory") return job.reject(new CompileFailure(["compile needs too much memory"]));
        if (closed || tried === ATTEMPTS || error instanceof Error && error.message === "the compiler cannot start") {
          return job.reject(error);
        }
      }
    }
  }

  function pump() {
    // Those that run already first: a second worker starts only when the first one is busy.
    const idle = slots.filter(({ busy }) => !busy).toSorted((a, b) => Number(!a.worker) - Number(!b.worker));
    for (const slot of idle) {
      const job = queue.next();
      if (!job) return;
      slot.busy = true;
      void work(slot, job).finally(() => {
        slot.busy = false;
        pump();
      });
    }
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
      await Promise.all(slots.map(async ({ worker }) => {
        const started = await worker?.catch(() => undefined);
        started?.kill();
        await started?.ended;
      }));
    },
  };
}
