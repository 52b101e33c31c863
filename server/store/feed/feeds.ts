/**
 * Sends the changes of databases to the subscribers of this process. Changes are read once for all subscribers of a
 * database: when a notification arrives, and every few seconds in case one was lost.
 */
import type { Pool } from "../../database/pool.ts";
import { faultOf, type Log } from "../../log.ts";
import {
  CHANGES_AT_ONCE,
  type FeedDb,
  type FeedState,
  keepFeed,
  listChanges,
  openFeed,
  readFeed,
} from "./feed_queries.ts";
import type { Feeds, StoredChange } from "./stored_change.ts";

const LOOKED_AT_EVERY_MS = 5_000;
const KEPT_OPEN_EVERY_MS = 60 * 60_000;
/** Changes that are buffered for a slow subscriber. If there are more, it is sent `reset` (back-pressure). */
const MAX_BUFFERED = 5_000;

interface Hub extends FeedState {
  db: FeedDb;
  subscribers: Set<Subscriber>;
  kept_open: number;
  reading: Promise<void> | undefined;
  /** A read was requested while another one was in progress. */
  again: boolean;
}

interface Subscriber {
  waiting: StoredChange[];
  /** The value of the feed when the subscriber connected. */
  complete_from: number;
  /** Set if changes up to this sequence number are missing. */
  reset: number | undefined;
  /** The database has been deleted. */
  gone: boolean;
  wake(): void;
}

export function createFeeds(sql: Pool, log: Log): Feeds {
  const hubs = new Map<number, Hub>();
  const ended = new AbortController();
  let listening: Promise<{ unlisten(): Promise<void> }[]> | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;

  const listen = async () => {
    timer ??= setInterval(() => hubs.forEach((hub) => void refresh(hub)), LOOKED_AT_EVERY_MS);
    const changed = (id: string) => {
      const hub = hubs.get(Number(id));
      if (hub) void refresh(hub);
    };
    listening ??= Promise.all([
      sql.listen("records_changed", changed, () => hubs.forEach((hub) => void refresh(hub))),
      sql.listen("db_changed", changed),
    ]);
    await listening.catch((error) => {
      log.warn("not told of changed records", faultOf(error));
      listening = undefined;
    });
  };

  const refresh = (hub: Hub): Promise<void> => {
    hub.again = true;
    hub.reading ??= read(hub).catch((error) => log.warn("changes not read", faultOf(error)))
      .finally(() => hub.reading = undefined);
    return hub.reading;
  };

  const read = async (hub: Hub) => {
    const now = performance.now();
    if (now - hub.kept_open > KEPT_OPEN_EVERY_MS) {
      await keepFeed(sql, hub.db);
      hub.kept_open = now;
    }
    while (hub.again) {
      hub.again = false;
      const feed = await readFeed(sql, hub.db, hub.seq);
      if (!feed) return hub.subscribers.forEach(endFor);
      const { open, complete_from, changes } = feed;
      // The feed has expired, for example because the machine slept. Changes since then were not stored.
      if (!open) await openFeed(sql, hub.db);
      if (!open || changes.length === CHANGES_AT_ONCE) hub.again = true;
      if (complete_from > hub.seq) hub.subscribers.forEach((subscriber) => resetTo(subscriber, complete_from));
      hub.complete_from = complete_from;
      hub.seq = Math.max(changes.at(-1)?.seq ?? hub.seq, complete_from);
      for (const subscriber of hub.subscribers) deliver(subscriber, changes);
    }
  };

  const join = (db: FeedDb, feed: FeedState, subscriber: Subscriber): Hub => {
    const hub = hubs.get(db.id) ??
      { ...feed, db, subscribers: new Set(), kept_open: performance.now(), reading: undefined, again: false };
    hubs.set(db.id, hub);
    hub.subscribers.add(subscriber);
    // The hub may have read a reset since this subscriber read the feed.
    resetTo(subscriber, hub.complete_from);
    return hub;
  };

  const leave = (id: number, subscriber: Subscriber) => {
    const hub = hubs.get(id);
    hub?.subscribers.delete(subscriber);
    if (hub?.subscribers.size === 0) hubs.delete(id);
  };

  return {
    async *follow(db, after, left) {
      const signal = AbortSignal.any([left, ended.signal]);
      await listen();
      const feed = await openFeed(sql, db);
      if (!feed) return;
      let wake = () => {};
      const { complete_from } = feed;
      const subscriber: Subscriber = { waiting: [], complete_from, reset: undefined, gone: false, wake: () => wake() };
      const stop = () => wake();
      signal.addEventListener("abort", stop);
      try {
        const { seq: joined } = join(db, feed, subscriber);
        let seq = canResume(feed, after) ? after : feed.seq;
        yield { kind: seq === after || after === undefined ? "ready" : "reset", seq };
        // Changes between the subscriber's last one and the hub's position are read from the table.
        for await (const changes of changesBetween(sql, db, seq, joined)) {
          seq = changes.at(-1)?.seq ?? seq;
          yield { kind: "changes", changes };
        }
        while (!signal.aborted && !subscriber.gone) {
          const { reset, waiting } = subscriber;
          subscriber.reset = undefined;
          subscriber.waiting = [];
          if (reset !== undefined) {
            seq = Math.max(seq, reset);
            yield { kind: "reset", seq };
          }
          const changes = waiting.filter((change) => change.seq > seq);
          if (changes.length > 0) {
            seq = changes.at(-1)?.seq ?? seq;
            yield { kind: "changes", changes };
          } else {
            const wake_up = Promise.withResolvers<void>();
            wake = wake_up.resolve;
            if (!hasNews(subscriber) && !signal.aborted) await wake_up.promise;
          }
        }
      } finally {
        signal.removeEventListener("abort", stop);
        leave(db.id, subscriber);
      }
    },

    end: () => ended.abort(),

    async close() {
      ended.abort();
      clearInterval(timer);
      const listeners = await listening?.catch(() => []) ?? [];
      await Promise.all(listeners.map((listener) => listener.unlisten().catch(() => {})));
    },
  };
}

/** Whether all changes after `after` are still stored. */
const canResume = ({ seq, complete_from }: FeedState, after: number | undefined): after is number =>
  after !== undefined && after >= complete_from && after <= seq;

async function* changesBetween(sql: Pool, db: FeedDb, after: number, until: number) {
  for (let seq = after; seq < until;) {
    const changes = await listChanges(sql, db, seq);
    if (changes.length === 0) return;
    seq = changes.at(-1)?.seq ?? until;
    yield changes;
  }
}

function endFor(subscriber: Subscriber) {
  subscriber.gone = true;
  subscriber.wake();
}

/** Subscribers that connected after this sequence number need no reset. */
function resetTo(subscriber: Subscriber, complete_from: number) {
  if (complete_from > subscriber.complete_from) startAgain(subscriber, complete_from);
}

function startAgain(subscriber: Subscriber, reset: number) {
  subscriber.waiting = [];
  subscriber.reset = reset;
  subscriber.wake();
}

function deliver(subscriber: Subscriber, changes: StoredChange[]) {
  const last = changes.at(-1);
  if (!last) return;
  if (subscriber.waiting.length + changes.length > MAX_BUFFERED) return startAgain(subscriber, last.seq);
  subscriber.waiting.push(...changes);
  subscriber.wake();
}

const hasNews = ({ waiting, reset, gone }: Subscriber) => waiting.length > 0 || reset !== undefined || gone;
