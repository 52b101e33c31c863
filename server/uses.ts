/** Times of last use, collected in memory and written to PostgreSQL twice a minute. */
import type { Clock } from "./context.ts";
import { faultOf, type Log } from "./log.ts";

const WRITE_EVERY_MS = 30_000;

export interface Uses {
  note(id: number): void;
  /** Writes the times that are not written yet, and stops. */
  close(): Promise<void>;
}

interface Options {
  clock: Clock;
  /** @param times milliseconds since 1970, by id */
  write(times: ReadonlyMap<number, number>): Promise<unknown>;
  log: Log;
  /** The event that is logged where `write` fails. Times are not worth a retry. */
  failure: string;
}

export function createUses({ clock, write, log, failure }: Options): Uses {
  const times = new Map<number, number>();
  const writeAll = async () => {
    if (times.size === 0) return;
    const written = new Map(times);
    times.clear();
    await write(written).catch((error) => log.warn(failure, faultOf(error)));
  };
  const timer = setInterval(writeAll, WRITE_EVERY_MS);
  Deno.unrefTimer(timer);
  return {
    note: (id) => void times.set(id, clock.now().getTime()),
    async close() {
      clearInterval(timer);
      await writeAll();
    },
  };
}
