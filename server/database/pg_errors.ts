/** Turns errors of PostgreSQL and of its connection into refusals, so that procedures need no try/catch. */
import postgres from "postgres";
import { internal, invalid, Refusal, unavailable } from "../errors.ts";
import { isLateWrite } from "./connection/connection_loss.ts";

/** Codes of postgres.js and of the system for an unreachable database or a lost connection. */
const AWAY = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "CONNECTION_CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "EAI_AGAIN",
]);

const MESSAGES: Record<string, string> = {
  "23502": "can't be blank",
  "23503": "must exist",
  "23505": "has already been taken",
  "23514": "is invalid",
};

/** Not the whole class 25: a transaction that was idle for too long, and a server that has become a standby. */
const INTERRUPTED = new Set(["25P03", "25006"]);

/** Another transaction has locked the row, and the statement said `nowait`. */
export const isLockNotAvailable = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === "55P03";

/** The statement ran for longer than `statement_timeout`. */
export const isStatementTimeout = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === "57014";

/** Whether a row with the same primary key is there already. */
export const isKnownKey = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === "23505" &&
  error.constraint_name?.endsWith("_pkey") === true;

/** Whether the database, or another store of this server, could not be used at the moment: later the same may succeed. */
export const isOutage = (error: unknown): boolean =>
  (error instanceof Refusal ? error : refusalOfDatabase(error))?.status === 503;

/** @returns undefined if the error does not come from the database */
export function refusalOfDatabase(error: unknown): Refusal | undefined {
  if (!(error instanceof Error)) return;
  if (error instanceof postgres.PostgresError) return refusalOfPostgres(error);
  if ("code" in error && typeof error.code === "string" && AWAY.has(error.code)) {
    return unavailable("The database is away", error);
  }
  if (isLateWrite(error)) return unavailable("The database is away", error);
}

function refusalOfPostgres(error: postgres.PostgresError): Refusal {
  const { code } = error;
  const message = MESSAGES[code];
  if (message) return invalid({ [fieldOf(error)]: [message] });
  if (INTERRUPTED.has(code)) return unavailable("The database could not answer in time", error);
  switch (code.slice(0, 2)) {
    case "22": // data exception: a value that the type does not hold
    case "23": // other integrity constraints
    case "54": // program limit exceeded: a value too large for an index
      return invalid({ base: ["has a value that cannot be stored"] });
    case "53":
      return unavailable("The database is out of space or connections", error);
    case "08": // connection exception
    case "40": // deadlock, serialization
    case "55": // lock not available
    case "57": // shutdown, statement time-out, crash
    case "58": // system error
      return unavailable("The database could not answer in time", error);
    default:
      return internal(error);
  }
}

/** Constraints are named `<table>_<field>_key`, `_fkey` or `_check`. */
function fieldOf({ column_name, constraint_name, table_name }: postgres.PostgresError): string {
  if (column_name) return column_name;
  const prefix = `${table_name}_`;
  const name = constraint_name?.startsWith(prefix) ? constraint_name.slice(prefix.length) : undefined;
  return name?.replace(/_(key|fkey|check)$/, "") || "base";
}
