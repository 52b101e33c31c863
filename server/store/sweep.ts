/**
 * Deletes old changes, records of dropped tables and old write counts, in small batches that block no request.
 *
 * Rows are selected by ctid: a generic plan does not know the limit of a batch, and for a join by key it reads the whole
 * table for each batch.
 */
import type { Pool, Sql } from "../database/pool.ts";
import { sweepChanges } from "./feed/feed_queries.ts";
import { sweepPublicWrites } from "./write/public_write_limit.ts";

const CHANGES_KEPT_HOURS = 24;
const AT_ONCE = 1_000;
/** The time limit of one sweep. The next one continues. */
const LONGEST_MS = 20_000;

export async function sweepStore(sql: Pool, now: Date): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  await untilDone(end, () => sweepChanges(sql, CHANGES_KEPT_HOURS, AT_ONCE));
  await untilDone(end, () => sweepDropped(sql));
  await untilDone(end, () => sweepPublicWrites(sql, now, AT_ONCE));
}

/** @param work deletes a batch and returns its size */
async function untilDone(end: number, work: () => Promise<number>): Promise<void> {
  while (performance.now() < end && await work() === AT_ONCE);
}

/** Deletes records of dropped tables. The last batch of a table also deletes the table's row. */
async function sweepDropped(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    with
      gone as (
        select id
        from db_tables
        where db_id is null
        order by id
        limit 1
        for update skip locked
      ),
      page as (
        select r.ctid
        from records r, gone
        where r.table_id = gone.id
        limit ${AT_ONCE}
      ),
      dropped as (
        delete from records
        where ctid = any(array(select ctid from page))
        returning id
      ),
      finished as (
        delete from db_tables t
        using gone
        where t.id = gone.id
          and (select count(*) from page) < ${AT_ONCE}
        returning t.id
      )
    select
      case when exists (select from finished) then ${AT_ONCE} else (select count(*)::int from dropped) end as count
    where exists (select from gone)
  `;
  return row?.count ?? 0;
}
