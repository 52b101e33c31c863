/** Opens the postgres.js pool. The type parsers here are the only place that converts values from PostgreSQL. */
import { isoOf } from "./iso_time.ts";
import postgres from "postgres";
import { isCreated, openEmbedded } from "../../db/embedded/embedded.ts";
import type { Config } from "../config.ts";
import { guardTransactions } from "./connection/connection_loss.ts";
import { addressForDriver } from "./connection/database_url.ts";
import { createSockets, tlsOf } from "./connection/sockets.ts";
import type { Log } from "../log.ts";
import type { Pool } from "./sql.ts";
import { createStatementTimes, type StatementTimes } from "./statement_times.ts";
import { withParts } from "./tagged.ts";

export type { Pool, Sql } from "./sql.ts";

export interface Database {
  sql: Pool;
  times: StatementTimes;
  close(): Promise<void>;
}

const TYPES = {
  int8: {
    to: 20,
    from: [20],
    serialize: String,
    /** For counts and sums. Beyond 2^53 a number would be inexact. */
    parse: (text: string) => {
      const value = Number(text);
      if (!Number.isSafeInteger(value)) throw new RangeError("a bigint from the database is not a safe integer");
      return value;
    },
  },
  timestamp: {
    to: 1184,
    from: [1184],
    serialize: (value: string | Date) => value instanceof Date ? value.toISOString() : value,
    parse: (text: string) => isoOf(Date.parse(text)),
  },
};

/** Longer than any legitimate statement. PostgreSQL cancels a longer one, which is answered with 503. */
const STATEMENT_TIMEOUT_MS = 30_000;
/**
 * PostgreSQL ends a session that leaves its transaction idle for so long, because a process that is frozen or cut off
 * would keep its locks. Below `STATEMENT_TIMEOUT_MS`, so that others who wait for these locks get them in time.
 */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** PostgreSQL gives up a connection whose peer has acknowledged nothing for so long. */
const TCP_USER_TIMEOUT_MS = 20_000;
/** Seconds: a connection without traffic is probed after the first, and again every second of them, three times. */
const [KEEPALIVE_IDLE_S, KEEPALIVE_INTERVAL_S, KEEPALIVE_COUNT] = [15, 5, 3];
const DRAIN_S = 5;
const CONNECT_S = 5;
/**
 * postgres.js 3.4.9 never sends a message that it has delayed when its connection is lost, nor the short ones behind it:
 * the next connection would not begin. A message of 1,024 bytes goes at once. PostgreSQL ignores the spaces.
 */
const AT_ONCE = 1_100;

/** Opens PostgreSQL if `database_url` is set, otherwise the embedded database in `data_dir`. */
export function openDatabase(config: Pick<Config, "database_url" | "data_dir">, log: Log): Promise<Database> {
  return config.database_url ? openPostgres(config.database_url, log) : openFolder(config.data_dir, log);
}

/** Whether `openDatabase` is going to create a database, as far as that is known before it asks a server. */
export const createsDatabase = ({ database_url, data_dir }: Pick<Config, "database_url" | "data_dir">): boolean =>
  database_url === undefined && !isCreated(embeddedIn(data_dir));

const embeddedIn = (data_dir: string) => `${data_dir}/postgres`;

const common = (log: Log) => ({
  types: TYPES,
  connection: {
    application_name: "atrium",
    TimeZone: "UTC",
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // A list's `limit` is a parameter, so PostgreSQL would plan each call again: 2 ms for a list that takes 0.3 ms.
    plan_cache_mode: "force_generic_plan",
  },
  onnotice: ({ severity, message }: postgres.Notice) => {
    if (severity === "WARNING") log.warn("database warning", { message });
  },
});

function openPostgres(url: string, log: Log): Promise<Database> {
  const { connection, ...rest } = common(log);
  // A separate constant, because the driver's types lack its `socket` option.
  const options = {
    ...rest,
    socket: createSockets(tlsOf(addressForDriver(url)), CONNECT_S * 1_000),
    ssl: false,
    connection: {
      ...connection,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      tcp_user_timeout: TCP_USER_TIMEOUT_MS,
      tcp_keepalives_idle: KEEPALIVE_IDLE_S,
      tcp_keepalives_interval: KEEPALIVE_INTERVAL_S,
      tcp_keepalives_count: String(KEEPALIVE_COUNT).padEnd(AT_ONCE),
    },
    keep_alive: KEEPALIVE_IDLE_S,
    max: 10,
    connect_timeout: CONNECT_S,
    // Reconnects soon after an outage. The default waits up to 30 s between attempts.
    backoff: (attempts: number) => Math.min(0.05 * 2 ** attempts, 1),
    // Renews connections, so that none stays with an old server long after a failover.
    max_lifetime: 30 * 60,
  };
  const sql = postgres(addressForDriver(url), options);
  const times = createStatementTimes();
  const tagged = withParts(guardTransactions(sql, times), times);
  return Promise.resolve({ sql: tagged, times, close: () => sql.end({ timeout: DRAIN_S }) });
}

async function openFolder(folder: string, log: Log): Promise<Database> {
  const embedded = await openEmbedded({ folder: embeddedIn(folder) });
  // A separate constant, because the driver's types lack its `socket` option.
  const options = { ...common(log), socket: embedded.socket, max: 4, max_lifetime: null, idle_timeout: 0 };
  const sql = postgres(options);
  const times = createStatementTimes();
  return {
    sql: withParts(guardTransactions(sql, times), times),
    times,
    async close() {
      await sql.end({ timeout: DRAIN_S });
      await embedded.close();
    },
  };
}
