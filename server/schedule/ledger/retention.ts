/** How long ledger rows are kept. */
import type { Sql } from "../../database/pool.ts";

const KEPT_DAYS = 90;

/**
 * Deletes up to `limit` expired rows of all accounts. Selects rows by ctid: a generic plan does not know the limit, and
 * for `id in (…)` it read the whole ledger for each batch (830 instead of 29 ms with 684,000 rows).
 *
 * @returns how many were deleted
 */
export async function deleteExpired(sql: Sql, limit: number): Promise<number> {
  const { count } = await sql`
    delete from cron_runs
    where ctid = any(array(
      select ctid
      from cron_runs
      where created_at < now() - ${KEPT_DAYS}::int * interval '1 day'
      order by created_at
      limit ${limit}
      for update skip locked
    ))
  `;
  return count;
}
