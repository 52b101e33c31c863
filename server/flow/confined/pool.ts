/**
 * Confined processes: each performs one order at a time. A process that has worked for an account works for no other, in
 * case a program finds a way out of its realm. None is started before it is needed, and idle ones end.
 */
import { createFairLimiter } from "../../fairness/fair_limiter.ts";
import { faultOf, type Log } from "../../log.ts";
import { Lost, type Reason, startSubprocess, type Subprocess } from "../../subprocess/subprocess.ts";
import { readSetup, workerCommand } from "./command.ts";
import { Answer, type Order, READY, RESTED, TAKEN } from "./protocol.ts";
import { nextWithin } from "./usage.ts";

export interface PoolOptions {
  /** Where Deno keeps its files. */
  environment: Readonly<Record<string, string>>;
  log: Pick<Log, "info" | "warn">;
  /** Processes at most. */
  total?: number;
  /** Orders of an account that are performed at once. */
  per_account?: number;
  /** How long a process waits for another order of its account. */
  idle_ms?: number;
}

/** `reason`: why the process was ended. */
export type PoolAnswer = Answer & { reason?: Reason };

export interface Pool {
  /**
   * @param most_cpu_ms for each answer
   * @returns one answer for each expression, or one for code. An order that ends its process has fewer answers; then the
   *   last one says why
   * @throws the signal's reason, and {Unavailable}
   */
  perform(account_id: number, order: Order, most_cpu_ms: number, signal: AbortSignal): Promise<PoolAnswer[]>;
  close(): Promise<void>;
}

/** A process was ended, by itself or from outside. @param taken it had begun to work on its order */
class Ended extends Error {
  constructor(readonly taken: boolean, options: ErrorOptions) {
    super("a process was ended", options);
  }
}

/** No process starts or lives, for a reason outside of the program. */
export class Unavailable extends Error {
  override name = "Unavailable";
}

const START_LIMIT_MS = 60_000;
/** Processor time for what a program has left behind after its answer. */
const REST_CPU_MS = 500;
/** A process is replaced after so many orders. */
const MOST_ORDERS = 200;
/** A program is not to blame for the first signal from outside. */
const ATTEMPTS = 2;

const BLAME: Partial<Record<Reason, (most_cpu_ms: number) => string>> = {
  timeout: (most_cpu_ms) => `took longer than ${most_cpu_ms / 1000} s`,
  memory: () => "needs more than 64 MB of memory",
  depth: () => "is nested too deeply",
  crash: () => "crashes its process",
};

interface Worker {
  account_id: number;
  process: Subprocess;
  orders: number;
  /** Ends it when it has rested for long enough. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

interface Performed {
  answers: PoolAnswer[];
  /** When the process has ended or takes another order: until then it has its place. */
  settled: Promise<void>;
}

