/** Times of last use, collected in memory and written to PostgreSQL twice a minute. */
import type { Clock } from "./context.ts";
import type { Sql } from "./database/pool.ts";
import { faultOf, type Log } from "./log.ts";

const WRITE_EVERY_MS = 30_000;

export interface Uses {
  note(id: number, account_id: number): void;
  /** Writes the times that are not written yet, and stops. */
  close(): Promise<void>;
}

/** The last use of a token or a session. */
export interface Use {
  id: number;
  account_id: number;
  /** Milliseconds since 1970. */
  at: number;
}

interface Options {
  clock: Clock;
  write(uses: readonly Use[]): Promise<unknown>;
  log: Log;
  /** The event that is logged where `write` fails. Times are not worth a retry. */
  failure: string;
}

export function createUses({ clock, write, log, failure }: Options): Uses {
  const uses = new Map<number, Use>();
  const writeAll = async () => {
    if (uses.size === 0) return;
    const written = [...uses.values()];
    uses.clear();
    await write(written).catch((error) => log.warn(failure, faultOf(error)));
  };
  const timer = setInterval(writeAll, WRITE_EVERY_MS);
  Deno.unrefTimer(timer);
  return {
    note: (id, account_id) => void uses.set(id, { id, account_id, at: clock.now().getTime() }),
    async close() {
      clearInterval(timer);
      await writeAll();
    },
  };
}

/** The uses as a relation with the columns `id`, `account_id` and `at`. */
export const relationOf = (sql: Sql, uses: readonly Use[]) =>
  sql`
    unnest(
      ${uses.map(({ id }) => id)}::int[],
      ${uses.map(({ account_id }) => account_id)}::int[],
      ${uses.map(({ at }) => at)}::float8[]
    )
  `;
