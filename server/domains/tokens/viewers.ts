/** Finds callers by their tokens, with a short memory: one indexed query at most, and usually none. */
import type { Clock, Viewer, Viewers } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { faultOf, type Log } from "../../log.ts";
import { findViewer, touchTokens } from "./queries.ts";
import { hashOf } from "./secret.ts";

/** How late another process may learn of a revocation (issue: within 5 s). */
const REMEMBERED_MS = 4_000;
const REMEMBERED_MOST = 10_000;
const TOUCH_EVERY_MS = 30_000;

interface Entry {
  found: Promise<Viewer | undefined>;
  /** Milliseconds since 1970. */
  until: number;
}

export interface ViewerMemory extends Viewers {
  /** Writes the last uses and stops. */
  close(): Promise<void>;
}

export function createViewers({ sql, clock, log }: { sql: Sql; clock: Clock; log: Log }): ViewerMemory {
  /** By token, and by the numbers of tokens. */
  const entries = new Map<string | number, Entry>();
  const uses = new Map<number, number>();

  const touch = async () => {
    if (uses.size === 0) return;
    const written = new Map(uses);
    uses.clear();
    await touchTokens(sql, written).catch((error) => log.warn("last uses of tokens not written", faultOf(error)));
  };
  const timer = setInterval(touch, TOUCH_EVERY_MS);
  Deno.unrefTimer(timer);

  const find = async (token: string | number, entry: Entry) => {
    const viewer = await findViewer(sql, typeof token === "number" ? token : hashOf(token));
    if (viewer?.expires_at) entry.until = Math.min(entry.until, Date.parse(viewer.expires_at));
    return viewer && Object.freeze(viewer);
  };

  const remembered = async (token: string | number) => {
    const now = clock.now().getTime();
    let entry = entries.get(token);
    if (!entry || entry.until <= now) {
      entry = { found: Promise.resolve(undefined), until: now + REMEMBERED_MS };
      entry.found = find(token, entry);
      entries.delete(token);
      entries.set(token, entry);
      if (entries.size > REMEMBERED_MOST) entries.delete(entries.keys().next().value ?? token);
    }
    const viewer = await entry.found.catch((error) => {
      entries.delete(token);
      throw error;
    });
    if (viewer) uses.set(viewer.token_id, now);
    else entries.delete(token);
    return viewer;
  };

  return {
    byToken: remembered,
    byTokenId: remembered,
    forget: () => entries.clear(),
    async close() {
      clearInterval(timer);
      await touch();
    },
  };
}