export function createPool(
  { environment, log, total = 4, per_account = 2, idle_ms = 5_000 }: PoolOptions,
): Pool {
  const limiter = createFairLimiter({ total, per_account });
  /** Those that rest, the one that has rested longest first. */
  let idle: Worker[] = [];
  /** Those that have answered, and have not said that they rest. */
  const settling = new Map<Worker, Promise<void>>();
  const living = new Set<Subprocess>();
  let setup: ReturnType<typeof readSetup> | undefined;
  let closed = false;

  /** No longer rests. */
  function wake(worker: Worker | undefined): Worker | undefined {
    clearTimeout(worker?.timer);
    idle = idle.filter((other) => other !== worker);
    return worker;
  }

  const end = (worker: Worker) => wake(worker)?.process.kill();

  function rest(worker: Worker): void {
    if (closed || worker.orders >= MOST_ORDERS) return end(worker);
    idle.push(worker);
    worker.timer = setTimeout(() => end(worker), idle_ms);
    // The timer alone must not keep this process alive.
    Deno.unrefTimer(worker.timer);
  }

  /** A program that goes on after its answer is ended with its process. Resolves when either has happened. */
  function settle(worker: Worker): Promise<void> {
    const { process, account_id } = worker;
    const settled = nextWithin(process, REST_CPU_MS)
      .then((line) => {
        if (line !== JSON.stringify(RESTED)) throw new Lost("crash");
        rest(worker);
      })
      .catch((error) => {
        process.kill();
        if (!closed) {
          log.info("confined_process_lost", { pid: process.pid, account: account_id, reason: String(error) });
        }
      })
      .finally(() => settling.delete(worker));
    settling.set(worker, settled);
    return settled;
  }

  /** @throws {Unavailable} */
  async function workerOf(account_id: number): Promise<Worker> {
    const resting = () => wake(idle.findLast((one) => one.account_id === account_id));
    const found = resting();
    if (found) return found;
    // Less than a millisecond, unless a program goes on after its answer.
    for (const [worker, settled] of settling) if (worker.account_id === account_id) await settled;
    return resting() ?? await start(account_id);
  }

  /** Makes room for another process. */
  function makeRoom(): void {
    const [oldest] = idle;
    if (living.size >= total && oldest) end(oldest);
  }

  async function start(account_id: number): Promise<Worker> {
    makeRoom();
    const began = performance.now();
    try {
      setup ??= readSetup();
      setup.catch(() => setup = undefined);
      const [given, command] = await Promise.all([setup, workerCommand(environment)]);
      if (closed) throw new Error("the pool is closed");
      const process = startSubprocess(command);
      living.add(process);
      process.ended.then(() => living.delete(process));
      process.send(JSON.stringify(given));
      if (await process.next(START_LIMIT_MS) !== JSON.stringify(READY)) {
        process.kill();
        throw new Error("a confined process did not say that it is ready");
      }
      log.info("confined_process_started", { pid: process.pid, ms: Math.round(performance.now() - began) });
      const worker: Worker = { account_id, process, orders: 0, timer: undefined };
      process.ended.then(() => wake(worker));
      return worker;
    } catch (error) {
      const last_words = error instanceof Lost ? error.last_words : "";
      if (!closed) log.warn("a confined process did not start", { ...faultOf(error), last_words });
      throw new Unavailable("no process starts", { cause: error });
    }
  }

  /** @throws {Unavailable | Ended} */
  async function attempt(
    account_id: number,
    order: Order,
    most_cpu_ms: number,
    signal: AbortSignal,
  ): Promise<Performed> {
    const worker = await workerOf(account_id);
    const { process } = worker;
    if (signal.aborted) {
      rest(worker);
      throw signal.reason;
    }
    worker.orders++;
    const stop = () => process.kill("ended");
    signal.addEventListener("abort", stop, { once: true });
    const answers: PoolAnswer[] = [];
    let taken = false;
    try {
      process.send(JSON.stringify(order));
      if (await process.next(START_LIMIT_MS) !== JSON.stringify(TAKEN)) throw new Lost("crash");
      taken = true;
      const wanted = order.kind === "code" ? 1 : order.expressions.length;
      while (answers.length < wanted) answers.push(readAnswer(await nextWithin(process, most_cpu_ms)));
      return { answers, settled: settle(worker) };
    } catch (error) {
      process.kill();
      signal.throwIfAborted();
      log.info("confined_process_lost", { pid: process.pid, account: account_id, reason: String(error) });
      const blame = taken && error instanceof Lost ? BLAME[error.reason]?.(most_cpu_ms) : undefined;
      if (blame === undefined) throw new Ended(taken, { cause: error });
      const last = { error: blame, console: [], reason: error instanceof Lost ? error.reason : "ended" };
      return { answers: [...answers, last], settled: Promise.resolve() };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  return {
    async perform(account_id, order, most_cpu_ms, signal) {
      const release = await limiter.acquire(account_id, signal);
      let settled = Promise.resolve();
      try {
        for (let tried = 1;; tried++) {
          signal.throwIfAborted();
          try {
            const performed = await attempt(account_id, order, most_cpu_ms, signal);
            settled = performed.settled;
            return performed.answers;
          } catch (error) {
            if (!(error instanceof Ended)) throw error;
            if (closed) throw new Unavailable("the pool is closed", { cause: error });
            if (tried < ATTEMPTS) continue;
            if (!error.taken) throw new Unavailable("no process lives", { cause: error });
            return [{ error: "ends its process", console: [], reason: "ended" }];
          }
        }
      } finally {
        void settled.then(release);
      }
    },

    async close() {
      closed = true;
      limiter.drain();
      idle.forEach(({ timer }) => clearTimeout(timer));
      for (const process of living) process.kill();
      await Promise.all([...living].map(({ ended }) => ended));
      await Promise.all(settling.values());
    },
  };
}

/** @throws {Lost} for what no honest worker answers */
function readAnswer(line: string): Answer {
  try {
    return Answer.parse(JSON.parse(line));
  } catch {
    throw new Lost("crash");
  }
}
