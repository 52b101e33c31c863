/** One PGlite: PostgreSQL as WebAssembly, a single backend inside of this process. */
import { Buffer } from "node:buffer";
import type { PGlite } from "@electric-sql/pglite";
import { query } from "./wire/wire.ts";
import { columnOf, errorOf, parametersOf } from "./wire/wire_backend.ts";

/** The backend ended, or did not start. It answers nothing more; the message is PostgreSQL's own reason. */
export class BackendStopped extends Error {}

/** Smaller segments of the log make a fresh folder, and a test's copy of it, a quarter smaller. */
const INITDB = ["--wal-segsize=4"];

const SETTINGS = {
  // 128 MB, the default, would be allocated at the start; the operating system caches the same files anyway.
  shared_buffers: "32MB",
  // How much of the log a checkpoint keeps for reuse. Only embedded_upkeep.ts makes checkpoints.
  max_wal_size: "64MB",
  min_wal_size: "32MB",
  // The least that it takes. The stack of WebAssembly is short, and where it ends so does the backend.
  max_stack_depth: "100kB",
  // The template's is the zone of the machine that made it.
  TimeZone: "UTC",
  // Else a start that fails leaves a timer behind.
  log_startup_progress_interval: "0",
  log_min_messages: "fatal",
  jit: "off",
};

/** With this status PGlite leaves its main loop for an error that PostgreSQL then handles. */
const HANDLED = 100;

const STARTUP = Buffer.from("\0\0\0\x17\0\x03\0\0user\0postgres\0\0", "latin1");

export class Backend {
  readonly #pglite: PGlite;
  readonly #lines: string[];
  /** Why it stopped. */
  #stopped: string | undefined;
  /** What it tells each client that connects: its version, encoding and the like. */
  readonly parameters: [string, string][];

  /**
   * @param folder null is in memory
   * @param load what `dump` gave, to begin with
   * @throws {BackendStopped}
   */
  static async open(folder: string | null, load?: Blob): Promise<Backend> {
    // Here and not above, so that a process with a PostgreSQL server never loads it.
    const { PGlite } = await import("@electric-sql/pglite");
    const lines: string[] = [];
    const pglite = new PGlite({
      dataDir: folder === null ? "memory://" : `file://${folder}`,
      loadDataDir: load,
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
    // What it says of a recovery is no reason for anything later.
    lines.length = 0;
    return new Backend(pglite, lines);
  }

  private constructor(pglite: PGlite, lines: string[]) {
    this.#pglite = pglite;
    this.#lines = lines;
    this.#watch(pglite.Module);
    // Some are only told with the first statement.
    this.parameters = [...new Map(parametersOf(Buffer.concat([this.run(STARTUP), this.run(query("select 1"))])))];
  }

  /**
   * Hands over whole batches of a client, and returns all that PostgreSQL has to say to them.
   *
   * @throws {BackendStopped}
   */
  run(batches: Buffer): Buffer {
    const chunks: Buffer[] = [];
    // PGlite has no thread of its own: all is done when this returns. What its promise could still wait for is a flush of
    // its file system, which does nothing for a folder, and what it could reject with is told by #stopped.
    this.#pglite.execProtocolRawStream(batches, {
      syncToFs: false,
      // The memory that it shows is used again as soon as this returns.
      onRawData: (bytes) => void chunks.push(Buffer.from(bytes)),
    }).catch(() => {});
    if (this.#stopped !== undefined) throw new BackendStopped(this.#stopped);
    const [only] = chunks;
    return only && chunks.length === 1 ? only : Buffer.concat(chunks);
  }

  /** Runs statements of this program's own and returns the first column of what they select, as text. */
  select(sql: string): (string | null)[] {
    const output = this.run(query(sql));
    const error = errorOf(output);
    if (error) throw new Error(error);
    return columnOf(output);
  }

  /** The data folder as a tarball, as if the machine had stopped here: whoever loads it recovers from its log. */
  dump(): Promise<Blob> {
    return this.#pglite.dumpDataDir("none");
  }

  async close(): Promise<void> {
    if (this.#stopped === undefined) await this.#pglite.close();
  }

  /**
   * PGlite takes every exception for an error that PostgreSQL handles, and calls the main loop again until all input is
   * used up: for ever, where the backend is dead, as after a full disk, or with damaged memory, as after the end of the
   * stack. These two calls are where that can be noticed and left.
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
 * Ends a backend that did not end by itself: its files are closed and its timers, which would call into it, cleared.
 * PostgreSQL's own farewell, with its last writes, is not said: PGlite's `close` does that apart from this.
 */
function abandon(pglite: PGlite): void {
  try {
    pglite.Module._emscripten_force_exit(0);
  } catch {
    // It says by an exception that it ended, or that it never came so far as to begin.
  }
}

/** What PostgreSQL says as it ends. At this level of its log it says little else. */
function reasonIn(lines: string[]): string | undefined {
  const reasons = lines.map((line) => /(?:FATAL|PANIC|DETAIL): +(.*)/.exec(line)?.[1]).filter((reason) => reason);
  return reasons.length > 0 ? reasons.join(". ") : undefined;
}

function statusOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "status" in error ? error.status : undefined;
}

/** PGlite's file system throws no errors but numbers, those of WASI. */
const FILE_ERRORS: Record<number, string> = { 2: "permission denied", 51: "no space left", 54: "not a directory" };

function textOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  const number = typeof error === "object" && error !== null && "errno" in error ? Number(error.errno) : undefined;
  if (number === undefined) return String(error);
  return `its files cannot be written: ${FILE_ERRORS[number] ?? `error ${number}`}`;
}
