/** Reads a feed for a trigger, whose cursor says how far it has come. */
import type { Sql } from "../../database/pool.ts";
import type { KnownDb } from "../definition/known_db.ts";
import { CHANGES_AT_ONCE } from "./feed_queries.ts";
import type { StoredChange } from "./stored_change.ts";

/** Of the changes of one page, as they are stored. */
const MOST_BYTES = 1_048_576;

export interface CursorPage {
  /** The newest change of the database. */
  seq: number;
  /** Changes up to this one may be deleted. */
  kept_from: number;
  /** In the order of their commits. Empty only if there are none after the cursor. */
  changes: (StoredChange & { by_cron_id: number | null })[];
}

/**
 * Reads the changes after `after` and the state of the feed in one snapshot: numbers are given in the order of commits,
 * so nothing that is committed later has a number up to `seq`.
 *
 * @returns undefined if the definition is outdated or the database was deleted
 */
export async function readCursorPage(
  sql: Sql,
  { id, account_id, lock_version }: Pick<KnownDb, "id" | "account_id" | "lock_version">,
  after: number,
): Promise<CursorPage | undefined> {
  const [row] = await sql<CursorPage[]>`
    select
      f.seq,
      f.kept_from,
      (
        select coalesce(json_agg(c order by c.seq), '[]')
        from (
          select seq, table_id, record_id, kind, was, became, by_cron_id
          from (
            select p.*, sum(p.bytes) over (order by p.seq) - p.bytes as bytes_before
            from (
              select
                seq, table_id, record_id, kind, was, became, by_cron_id,
                coalesce(pg_column_size(was), 0) + coalesce(pg_column_size(became), 0) as bytes
              from record_changes
              where db_id = ${id}
                and seq > ${after}
              order by seq
              limit ${CHANGES_AT_ONCE}
            ) p
          ) s
          where bytes_before < ${MOST_BYTES}
        ) c
      ) as changes
    from db_feeds f
    join dbs d on d.id = f.db_id
    where f.db_id = ${id}
      and d.account_id = ${account_id}
      and d.lock_version = ${lock_version}
  `;
  return row;
}
