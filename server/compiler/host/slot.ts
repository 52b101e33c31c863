/** One place for a compile worker: starts it on need, replaces it when it fails, ends it when it is idle. */
import { CompileFailure, CompilerBusy, type Engine } from "../compiler.ts";
import { CostlySource } from "./costly_sources.ts";
import { unlessAborted } from "./patience.ts";
import { Answer, READY, type Request, TAKEN, type WarmUp } from "../protocol.ts";
import { nextInOwnTime } from "../../subprocess/own_time.ts";
import { Lost, type Reason, type Subprocess } from "../../subprocess/subprocess.ts";

export interface SlotOptions {
  /** Starts a worker. It calls `proceed` before, which throws if none is wanted any more. */
  start: (proceed: () => void) => Promise<Subprocess>;
  /** How long a worker may wait for work before it is ended. */
  idle_ms: number;
  log: (event: string, detail: Record<string, unknown>) => void;
}

export interface Slot {
  /** `ready`: its worker has started. A request may be in progress. */
  readonly state: "empty" | "starting" | "ready";
  /** Starts the worker where there is none. @param engine to warm up for @throws {CompilerBusy} where it does not start */
  start(engine: Engine): Promise<void>;
  /**
   * Performs a request. A worker that is lost is replaced, and the request tried once more.
   *
   * @param limit_ms time of the worker. It does not count while the worker waits for a processor
   * @param signal ends the wait for a worker, not the work of one
   * @throws {CostlySource} where the source costs too much time or memory, or crashes the worker
   * @throws {CompilerBusy} where no worker starts, or something else ended two of them
   */
  perform(request: Unnumbered, limit_ms: number, signal?: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

export type Unnumbered = Request extends infer Each ? Each extends Request ? Omit<Each, "id"> : never : never;

/** A fresh machine downloads packages first. */
const START_LIMIT_MS = 60_000;

/** A source is not to blame for the first signal from outside. */
const ATTEMPTS = 2;

/** Seconds after which a client may try again where workers do not start or do not live. */
const RETRY_AFTER = 5;

/** What the author is told where the source is to blame. */
const BLAME: Partial<Record<Reason, string>> = {
  timeout: "compile timed out",
  memory: "compile needs too much memory",
  depth: "is nested too deeply to compile",
  crash: "crashes the compiler",
};

/** The build of a runtime needs no engine. Its worker most likely compiles a Svelte app next. */
const engineOf = (request: Unnumbered): Engine => request.job === "compile" ? request.source.engine : "svelte";

const lastWordsOf = (error: unknown) => error instanceof Lost ? error.last_words : "";

export function createSlot({ start, idle_ms, log }: SlotOptions): Slot {
  let worker: Promise<Subprocess> | undefined;
  let state: Slot["state"] = "empty";
  /** Workers that have not ended yet, those included that are starting or have been replaced. */
  const living = new Set<Subprocess>();
  let idle: ReturnType<typeof setTimeout> | undefined;
  let last_id = 0;
  let closed = false;

  function workerFor(engine: Engine): Promise<Subprocess> {
    if (worker) return worker;
    // The timer of a worker that died while idle would end the next one.
    clearTimeout(idle);
    const starting = launch(engine);
    [worker, state] = [starting, "starting"];
    const forget = () => {
      if (worker === starting) [worker, state] = [undefined, "empty"];
    };
    starting.then(({ ended }) => {
      if (worker === starting) {
        state = "ready";
        rest();
      }
      return ended.then(forget);
    }, forget);
    return starting;
  }

  async function launch(engine: Engine): Promise<Subprocess> {
    const begun = performance.now();
    try {
      const launched = await spawn();
      launched.send(JSON.stringify({ warm_up: engine } satisfies WarmUp));
      if (JSON.parse(await launched.next(START_LIMIT_MS)) === READY) {
        log("compile_worker_started", { pid: launched.pid, ms: Math.round(performance.now() - begun) });
        return launched;
      }
      launched.kill();
      throw new Error("a compile worker did not say that it is ready");
    } catch (error) {
      if (!closed) log("compile_worker_failed", { fault: String(error), last_words: lastWordsOf(error) });
      throw new CompilerBusy(RETRY_AFTER, "The compiler cannot start", { cause: error });
    }
  }

  async function spawn(): Promise<Subprocess> {
    const spawned = await start(() => {
      if (closed) throw new Error("the compiler is closed");
    });
    living.add(spawned);
    spawned.ended.then(() => living.delete(spawned));
    // `close` may have run after `proceed` and before this process was known.
    if (closed) {
      spawned.kill();
      await spawned.ended;
    }
    return spawned;
  }

  /** Starts the idle time of the worker. */
  function rest() {
    clearTimeout(idle);
    // A worker may become ready, or answer, while `close` ends it.
    if (closed) return;
    idle = setTimeout(endIdle, idle_ms);
    // The timer alone must not keep this process alive.
    Deno.unrefTimer(idle);
  }

  function endIdle() {
    worker?.then((ended) => ended.kill(), () => {});
    [worker, state] = [undefined, "empty"];
  }

  /** Starts the next worker before a request needs it. */
  function replace(lost: Subprocess, engine: Engine) {
    lost.kill();
    [worker, state] = [undefined, "empty"];
    // A failed start is logged, and fails the next request.
    if (!closed) workerFor(engine).catch(() => {});
  }

  async function attempt(request: Unnumbered, limit_ms: number, signal?: AbortSignal): Promise<Answer> {
    const engine = engineOf(request);
    const current = await unlessAborted(workerFor(engine), signal);
    clearTimeout(idle);
    const id = ++last_id;
    let taken = false;
    try {
      current.send(JSON.stringify({ ...request, id }));
      taken = JSON.parse(await current.next(limit_ms)) === TAKEN;
      if (!taken) throw new Error("a compile worker did not take a request");
      const answer = Answer.parse(JSON.parse(await nextInOwnTime(current, limit_ms)));
      if (answer.id !== id) throw new Error("a compile worker answered another request");
      if (answer.retire) replace(current, engine);
      else rest();
      return answer;
    } catch (error) {
      if (!closed) {
        log("compile_worker_lost", { pid: current.pid, fault: String(error), last_words: lastWordsOf(error) });
      }
      replace(current, engine);
      const blame = taken && request.job !== "runtime" && error instanceof Lost && BLAME[error.reason];
      throw blame ? new CostlySource([blame]) : error;
    }
  }

  return {
    get state() {
      return state;
    },
    async start(engine) {
      await workerFor(engine);
    },
    async perform(request, limit_ms, signal) {
      for (let tried = 1;; tried++) {
        try {
          return await attempt(request, limit_ms, signal);
        } catch (error) {
          if (closed || error instanceof CompileFailure || error instanceof CompilerBusy) throw error;
          if (tried === ATTEMPTS) {
            throw new CompilerBusy(RETRY_AFTER, "The compiler was interrupted", { cause: error });
          }
        }
      }
    },
    async close() {
      closed = true;
      clearTimeout(idle);
      const starting = worker;
      for (const one of living) one.kill();
      await Promise.all([...living].map(({ ended }) => ended));
      await Promise.allSettled([starting]);
    },
  };
}
