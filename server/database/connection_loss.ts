/**
 * What postgres.js 3.4.9 does wrong when a connection ends by force (its issues 1133, 1208, 1216): a failed transaction
 * writes its rollback to the connection that is gone, or to the next one in its place, where others may be at work.
 */
import type { Pool } from "./pool.ts";
import { faultOf, type Log } from "../log.ts";

type Begin = Pool["begin"];
type Work = Parameters<Begin>[1];

/** Ends transactions whose connection is gone without another word to it. Their callers learn of the loss at once. */
export function guardTransactions(sql: Pool): Pool {
  const begin = sql.begin.bind(sql);
  const guarded = (work: Work): Work => async (handle) => {
    try {
      return await work(handle);
    } catch (error) {
      // The driver has rejected the transaction already; what it would do after this one's end is the fault.
      if (isLoss(error)) await new Promise<never>(() => {});
      throw error;
    }
  };
  const begins = (options: string | Work, work?: Work) =>
    typeof options === "string" && work ? begin(options, guarded(work)) : begin(guarded(options as Work));
  return Object.assign(sql, { begin: begins as Begin });
}

const codeOf = (error: unknown) => error instanceof Error && "code" in error ? String(error.code) : "";

/** Errors of the driver carry the query that met them. */
const isLoss = (error: unknown) =>
  error instanceof Error && "query" in error &&
  /^(CONNECTION_(CLOSED|DESTROYED)|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(codeOf(error));

/** Shutdown, crash, restart: what a backend says last, which the driver may hand to its own first query after. */
const isLastWord = (error: unknown) => /^57P0[123]$/.test(codeOf(error));

/** A write that was held back until its connection had gone. */
const isLateWrite = (error: unknown) => error instanceof TypeError && /\/connection\.js\b/.test(error.stack ?? "");

/** Keeps the process alive where the driver raises a loss that nobody can catch. Anything else uncaught still ends it. */
export function surviveLostConnections(log: Log): void {
  const survive = (event: Event, error: unknown) => {
    if (!isLoss(error) && !isLastWord(error) && !isLateWrite(error)) return;
    event.preventDefault();
    log.error("database connection lost", faultOf(error));
  };
  globalThis.addEventListener("error", (event) => survive(event, event.error));
  globalThis.addEventListener("unhandledrejection", (event) => survive(event, event.reason));
}
