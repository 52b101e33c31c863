/**
 * Followers of databases in this process. A database is read once for all of them: when a notification says that it
 * has changed, and every few seconds in case one got lost.
 */
import type { Pool } from "../database.ts";
import { faultOf, type Log } from "../log.ts";
import { CHANGES_AT_ONCE, type FeedState, findFeed, keepFeed, listChanges, openFeed } from "./feed_queries.ts";
import type { Feeds, StoredChange } from "./store.ts";

const LOOKED_AT_EVERY_MS = 5_000;
const KEPT_OPEN_EVERY_MS = 60 * 60_000;
/** Changes that a slow follower may have waiting; beyond them it starts again from the table. */
const WAITING = 5_000;

interface Hub {
  seq: number;
  followers: Set<Follower>;
  kept_open: number;
  reading: Promise<void> | undefined;
  /** Asked to read again while it was reading. */
  again: boolean;
}

interface Follower {
  waiting: StoredChange[];
  overflowed: boolean;
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
    timer ??= setInterval(() => hubs.forEach((hub, id) => void refresh(id, hub)), LOOKED_AT_EVERY_MS);
    const changed = (id: string) => {
      const hub = hubs.get(Number(id));
      if (hub) void refresh(Number(id), hub);
    };
    listening ??= Promise.all([
      sql.listen("records_changed", changed, () => hubs.forEach((hub, id) => void refresh(id, hub))),
      sql.listen("db_changed", changed),
    ]);
    await listening.catch((error) => {
      log.warn("not told of changed records", faultOf(error));
      listening = undefined;
    });
  };

  const refresh = (id: number, hub: Hub): Promise<void> => {
    hub.again = true;
    hub.reading ??= read(id, hub).catch((error) => log.warn("changes not read", faultOf(error)))
      .finally(() => hub.reading = undefined);
    return hub.reading;
  };

  const read = async (id: number, hub: Hub) => {
    const now = performance.now();
    if (now - hub.kept_open > KEPT_OPEN_EVERY_MS) {
      hub.kept_open = now;
      await keepFeed(sql, id);
    }
    while (hub.again) {
      hub.again = false;
      // deno-lint-ignore no-await-in-loop -- page after page
      const changes = await listChanges(sql, id, hub.seq);
      if (changes.length === CHANGES_AT_ONCE) hub.again = true;
      hub.seq = changes.at(-1)?.seq ?? hub.seq;
      for (const follower of hub.followers) hand(follower, changes);
      // deno-lint-ignore no-await-in-loop -- likewise
      if (changes.length === 0 && !await findFeed(sql, id)) return hub.followers.forEach(letGo);
    }
  };

  const join = (id: number, seq: number, follower: Follower): Hub => {
    const hub = hubs.get(id) ??
      { seq, followers: new Set(), kept_open: performance.now(), reading: undefined, again: false };
    hubs.set(id, hub);
    hub.followers.add(follower);
    return hub;
  };

  const leave = (id: number, follower: Follower) => {
    const hub = hubs.get(id);
    hub?.followers.delete(follower);
    if (hub?.followers.size === 0) hubs.delete(id);
  };

  return {
    async *follow(db_id, after, left) {
      const signal = AbortSignal.any([left, ended.signal]);
      await listen();
      const feed = await openFeed(sql, db_id);
      if (!feed) return;
      let wake = () => {};
      const follower: Follower = { waiting: [], overflowed: false, gone: false, wake: () => wake() };
      const stop = () => wake();
      signal.addEventListener("abort", stop);
      try {
        const hub = join(db_id, feed.seq, follower);
        let seq = resumes(feed, after) ? after : feed.seq;
        yield { kind: seq === after || after === undefined ? "ready" : "reset", seq };
        // What lies between the follower's last change and the hub's comes from the table.
        for await (const changes of changesBetween(sql, db_id, seq, hub.seq)) {
          seq = changes.at(-1)?.seq ?? seq;
          yield { kind: "changes", changes };
        }
        while (!signal.aborted && !follower.gone) {
          if (follower.overflowed) {
            follower.overflowed = false;
            follower.waiting = [];
            // deno-lint-ignore no-await-in-loop -- one event after the other
            seq = (await findFeed(sql, db_id))?.seq ?? seq;
            yield { kind: "reset", seq };
          }
          const changes = follower.waiting.filter((change) => change.seq > seq);
          follower.waiting = [];
          if (changes.length > 0) {
            seq = changes.at(-1)?.seq ?? seq;
            yield { kind: "changes", changes };
          } else {
            const woken = Promise.withResolvers<void>();
            wake = woken.resolve;
            // deno-lint-ignore no-await-in-loop -- one event after the other
            if (follower.waiting.length === 0 && !signal.aborted && !follower.gone) await woken.promise;
          }
        }
      } finally {
        signal.removeEventListener("abort", stop);
        leave(db_id, follower);
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
    // deno-lint-ignore no-await-in-loop -- page after page
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

function hand(follower: Follower, changes: StoredChange[]) {
  if (changes.length === 0) return;
  if (follower.waiting.length + changes.length > WAITING) follower.overflowed = true;
  else follower.waiting.push(...changes);
  follower.wake();
}
