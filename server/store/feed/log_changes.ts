/** Stores the changes of a write in the feed of its database. */
import { type Part, part } from "../../database/part.ts";
import type { Place } from "../read/place.ts";
import type { ChangeKind } from "./stored_change.ts";

/**
 * Further steps of a write's `with` clause, after `db` and `written`. Empty if the database has no subscribers.
 *
 * @param rows the rows after the write, with `was`, the row before as JSON
 */
export function logChanges(
  { db: { live }, by_cron_id }: Pick<Place, "db" | "by_cron_id">,
  kind: ChangeKind,
  rows: Part,
): Part {
  if (!live) return part``;
  return part`
    ,
    changed as (${rows}),
    feed as (
      update db_feeds f
      set seq = f.seq + (select count(*) from changed)
      from db
      where f.db_id = db.db_id
        and exists (select from changed)
      returning f.db_id, f.seq, pg_notify('records_changed', f.db_id::text)
    ),
    logged as (
      insert into record_changes (db_id, seq, table_id, record_id, kind, was, became, by_cron_id)
      select
        feed.db_id, feed.seq - count(*) over () + row_number() over (order by c.id), c.table_id, c.id, ${kind},
        c.was, ${kind === "delete" ? part`null` : part`to_jsonb(c) - 'was' - 'search'`},
        ${by_cron_id ?? null}::integer
      from changed c, feed
    )
  `;
}
