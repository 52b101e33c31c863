/** Statements over many rows, whose plan must fit the current size of the tables. */
import type { Pool, Sql } from "../database/pool.ts";

/**
 * Runs `work` in a transaction that plans each statement anew. A generic plan stays as it was made for small tables until
 * PostgreSQL analyzes them, and within that minute 10,000 triggers may come and end.
 */
export const planned = <T>(sql: Pool, work: (sql: Sql) => Promise<T>): Promise<T> =>
  sql.begin(async (tx) => {
    const [, done] = await Promise.all([tx`set local plan_cache_mode = force_custom_plan`, work(tx)]);
    return [done] as const;
  }).then(([done]) => done);
