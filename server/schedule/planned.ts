/** Statements over many rows whose plan must fit the tables as they are. */
import type { Pool, Sql } from "../database/pool.ts";

/**
 * Plans the statements of `work` anew. A plan is otherwise kept from when the tables were small until PostgreSQL looks
 * at them again, which is a minute in which ten thousand triggers may come and end.
 */
export const planned = <T>(sql: Pool, work: (sql: Sql) => Promise<T>): Promise<T> =>
  sql.begin(async (tx) => {
    const [, done] = await Promise.all([tx`set local plan_cache_mode = force_custom_plan`, work(tx)]);
    return [done] as const;
  }).then(([done]) => done);
