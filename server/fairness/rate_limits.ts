/**
 * Limits how many requests, writes, compilations and actions a caller may send in a minute, in the memory of this
 * process. docs/limits.md says which and why. One number is kept for each caller (GCRA): the moment at which its
 * allowance is whole again.
 */
import type { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Pool } from "../database/pool.ts";
import { Refusal } from "../errors.ts";
import type { Log } from "../log.ts";
import { bounded, remember } from "../remembered.ts";
import { countedAs } from "./counted_as.ts";

/** A minute: `limit` calls may come at once, and come back evenly over it. */
const WINDOW_MS = 60_000;
/** Callers and accounts that are remembered, for each kind of call. The least recently seen begin anew. */
const MOST_REMEMBERED = 20_000;

/** Calls a minute of one token, session or, without a login, address; and of a whole account. */
export const DEFAULTS = {
  requests: 6_000,
  writes: 3_000,
  compiles: 60,
  actions: 600,
  account_requests: 120_000,
  account_writes: 60_000,
  account_compiles: 300,
  account_actions: 12_000,
} as const;

const KINDS = ["requests", "writes", "compiles", "actions"] as const;
export type Kind = (typeof KINDS)[number];
type Limit = keyof typeof DEFAULTS;
export const LIMIT_NAMES = [
  ...KINDS,
  ...KINDS.map((kind) => `account_${kind}` as const),
] satisfies readonly Limit[];

const Most = z.int().min(1).max(10_000_000).nullable().optional();
/** An account's own limits. Null is none; those that are left out are the defaults. */
export const RateLimits = z.strictObject(
  Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, Most])) as Record<Limit, typeof Most>,
);
export type RateLimits = z.output<typeof RateLimits>;

export interface Who {
  account_id: number;
  /** Undefined for a visitor, who is limited by address. */
  viewer: { token_id: number | null; session_id: number | null; user_id: number } | undefined;
  address: string;
  /** Visitors are limited for each app on its own. */
  app_id?: string | undefined;
}

export interface RateLimiter {
  /**
   * Counts a call. A promise only where the account's limits are not in memory.
   *
   * @throws {Refusal} 429, with Retry-After, RateLimit and RateLimit-Policy
   */
  take(kind: Kind, who: Who): void | Promise<void>;
  /** The limits of a caller and of its account, and how much of them is used, in the order of `DEFAULTS`. */
  usage(who: Who): Promise<Usage[]>;
  /** Call after a change of an account's limits: it holds at once in this process. */
  forget(account: number): void;
  close(): Promise<void>;
}

/** A limit as it is in force for a caller. */
export interface Usage {
  name: Limit;
  /** Null: none. */
  limit: number | null;
  /** Calls of the last minute that have not come back yet, in this process. */
  used: number;
}

interface Bucket {
  /** When the allowance is whole again, in milliseconds. */
  whole_at: number;
}

type Buckets = LRUCache<string, Bucket>;

/** Counts a call within the limits that the account has set. @throws {Refusal} 429 */
export type Count = (own: RateLimits, kind: Kind, who: Who) => void;

interface Counter {
  count: Count;
  used(own: RateLimits, who: Who): Usage[];
}

export function createRateLimits(
  { sql, clock, log }: { sql: Pool; clock: { now(): Date }; log: Log },
): RateLimiter {
  const { count, used } = createCounter(clock);
  const accounts = remember<number, { id: number; limits: RateLimits }>({
    load: (id) => findLimits(sql, id),
    believed_ms: 4_000,
    limit: 10_000,
    notified: {
      sql,
      log,
      channel: "viewers_changed",
      matches: ({ id }, payload) => id === Number(payload),
    },
  });

  return {
    take(kind, who) {
      // A visitor of an unknown host.
      if (who.account_id === 0) return count({}, kind, who);
      const known = accounts.peek(who.account_id);
      if (known) return count(known.limits, kind, who);
      // Without the database the defaults hold.
      return accounts.find(who.account_id).catch(() => undefined)
        .then((found) => count(found?.limits ?? {}, kind, who));
    },
    usage: async (who) => used((await accounts.find(who.account_id))?.limits ?? {}, who),
    forget: accounts.forget,
    close: accounts.close,
  };
}

