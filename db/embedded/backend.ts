/** PGlite: PostgreSQL as WebAssembly, a single backend inside this process. */
import { Buffer } from "node:buffer";
import type { PGlite } from "@electric-sql/pglite";
import { query } from "./wire/wire.ts";
import { columnOf, errorOf, parametersOf } from "./wire/wire_backend.ts";

/** The backend has ended or did not start, and answers no more. The message is PostgreSQL's reason. */
export class BackendStopped extends Error {}

/** For `initdb`, which makes the template: a small log makes a small folder. */
const INITDB = ["--wal-segsize=4"];

const SETTINGS = {
  // PostgreSQL fills all of it with zeros at the start. The default of 128 MB would cost that much memory, and the
  // operating system caches the same files anyway.
  shared_buffers: "16MB",
  // How much of the log a checkpoint keeps for reuse. Only upkeep.ts makes checkpoints. The minimum is two segments,
  // which have 16 MB each in folders of earlier releases.
  max_wal_size: "64MB",
  min_wal_size: "32MB",
  // The minimum. The stack of WebAssembly is short, and an overflow ends the backend.
  max_stack_depth: "100kB",
  // The template's is the zone of the machine that made it.
  TimeZone: "UTC",
  // Otherwise a failed start leaves a timer behind.
  log_startup_progress_interval: "0",
  log_min_messages: "fatal",
  jit: "off",
};

/** The exit status with which PGlite leaves its main loop for an error that PostgreSQL then handles. */
const HANDLED = 100;

const STARTUP = Buffer.from("\0\0\0\x17\0\x03\0\0user\0postgres\0\0", "latin1");

export class Backend {
  readonly #pglite: PGlite;
  readonly #lines: string[];
  /** The reason, once it has stopped. */
  #stopped: string | undefined;
  /** The parameters that it announces to each new client: version, encoding and so on. */
  readonly parameters: [string, string][];

  /**
   * @param folder null means in memory
   * @param load a tarball made by `dump`
   * @throws {BackendStopped}
   */
  static async open(folder: string | null, load?: Uint8Array): Promise<Backend> {
    // A dynamic import, so that a process with a PostgreSQL server never loads PGlite.
    const { PGlite } = await import("@electric-sql/pglite");
    const lines: string[] = [];
    const pglite = new PGlite({
      dataDir: folder === null ? "memory://" : `file://${folder}`,
      loadDataDir: load && new Blob([new Uint8Array(load)]),
      initDbStartParams: INITDB,
      startParams: [...PGlite.defaultStartParams, ...Object.entries(SETTINGS).flatMap(([k, v]) => ["-c", `${k}=${v}`])],
      onStderr(line) {
        lines.push(line);
        return false;
      },
    });
    try {
      await pglite.waitReady;
    } catch (error) {
      abandon(pglite);
      throw new BackendStopped(reasonIn(lines) ?? lines.at(-1) ?? textOf(error), { cause: error });
    }
    // Messages about a recovery must not be mistaken for the reason of a later stop.
    lines.length = 0;
    return new Backend(pglite, lines);
  }

  private constructor(pglite: PGlite, lines: string[]) {
    this.#pglite = pglite;
    this.#lines = lines;
    this.#watch(pglite.Module);
    // Some parameters are announced only with the first statement.
    this.parameters = [...new Map(parametersOf(Buffer.concat([this.run(STARTUP), this.run(query("select 1"))])))];
  }

  /**
   * Executes complete batches of a client. @returns PostgreSQL's whole answer
   *
   * @throws {BackendStopped}
   */
  run(batches: Buffer): Buffer {
    const chunks: Buffer[] = [];
    // PGlite has no thread: everything is done when this call returns. Its promise only waits for a flush of its file
    // system, which does nothing for a folder. A failure is noticed through #stopped.
    this.#pglite.execProtocolRawStream(batches, {
      syncToFs: false,
      // A copy, because PGlite reuses this memory as soon as the callback returns.
      onRawData: (bytes) => void chunks.push(Buffer.from(bytes)),
    }).catch(() => {});
    if (this.#stopped !== undefined) throw new BackendStopped(this.#stopped);
    const [only] = chunks;
    return only && chunks.length === 1 ? only : Buffer.concat(chunks);
  }

  /** Runs statements of the server itself. @returns the first column of their results, as text */
  select(sql: string): (string | null)[] {
    const output = this.run(query(sql));
    const error = errorOf(output);
    if (error) throw new Error(error);
    return columnOf(output);
  }

  /** The data folder as a tarball, as after a crash: a database that loads it recovers from the log. */
  async dump(): Promise<Uint8Array> {
    return new Uint8Array(await (await this.#pglite.dumpDataDir("none")).arrayBuffer());
  }

  async close(): Promise<void> {
    if (this.#stopped === undefined) await this.#pglite.close();
  }

  /**
   * PGlite treats every exception as an error that PostgreSQL handles, and calls the main loop again until all input is
   * consumed. If the backend is dead (full disk), this loop never ends; after a stack overflow, it continues with
   * damaged memory. The wrappers here detect both cases and leave the loop.
   */
  #watch(module: PGlite["Module"]): void {
    const { _PostgresMainLoopOnce: loop, _PostgresMainLongJmp: handle, stackRestore } = module;
    module._PostgresMainLoopOnce = () => this.#attempt(loop, (error) => statusOf(error) === HANDLED);
    module._PostgresMainLongJmp = () => this.#attempt(handle, () => false);
    module.stackRestore = (pointer) => {
      if (this.#stopped !== undefined) throw new BackendStopped(this.#stopped);
      return stackRestore(pointer);
    };
  }

  #attempt(work: () => void, isHandled: (error: unknown) => boolean): void {
    try {
      work();
    } catch (error) {
      if (!isHandled(error)) this.#stop(error);
      throw error;
    }
  }

  #stop(error: unknown): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = reasonIn(this.#lines) ?? textOf(error);
    abandon(this.#pglite);
  }
}

/**
 * Ends a backend that did not end by itself: closes its files and clears its timers, which would call into it. Unlike
 * PGlite's `close`, it does not run PostgreSQL's shutdown with its last writes.
 */
function abandon(pglite: PGlite): void {
  try {
    pglite.Module._emscripten_force_exit(0);
  } catch {
    // The exception only says that it has ended, or that it had never started.
  }
}

/** The reason in PostgreSQL's last messages. At this log level there are few others. */
function reasonIn(lines: string[]): string | undefined {
  const reasons = lines.map((line) => /(?:FATAL|PANIC|DETAIL): +(.*)/.exec(line)?.[1]).filter((reason) => reason);
  return reasons.length > 0 ? reasons.join(". ") : undefined;
}

function statusOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "status" in error ? error.status : undefined;
}

/** PGlite's file system throws objects with an error number of WASI. */
const FILE_ERRORS: Record<number, string> = { 2: "permission denied", 51: "no space left", 54: "not a directory" };

function textOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  const number = typeof error === "object" && error !== null && "errno" in error ? Number(error.errno) : undefined;
  if (number === undefined) return String(error);
  return `its files cannot be written: ${FILE_ERRORS[number] ?? `error ${number}`}`;
}
