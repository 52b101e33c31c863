/**
 * Counts openings of apps in the memory of this process and writes them together. A process that is killed loses those
 * of half a minute.
 */
import type { Clock } from "../../../context.ts";
import type { Pool } from "../../../database/pool.ts";
import { faultOf, type Log } from "../../../log.ts";
import { addOpenings, type Opened } from "./queries.ts";

const EVERY_MS = 30_000;
const DAY_MS = 86_400_000;
/** Apps and days that are counted. Beyond it openings are not counted until the next write. */
const MOST = 100_000;

export interface OpeningCounter {
  count(app_id: string): void;
  /** Writes what was counted. Never rejects: after a failure the counts are kept for the next time. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export function createOpeningCounter(
  { sql, clock, log }: { sql: Pool; clock: Clock; log: Log },
): OpeningCounter {
  /** By app, since the last write, all of `day`. */
  let counted = new Map<string, number>();
  let day = "";
  /** What a failed write has left, by day and app. */
  let unwritten = new Map<string, Opened>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing = Promise.resolve();

  // A day ends with a write. To read the date for each opening took a tenth of the time of a page in memory.
  const begin = () => {
    const now = clock.now();
    day = now.toISOString().slice(0, 10);
    timer = setTimeout(flush, Math.min(EVERY_MS, DAY_MS - now.getTime() % DAY_MS));
  };
  const write = async () => {
    clearTimeout(timer);
    timer = undefined;
    const opened = unwritten;
    unwritten = new Map();
    for (const [app_id, count] of counted) {
      const key = `${day} ${app_id}`;
      opened.set(key, { app_id, day, count: count + (opened.get(key)?.count ?? 0) });
    }
    counted = new Map();
    if (opened.size === 0) return;
    try {
      await addOpenings(sql, [...opened.values()]);
    } catch (error) {
      log.warn("openings_not_written", faultOf(error));
      unwritten = opened;
    }
  };
  const flush = () => writing = writing.then(write);

  return {
    count(app_id) {
      if (timer === undefined) begin();
      const known = counted.get(app_id);
      if (known !== undefined) counted.set(app_id, known + 1);
      else if (counted.size + unwritten.size < MOST) counted.set(app_id, 1);
    },
    flush,
    async close() {
      await flush();
      clearTimeout(timer);
    },
  };
}
