/**
 * Works around a fault of postgres.js 3.4.9 (its issues 1133, 1208, 1216). After a connection is lost, a failed
 * transaction writes its rollback to the closed connection, or to the new connection in its place, which other queries
 * may already use.
 */
import { faultOf, type Log } from "../log.ts";
import type { Pool } from "./sql.ts";
import type { StatementTimes } from "./statement_times.ts";
import { withParts } from "./tagged.ts";

type Begin = Pool["begin"];
type Work = Parameters<Begin>[1];

/** Makes transactions on a lost connection end without a rollback. Their callers get the error at once. */
export function guardTransactions(sql: Pool, times: StatementTimes): Pool {
  const begin = sql.begin.bind(sql);
  const guarded = (work: Work): Work => async (handle) => {
    try {
      return await work(withParts(handle, times));
    } catch (error) {
      // The driver has already rejected the caller's promise. It would send the rollback when this function returns, so
      // this function never returns.
      if (isLoss(error)) await new Promise<never>(() => {});
      throw error;
    }
  };
  const begins = (options: string | Work, work?: Work) =>
    typeof options === "string" && work ? begin(options, guarded(work)) : begin(guarded(options as Work));
  return Object.assign(sql, { begin: begins as Begin });
}

const codeOf = (error: unknown) => error instanceof Error && "code" in error ? String(error.code) : "";

/** Errors of the driver have a property `query`. */
const isLoss = (error: unknown) =>
  error instanceof Error && "query" in error &&
  /^(CONNECTION_(CLOSED|DESTROYED)|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(codeOf(error));

/** A backend's last message (shutdown, crash, restart, a transaction that was idle for too long). The driver may report it to its own first query afterwards. */
const isShutdown = (error: unknown) => /^(57P0[123]|25P03)$/.test(codeOf(error));

/** A reconnection of the driver for a query that was abandoned, such as one that reached its time limit. */
const isRefusedConnection = (error: unknown) =>
  error instanceof Error && "syscall" in error && error.syscall === "connect" &&
  /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(codeOf(error));

/** A write that the driver delayed until its connection was closed. */
export const isLateWrite = (error: unknown) =>
  error instanceof TypeError && /\/connection\.js\b/.test(error.stack ?? "");

/** Keeps the process alive when the driver raises such an error uncaught. Any other uncaught error still ends it. */
export function surviveLostConnections(log: Log): void {
  const survive = (event: Event, error: unknown) => {
    const is_known = isLoss(error) || isShutdown(error) || isRefusedConnection(error) || isLateWrite(error);
    if (!is_known) return;
    event.preventDefault();
    log.error("database connection lost", faultOf(error));
  };
  globalThis.addEventListener("error", (event) => survive(event, event.error));
  globalThis.addEventListener("unhandledrejection", (event) => survive(event, event.reason));
}
