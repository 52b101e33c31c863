/**
 * Followers of databases in this process. A database is read once for all of them: when a notification says that it
 * has changed, and every few seconds in case one got lost.
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
/** Changes that a slow follower may have waiting; beyond them it starts again from the table. */
const WAITING = 5_000;

interface Hub extends FeedState {
  db: FeedDb;
  followers: Set<Follower>;
  kept_open: number;
  reading: Promise<void> | undefined;
  /** Asked to read again while it was reading. */
  again: boolean;
}

interface Follower {
  waiting: StoredChange[];
  /** Of the feed when the follower came. */
  complete_from: number;
  /** Changes up to this one are missing. */
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
      if (!feed) return hub.followers.forEach(letGo);
      const { open, complete_from, changes } = feed;
      // A machine that slept has let its time run out. What was written since is not kept, so it is missing.
      if (!open) await openFeed(sql, hub.db);
      if (!open || changes.length === CHANGES_AT_ONCE) hub.again = true;
      if (complete_from > hub.seq) hub.followers.forEach((follower) => resetTo(follower, complete_from));
      hub.complete_from = complete_from;
      hub.seq = Math.max(changes.at(-1)?.seq ?? hub.seq, complete_from);
      for (const follower of hub.followers) hand(follower, changes);
    }
  };

  const join = (db: FeedDb, feed: FeedState, follower: Follower): Hub => {
    const hub = hubs.get(db.id) ??
      { ...feed, db, followers: new Set(), kept_open: performance.now(), reading: undefined, again: false };
    hubs.set(db.id, hub);
    hub.followers.add(follower);
    // The hub may have gone on while this follower was on its way.
    resetTo(follower, hub.complete_from);
    return hub;
  };

  const leave = (id: number, follower: Follower) => {
    const hub = hubs.get(id);
    hub?.followers.delete(follower);
    if (hub?.followers.size === 0) hubs.delete(id);
  };

  return {
    async *follow(db, after, left) {
      const signal = AbortSignal.any([left, ended.signal]);
      await listen();
      const feed = await openFeed(sql, db);
      if (!feed) return;
      let wake = () => {};
      const { complete_from } = feed;
      const follower: Follower = { waiting: [], complete_from, reset: undefined, gone: false, wake: () => wake() };
      const stop = () => wake();
      signal.addEventListener("abort", stop);
      try {
        const { seq: joined } = join(db, feed, follower);
        let seq = resumes(feed, after) ? after : feed.seq;
        yield { kind: seq === after || after === undefined ? "ready" : "reset", seq };
        // What lies between the follower's last change and the hub's first one for it comes from the table.
        for await (const changes of changesBetween(sql, db.id, seq, joined)) {
          seq = changes.at(-1)?.seq ?? seq;
          yield { kind: "changes", changes };
        }
        while (!signal.aborted && !follower.gone) {
          const { reset, waiting } = follower;
          follower.reset = undefined;
          follower.waiting = [];
          if (reset !== undefined) {
            seq = Math.max(seq, reset);
            yield { kind: "reset", seq };
          }
          const changes = waiting.filter((change) => change.seq > seq);
          if (changes.length > 0) {
            seq = changes.at(-1)?.seq ?? seq;
            yield { kind: "changes", changes };
          } else {
            const woken = Promise.withResolvers<void>();
            wake = woken.resolve;
            if (!isTold(follower) && !signal.aborted) await woken.promise;
          }
        }
      } finally {
        signal.removeEventListener("abort", stop);
        leave(db.id, follower);
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

/** Whether everything behind `after` is still there. */
const resumes = ({ seq, complete_from }: FeedState, after: number | undefined): after is number =>
  after !== undefined && after >= complete_from && after <= seq;

async function* changesBetween(sql: Pool, db_id: number, after: number, until: number) {
  for (let seq = after; seq < until;) {
    const changes = await listChanges(sql, db_id, seq);
    if (changes.length === 0) return;
    seq = changes.at(-1)?.seq ?? until;
    yield changes;
  }
}

function letGo(follower: Follower) {
  follower.gone = true;
  follower.wake();
}

/** Whoever came after that has nothing missing. */
function resetTo(follower: Follower, complete_from: number) {
  if (complete_from > follower.complete_from) startAgain(follower, complete_from);
}

function startAgain(follower: Follower, reset: number) {
  follower.waiting = [];
  follower.reset = reset;
  follower.wake();
}

function hand(follower: Follower, changes: StoredChange[]) {
  const last = changes.at(-1);
  if (!last) return;
  if (follower.waiting.length + changes.length > WAITING) return startAgain(follower, last.seq);
  follower.waiting.push(...changes);
  follower.wake();
}

const isTold = ({ waiting, reset, gone }: Follower) => waiting.length > 0 || reset !== undefined || gone;
