/**
 * Works around a fault of postgres.js 3.4.9 (its issues 1133, 1208, 1216). After a connection is lost, a transaction
 * writes its further statements, its commit and its rollback to the closed connection, or to the new connection in its
 * place. Other queries use that one already, and would hang or get each other's rows.
 */
import { faultOf, type Log } from "../../log.ts";
import type { Pool } from "../sql.ts";
import type { StatementTimes } from "../statement_times.ts";
import { TRANSACTION, type Transaction, withParts } from "../tagged.ts";

type Begin = Pool["begin"];
type Work = Parameters<Begin>[1];

/** Makes transactions on a lost connection send nothing more. Their callers get the error at once. */
export function guardTransactions(sql: Pool, times: StatementTimes): Pool {
  const begin = sql.begin.bind(sql);
  const guarded = (work: Work, transaction: Transaction): Work => (handle) =>
    silencing(
      transaction,
      async () => await work(withParts(Object.assign(handle, { [TRANSACTION]: transaction }), times)),
    );
  const begins = (options: string | Work, work?: Work) => {
    const transaction = newTransaction();
    const begun = typeof options === "string" && work
      ? begin(options, guarded(work, transaction))
      : begin(guarded(options as Work, transaction));
    // The driver rejects this promise when the connection is lost, also while `work` waits for something else. Its own
    // error says only that the connection is closed.
    return begun.catch((error) => {
      transaction.is_over = true;
      throw transaction.loss ?? error;
    });
  };
  return Object.assign(sql, { begin: begins as Begin });
}

function newTransaction(): Transaction {
  const transaction: Transaction = {
    is_over: false,
    loss: undefined,
    watch(query) {
      if (!isQuery(query)) return;
      const { handler, reject } = query;
      query.handler = (sent) => transaction.is_over ? reject(lost()) : handler(sent);
      query.reject = (error) => {
        if (isLoss(error)) {
          transaction.is_over = true;
          transaction.loss ??= error;
        }
        reject(error);
      };
    },
  };
  return transaction;
}

const lost = () =>
  Object.assign(new Error("This transaction's connection is lost"), { code: "CONNECTION_CLOSED", query: "" });

/** A query of the driver, which calls the handler to send it. */
interface Query {
  handler(query: object): void;
  reject(error: unknown): void;
}

const isQuery = (query: object): query is Query =>
  "reject" in query && typeof query.reject === "function" && "handler" in query && typeof query.handler === "function";

/**
 * Does the work of a transaction, or of one of its savepoints. The driver sends a commit or a rollback when this function
 * returns, so it never returns once the transaction is over: the driver has rejected the promise of `begin` already.
 */
export async function silencing<Result>(
  transaction: Transaction | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work();
    if (!transaction?.is_over) return result;
  } catch (error) {
    if (!transaction?.is_over) throw error;
  }
  return await new Promise<never>(() => {});
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
