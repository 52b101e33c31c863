/** Starts compile workers: subprocesses, or threads on a host where none starts, or where they end at once. */
import { Lost, startSubprocess, type Subprocess } from "../../subprocess/subprocess.ts";
import { PackagesNotFound, workerCommand } from "./worker_command.ts";

export interface WorkerStartOptions {
  deno: string;
  heap_mb: number;
  /** The workers' environment: where Deno keeps its files. */
  environment: Readonly<Record<string, string>>;
  /**
   * Allows threads. Is called when one was stopped at work, which may go on until the process ends. Without it, a worker
   * that cannot be a subprocess does not start.
   */
  runaway: ((reason: string) => void) | undefined;
  log: (event: string, detail: Record<string, unknown>) => void;
}

export interface WorkerStart {
  /** @param nice of a subprocess: from 0 to 19 @param proceed see `SlotOptions` @throws {Error} where it does not start */
  start(nice: number, proceed: () => void): Promise<Subprocess>;
  /** Whether workers share the memory of this process, so that there should be one. */
  shares_memory(): boolean;
}

export function createWorkerStart({ deno, heap_mb, environment, runaway, log }: WorkerStartOptions): WorkerStart {
  const command = workerCommand(deno, heap_mb, environment);
  let are_threads = false;
  /** Whether a subprocess has written a line. */
  let has_spoken = false;

  function useThreads(error: unknown): void {
    if (are_threads) return;
    are_threads = true;
    log("compile_workers_are_threads", {
      fault: String(error),
      last_words: error instanceof Lost ? error.last_words : "",
    });
  }

  /** Where the first subprocess ends before its first line, further ones would end, too. */
  const watched = (subprocess: Subprocess, proceed: () => void): Subprocess => ({
    ...subprocess,
    async next(limit_ms) {
      try {
        const line = await subprocess.next(limit_ms);
        has_spoken = true;
        return line;
      } catch (error) {
        if (!has_spoken && runaway && error instanceof Lost && error.reason !== "timeout") {
          // Throws where the subprocess was ended with the compiler.
          proceed();
          useThreads(error);
        }
        throw error;
      }
    },
  });

  return {
    async start(nice, proceed) {
      if (!are_threads) {
        try {
          const subprocess = await command(nice);
          proceed();
          return watched(startSubprocess(subprocess), proceed);
        } catch (error) {
          if (!runaway || !isRefusal(error)) throw error;
          useThreads(error);
        }
      }
      const { startCompileThread } = await import("../worker/thread_start.ts");
      proceed();
      return startCompileThread(heap_mb, runaway ?? (() => {}));
    },
    shares_memory: () => are_threads,
  };
}

const REFUSALS = [
  Deno.errors.NotCapable,
  Deno.errors.PermissionDenied,
  Deno.errors.NotSupported,
  Deno.errors.NotFound,
  TypeError,
  PackagesNotFound,
];

/** Whether no subprocess can be started here, now or later. */
const isRefusal = (error: unknown) => REFUSALS.some((kind) => error instanceof kind);
