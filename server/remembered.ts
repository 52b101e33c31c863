/**
 * An in-memory cache of values that live in PostgreSQL. A value is believed for a few seconds, is dropped at once when a
 * notification names it, and is loaded once however many callers ask for it at the same time.
 */
import { LRUCache } from "lru-cache";
import type { Pool } from "./database/pool.ts";
import { faultOf, type Log } from "./log.ts";

export interface Remembered<Key, Value> {
  /** Undefined where there is no such value; absence is never cached. */
  find(key: Key): Promise<Value | undefined>;
  /**
   * The cached value where it needs no check, without a promise.
   *
   * @param at the time, on the clock of `now`
   */
  peek(key: Key, at?: number): Value | undefined;
  /** The same with its end, for caches of what is made of several values. */
  hold(key: Key, at?: number): Held<Value> | undefined;
  /** Also drops loads in flight: callers that ask from now on get a value that is read from now on. */
  forget(key: Key): void;
  /** Drops every value that matches, and every load in flight. */
  forgetWhere(matches: (value: Value) => boolean): void;
  forgetAll(): void;
  /** Ends the subscription to notifications. */
  close(): Promise<void>;
}

/** A value that may be used while `until` is later than now. It ends early where the value is forgotten. */
export interface Held<Value> {
  /** Undefined after its end. */
  readonly value: Value | undefined;
  readonly until: number;
}

interface Options<Key, Value> {
  load(key: Key): Promise<Value | undefined>;
  /** For how long a value is returned without a look at PostgreSQL, in milliseconds. */
  believed_ms: number;
  /** The most values that are kept, or the most bytes with the size of each. The least recently used go first. */
  limit: number | { bytes: number; sizeOf(value: Value): number };
  /** Checks an expired value. Without it an expired value is loaded again. */
  isCurrent?(value: Value): Promise<boolean>;
  /** An earlier end of a value, on the clock of `now`. */
  until?(value: Value): number;
  /** Milliseconds on any clock that does not stand still. */
  now?: () => number;
  /** A PostgreSQL notification channel whose payload names the changed values. */
  notified?: { sql: Pool; log: Log; channel: string; matches(value: Value, payload: string): boolean };
}

interface Entry<Value> {
  found: Promise<Value | undefined>;
  /** Undefined while the first load is in flight. */
  value: Value | undefined;
  /** Infinity while a load or a check is in flight: all callers share its promise. */
  until: number;
}

/**
 * A cache of a limited number of values; the least recently used go first. Its room grows with its entries. LRUCache's
 * own `max` makes room for all of them at once: those of a server took a twelfth of its start.
 *
 * @param most how many values are kept
 */
export const bounded = <Key extends NonNullable<unknown>, Value extends NonNullable<unknown>>(most: number) =>
  new LRUCache<Key, Value>({ maxSize: most, sizeCalculation: () => 1 });

/** @throws whatever `load` and `isCurrent` throw, to every caller that waits for them; errors are never cached */
export function remember<Key extends string | number, Value extends NonNullable<unknown>>(
  { load, believed_ms, limit, isCurrent, until, now = () => performance.now(), notified }: Options<Key, Value>,
): Remembered<Key, Value> {
  const [most, sizeOf] = typeof limit === "number" ? [limit, () => 1] : [limit.bytes, limit.sizeOf];
  const none = Promise.resolve(undefined);
  const entries = new LRUCache<Key, Entry<Value>>({
    maxSize: most,
    sizeCalculation: ({ value }) => value === undefined ? 1 : Math.max(1, sizeOf(value)),
    // An entry may outlive its place in the cache, in a cache of held values: it must not keep the value in memory.
    dispose: (entry) => void Object.assign(entry, { value: undefined, until: 0, found: none }),
  });
  const hold = (key: Key, at = now()): Held<Value> | undefined => {
    const entry = entries.get(key);
    return entry && entry.until !== Infinity && entry.until > at ? entry : undefined;
  };

  const forgetWhere = (matches: (value: Value) => boolean) => {
    for (const [key, { value, until }] of entries.entries()) {
      if (value === undefined || until === Infinity || matches(value)) entries.delete(key);
    }
  };

  const listen = listener(
    notified,
    (payload) => forgetWhere((value) => notified?.matches(value, payload) ?? false),
    () => entries.clear(),
  );

  const refresh = async (key: Key, entry: Entry<Value>, known: Value | undefined): Promise<Value | undefined> => {
    const begun = now();
    try {
      const value = known !== undefined && await isCurrent?.(known) ? known : await load(key);
      // Forgotten or evicted meanwhile: what was read may be the state before the change.
      if (entries.peek(key) !== entry) return value;
      if (value === undefined) entries.delete(key);
      // The cache counts a value's size only when it is a new object.
      else {entries.set(key, {
          found: entry.found,
          value,
          until: Math.min(begun + believed_ms, until?.(value) ?? Infinity),
        });}
      return value;
    } catch (error) {
      if (entries.peek(key) === entry) entries.delete(key);
      throw error;
    }
  };

  return {
    find(key) {
      const entry = entries.get(key);
      if (entry && entry.until > now()) return entry.found;
      listen.start();
      const fresh: Entry<Value> = { found: Promise.resolve(undefined), value: entry?.value, until: Infinity };
      entries.set(key, fresh);
      return fresh.found = refresh(key, fresh, fresh.value);
    },
    peek: (key, at) => hold(key, at)?.value,
    hold,
    forget: (key) => void entries.delete(key),
    forgetWhere,
    forgetAll: () => entries.clear(),
    close: listen.stop,
  };
}

/** Subscribes at the first use, and again at a later use where that failed. */
function listener<Value>(
  notified: Options<never, Value>["notified"],
  onPayload: (payload: string) => void,
  onConnect: () => void,
) {
  let listening: Promise<{ unlisten(): Promise<void> } | undefined> | undefined;
  const start = () => {
    if (!notified || listening) return;
    const { sql, log, channel } = notified;
    // Notifications are lost while there is no connection, so each new connection starts from an empty cache.
    listening = sql.listen(channel, onPayload, onConnect).catch((error) => {
      log.warn("no change notifications", { channel, ...faultOf(error) });
      listening = undefined;
      return undefined;
    });
  };
  return { start, stop: async () => await (await listening)?.unlisten().catch(() => {}) };
}

/** The key of a value that has a code within its account. */
export const accountKey = (account_id: number, code: string): string => `${account_id}/${code}`;

export function readAccountKey(key: string): [account_id: number, code: string] {
  const slash = key.indexOf("/");
  return [Number(key.slice(0, slash)), key.slice(slash + 1)];
}

/** Notifications whose payload is the id of the account whose values have changed. */
export const ofAccount = (sql: Pool, log: Log, channel: string) => ({
  sql,
  log,
  channel,
  matches: ({ account_id }: { account_id: number }, payload: string) => String(account_id) === payload,
});
