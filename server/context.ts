/** What a procedure may use. No module keeps state: whatever a request needs comes in here. */
import type { Compiler } from "./compiler/compiler.ts";
import type { Config } from "./config.ts";
import type { Connectors } from "./connectors/connectors.ts";
import type { Pool } from "./database/pool.ts";
import type { Flows } from "./flow/flow.ts";
import type { Keys } from "./secrets/keys.ts";
import type { Log } from "./log.ts";
import type { Passwords } from "./secrets/passwords.ts";
import type { Schedules } from "./schedule/schedule.ts";
import type { Databases, Feeds } from "./store/store.ts";

/** Weakest first. Each may do what the ones before it may (decisions, "Roles"). */
export const ROLES = ["guest", "user", "manager", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** Who calls: a user of an account through one of its tokens. */
export interface Viewer {
  account_id: number;
  user_id: number;
  token_id: number;
  role: Role;
  /** When the token ends, ISO 8601; null is never. */
  expires_at: string | null;
  /** `<domain>:read` or `<domain>:write`; null is everything that the role may do. */
  scopes: readonly string[] | null;
  /** Visibility by department is restricted in this account. */
  restricted: boolean;
  department_ids: readonly number[];
  without_department: boolean;
}

/** Finds viewers by their tokens and remembers them for a short time. */
export interface Viewers {
  byToken(token: string): Promise<Viewer | undefined>;
  /** Whoever the token with this number stands for. */
  byTokenId(token_id: number): Promise<Viewer | undefined>;
  /** Call after a change of tokens, users, departments or the account: it holds at once in this process. */
  forget(): void;
}

/** An active app, as far as its actions go. */
export interface OpenApp {
  account_id: number;
  department_id: number | null;
  public: boolean;
  actions: readonly { action: string; flow_code: string; public: boolean }[];
}

/** The pages of `/a/`, kept in memory. */
export interface Pages {
  /** May be a moment old. */
  byId(app_id: string): Promise<OpenApp | undefined>;
  /** Call after a change of an app: its page is made anew at once in this process. */
  forget(app_id: string): void;
}

export interface Clock {
  now(): Date;
}

/** Composed once, in `main.ts`. */
export interface Services {
  config: Config;
  sql: Pool;
  kv: Deno.Kv;
  compiler: Compiler;
  viewers: Viewers;
  passwords: Passwords;
  pages: Pages;
  keys: Keys;
  dbs: Databases;
  feeds: Feeds;
  connectors: Connectors;
  flows: Flows;
  schedules: Schedules;
  clock: Clock;
  log: Log;
}

/** One request's part. */
export interface Call {
  request_id: string;
  /** The caller's address; behind trusted proxies the one that they tell. */
  address: string;
  /** The bearer token as sent. */
  token: string | undefined;
  /** Filled once the caller is known. */
  viewer: Viewer | undefined;
  /** Whether the answer already carries the request's id. */
  stamped: boolean;
}

/** The header that names this request, for an answer that is made with its headers: adding one later costs a tenth. */
export function stamp(call: Call): { "x-request-id": string } {
  call.stamped = true;
  return { "x-request-id": call.request_id };
}

export interface Context extends Services {
  readonly call: Call;
  /**
   * Who calls. Only behind a procedure that proves it.
   *
   * @throws {Error} elsewhere
   */
  readonly viewer: Viewer;
}

/**
 * Makes the contexts of requests. Services are inherited, not copied: a copy a request, and one more at each of tRPC's
 * steps, was a fifth of a small answer's cost.
 */
export function contexts(services: Services): (call: Call) => Context {
  const shared = Object.create(services, {
    viewer: {
      get(this: Context) {
        if (!this.call.viewer) throw new Error("nobody has proven yet who calls");
        return this.call.viewer;
      },
    },
  });
  return (call) => Object.create(shared, { call: { value: call } });
}
