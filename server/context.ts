/** What a procedure may use. Modules keep no state: everything that a request needs comes in through its context. */
import { actorOf } from "./actor.ts";
import type { Build, Compiler, CssEngine, Engine, Size } from "./compiler/compiler.ts";
import type { Config } from "./config.ts";
import type { ChatModel } from "./outside/chat_model.ts";
import type { Connectors } from "./connectors/connectors.ts";
import { actingPool } from "./database/acting.ts";
import type { RowReads } from "./database/groups/reads.ts";
import type { RowWrites } from "./database/groups/writes.ts";
import type { Pool } from "./database/pool.ts";
import type { StatementTimes } from "./database/statement_times.ts";
import type { Flows } from "./flow/flow.ts";
import type { RateLimiter } from "./fairness/rate_limits.ts";
import type { IdentityProvider } from "./secrets/identity_provider.ts";
import type { Keys } from "./secrets/keys.ts";
import type { Log, LogFilter, LogLine } from "./log.ts";
import type { Mailer } from "./outside/mail.ts";
import type { Passwords } from "./secrets/passwords.ts";
import type { PasswordStrength } from "./secrets/password_strength.ts";
import type { Schedules } from "./schedule/schedule.ts";
import type { Databases, Feeds } from "./store/store.ts";
import type { Call, Caller, Viewer, Viewers } from "./viewer.ts";

/** An active app, as far as its actions need it. */
export interface OpenApp {
  account_id: number;
  department_id: number | null;
  public: boolean;
  actions: readonly { action: string; flow_code: string; public: boolean }[];
  /** By the name of the action, the id of the user who wrote it last. */
  action_authors: Readonly<Record<string, number>>;
}

export interface PageBuild extends Build {
  engine: Engine;
  css_engine: CssEngine;
}

/** Active apps in memory. What it returns may be up to 5 s old. */
export interface Pages {
  byId(app_id: string): Promise<OpenApp | undefined>;
  /** The account of a request that names none: the one whose `host` it is, else the oldest. */
  accountOf(host: string): Promise<number | undefined>;
  /** Call after a change of an account's `host`: it holds at once in this process. */
  forgetHosts(): void;
  /** Origins of the pages that may show the account's apps in frames, beside this server's own. */
  embeddingHosts(account_id: number): Promise<readonly string[]>;
  /** Call after a change of them: it holds at once in this process. */
  forgetEmbedding(account_id: number): void;
  /** The size of the document around a build, without what only one viewer's has. */
  weigh(build: PageBuild): Promise<Size>;
  /** Call after a change of an app: its page is built again at once in this process. */
  forget(app_id: string): void;
}

export interface DatabaseSize {
  engine: "PostgreSQL" | "embedded";
  version: string;
  bytes: number;
  connections: number | null;
  tables: { name: string; bytes: number; rows: number }[];
}

/** What this process says of itself to admins of the server. */
export interface ProcessReport {
  /** Writes the present figures. */
  write(): Promise<void>;
  /** May be older than half a minute: it is then read again for the next caller. */
  database(): Promise<DatabaseSize>;
}

/** The lines of the logs of all processes. */
export interface LogExchange {
  /** The process that answers. */
  readonly process: { number: number; pid: number };
  /**
   * The latest lines that match, then further ones.
   *
   * @returns ends it
   */
  follow(
    filter: LogFilter,
    onLines: (lines: (LogLine & { process: { number: number; pid: number } })[], left_out: number) => void,
  ): () => void;
}

export interface Clock {
  now(): Date;
}

/** The sources that run. */
export interface Release {
  /** As deno.json has it. */
  version: string;
  /** Changes with every change of the sources; the same in all processes that run them. */
  id(): Promise<string>;
}

/** Made once, in `compose.ts`. */
export interface Services {
  config: Config;
  sql: Pool;
  /** Reads of single rows, outside of transactions. */
  reads: RowReads;
  /** Writes of single rows. Undefined where each write must join a transaction. */
  writes: RowWrites | undefined;
  kv: Deno.Kv;
  compiler: Compiler;
  viewers: Viewers;
  passwords: Passwords;
  strength: PasswordStrength;
  /** Undefined without `SMTP_URL`. */
  mailer: Mailer | undefined;
  /** Undefined where none is configured. */
  identity_provider: IdentityProvider | undefined;
  /** Undefined without `AI_URL`. */
  model: ChatModel | undefined;
  pages: Pages;
  keys: Keys;
  limits: RateLimiter;
  dbs: Databases;
  feeds: Feeds;
  connectors: Connectors;
  flows: Flows;
  schedules: Schedules;
  clock: Clock;
  release: Release;
  process_report: ProcessReport;
  log_exchange: LogExchange;
  statement_times: StatementTimes;
  log: Log;
}

export interface Context extends Services {
  readonly call: Call;
  /**
   * Behind `guestProcedure` and the procedures of stronger roles.
   *
   * @throws {Error} elsewhere
   */
  readonly viewer: Viewer;
  /**
   * Behind `pageProcedure`.
   *
   * @throws {Error} elsewhere
   */
  readonly caller: Caller;
}

/**
 * Makes the contexts of requests. Services are inherited, not copied: one copy per request and one more in each of
 * tRPC's steps took a fifth of the time of a small answer.
 *
 * @param services also what only the HTTP layer uses
 */
export function contexts<More extends Services>(services: More): (call: Call) => More & Context {
  class RequestContext {
    #sql: Pool | undefined;
    constructor(readonly call: Call) {}
    /** Its writes name the caller to the audit log. */
    get sql() {
      return this.#sql ??= actingPool(services.sql, () => actorOf(this.call));
    }
    get viewer() {
      if (!this.call.viewer) throw new Error("a viewer is used before it is proven");
      return this.call.viewer;
    }
    get caller() {
      if (!this.call.caller) throw new Error("a caller is used before it is proven");
      return this.call.caller;
    }
  }
  Object.setPrototypeOf(RequestContext.prototype, services);
  return (call) => new RequestContext(call) as RequestContext & More;
}