export function createCounter(clock: { now(): Date }): Counter {
  const bucketsOf = (): Buckets => bounded(MOST_REMEMBERED);
  const kinds = { requests: bucketsOf(), writes: bucketsOf(), compiles: bucketsOf(), actions: bucketsOf() };
  const networks = bounded<string, string>(MOST_REMEMBERED);
  const networkOf = (address: string) => {
    let network = networks.get(address);
    if (network === undefined) networks.set(address, network = countedAs(address));
    return network;
  };
  const usageOf = (own: RateLimits, who: Who, name: Limit, kind: Kind, key: string): Usage => {
    const limit = limitOf(own, name, isLocal(who.address));
    const left_ms = (kinds[kind].peek(key)?.whole_at ?? 0) - clock.now().getTime();
    return { name, limit, used: limit === null ? 0 : Math.max(0, Math.ceil(left_ms * limit / WINDOW_MS)) };
  };
  return {
    count(own, kind, who) {
      const now = clock.now().getTime();
      const local = isLocal(who.address);
      const one = limitOf(own, kind, local);
      if (one !== null) spend(kinds[kind], subjectOf(who, networkOf), kind, one, now);
      const all = limitOf(own, `account_${kind}`, local);
      if (all !== null) spend(kinds[kind], `account ${who.account_id}`, `account_${kind}`, all, now);
    },
    used: (own, who) => [
      ...KINDS.map((kind) => usageOf(own, who, kind, kind, subjectOf(who, networkOf))),
      ...KINDS.map((kind) => usageOf(own, who, `account_${kind}`, kind, `account ${who.account_id}`)),
    ],
  };
}

/** An account that has set no limit does not limit this machine's own scripts and benchmarks. */
const limitOf = (own: RateLimits, name: Limit, local: boolean): number | null =>
  own[name] === undefined ? local ? null : DEFAULTS[name] : own[name];

const isLocal = (address: string) =>
  address === "127.0.0.1" || address === "::1" || address.startsWith("127.") || address.startsWith("::ffff:127.");

function subjectOf(
  { account_id, viewer, address, app_id = "" }: Who,
  networkOf: (address: string) => string,
): string {
  if (!viewer) return `address ${account_id} ${networkOf(address)} ${app_id}`;
  if (viewer.token_id !== null) return `token ${viewer.token_id}`;
  // A host page's viewer has neither a token nor a session.
  return viewer.session_id === null ? `embedded ${viewer.user_id}` : `session ${viewer.session_id}`;
}

/** @throws {Refusal} 429 */
function spend(buckets: Buckets, key: string, name: Limit, limit: number, now: number): void {
  let bucket = buckets.get(key);
  if (!bucket) buckets.set(key, bucket = { whole_at: now });
  const each_ms = WINDOW_MS / limit;
  const whole_at = Math.max(bucket.whole_at, now) + each_ms;
  const wait_ms = whole_at - now - WINDOW_MS;
  if (wait_ms > 0.001) throw tooMany(name, limit, Math.max(1, Math.ceil(wait_ms / 1000)));
  bucket.whole_at = whole_at;
}

const WORDS: Record<Kind, string> = {
  requests: "requests",
  writes: "writes",
  compiles: "compilations",
  actions: "runs",
};

function tooMany(name: Limit, limit: number, wait_s: number): Refusal {
  const of_account = name.startsWith("account_");
  const kind = name.replace("account_", "") as Kind;
  const whose = of_account ? " of this account" : "";
  return new Refusal(429, `At most ${limit.toLocaleString("en")} ${WORDS[kind]} a minute${whose}: try again later`, {
    headers: {
      "retry-after": String(wait_s),
      "ratelimit-policy": `"${name}";q=${limit};w=${WINDOW_MS / 1000}`,
      "ratelimit": `"${name}";r=0;t=${wait_s}`,
    },
  });
}

async function findLimits(sql: Pool, id: number): Promise<{ id: number; limits: RateLimits } | undefined> {
  const [row] = await sql<{ limits: unknown }[]>`select rate_limits as limits from accounts where id = ${id}`;
  return row && { id, limits: RateLimits.parse(row.limits) };
}
