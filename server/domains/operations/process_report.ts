/** What this process says of itself: written every ten seconds, so that any process can show all of them. */
import type { Clock, Release } from "../../context.ts";
import type { Pool } from "../../database/pool.ts";
import { isoOf } from "../../database/iso_time.ts";
import { faultOf, type Log } from "../../log.ts";
import { readDatabase, sweepReports, writeReport } from "./queries.ts";
import type { Pass, Report, Sizes } from "./schema.ts";

const EVERY_MS = 10_000;
/** Sizes ask the file system for every table: 200 ms with the embedded database. */
const SIZES_KEPT_MS = 30_000;

export interface ProcessReport {
  /** Writes the present figures. */
  write(): Promise<void>;
  /** Does the work and notes when it began and how long it took. @throws whatever the work throws */
  timed<T>(pass: "sweep" | "tick", work: () => Promise<T>): Promise<T>;
  /** The database with its sizes. Older ones are given while they are read again. */
  database(): Promise<Sizes>;
  /** Deletes the rows of processes that have ended. */
  sweep(): Promise<void>;
  /** Its row is left: it is not shown after half a minute, and a database that is away delays no stop. */
  close(): Promise<void>;
}

interface Parts {
  sql: Pool;
  log: Log;
  clock: Clock;
  release: Release;
  /** Undefined for a process that was started alone. */
  process_number: number | undefined;
  is_embedded: boolean;
  load(): Pick<Report, "runs" | "calls" | "compiler">;
}

export function createProcessReport(
  { sql, log, clock, release, process_number, is_embedded, load }: Parts,
): ProcessReport {
  const id = crypto.randomUUID();
  const started_at = clock.now();
  const passes: Record<"sweep" | "tick", Pass | null> = { sweep: null, tick: null };
  let failed = false;
  let telling = false;
  let closed = false;

  const write = async () => {
    const { rss, heapUsed } = Deno.memoryUsage();
    await writeReport(sql, id, started_at, {
      number: process_number ?? 1,
      pid: Deno.pid,
      version: release.version,
      release: await release.id(),
      memory: { rss, heap: heapUsed },
      ...load(),
      ...passes,
    });
  };
  const tell = async () => {
    if (telling) return;
    telling = true;
    try {
      await release.id();
      if (closed) return;
      await write();
      failed = false;
    } catch (error) {
      // A database that is away is logged once.
      if (!failed) log.warn("process_report_not_written", faultOf(error));
      failed = true;
    } finally {
      telling = false;
    }
  };
  const timer = setInterval(() => void tell(), EVERY_MS);
  Deno.unrefTimer(timer);

  let sizes: { read_ms: number; database: Promise<Sizes> } | undefined;
  const readSizes = async () => {
    const before = sizes;
    const database = readDatabase(sql, is_embedded);
    sizes = { read_ms: performance.now(), database: before?.database ?? database };
    try {
      await database;
      sizes.database = database;
    } catch {
      // Who waits for the first ones has the error; the next caller reads them again.
      sizes = before;
    }
  };

  return {
    write,
    database() {
      if (!sizes || performance.now() - sizes.read_ms > SIZES_KEPT_MS) void readSizes();
      return sizes?.database ?? readDatabase(sql, is_embedded);
    },
    async timed<T>(pass: "sweep" | "tick", work: () => Promise<T>): Promise<T> {
      const started = performance.now();
      const at = isoOf(clock.now().getTime());
      passes[pass] = { at, ms: null, fault: null };
      const end = (fault: string | null) => passes[pass] = { at, ms: Math.round(performance.now() - started), fault };
      try {
        const result = await work();
        end(null);
        return result;
      } catch (error) {
        end(error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
    sweep: () => sweepReports(sql),
    async close() {
      closed = true;
      clearInterval(timer);
      // The sources may be being read.
      if (telling) await release.id();
    },
  };
}
