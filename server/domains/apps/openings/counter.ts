/**
 * Counts openings of apps in the memory of this process and writes them together. A process that is killed loses those
 * of half a minute.
 */
import type { Clock } from "../../../context.ts";
import type { Pool } from "../../../database/pool.ts";
import { faultOf, type Log } from "../../../log.ts";
import { addOpenings, type Opened } from "./queries.ts";

const EVERY_MS = 30_000;
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
  let counted = new Map<string, Opened>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing = Promise.resolve();

  const add = (app_id: string, day: string, count: number) => {
    const key = `${day} ${app_id}`;
    const opened = counted.get(key);
    if (opened) opened.count += count;
    else if (counted.size < MOST) counted.set(key, { app_id, day, count });
  };
  const write = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (counted.size === 0) return;
    const written = counted;
    counted = new Map();
    try {
      await addOpenings(sql, [...written.values()]);
    } catch (error) {
      log.warn("openings_not_written", faultOf(error));
      for (const { app_id, day, count } of written.values()) add(app_id, day, count);
    }
  };
  const flush = () => writing = writing.then(write);

  return {
    count(app_id) {
      add(app_id, clock.now().toISOString().slice(0, 10), 1);
      timer ??= setTimeout(flush, EVERY_MS);
    },
    flush,
    async close() {
      await flush();
      clearTimeout(timer);
    },
  };
}
