import type { Pool, Sql } from "../database.ts";
import type { StoredChange } from "./store.ts";

export const CHANGES_AT_ONCE = 500;

/** Changes behind `after`, in the order of their commits. */
export const listChanges = (sql: Sql, db_id: number, after: number): Promise<StoredChange[]> =>
  sql<StoredChange[]>`
    select seq, table_id, record_id, kind, was, became
    from record_changes
    where db_id = ${db_id}
      and seq > ${after}
    order by seq
    limit ${CHANGES_AT_ONCE}
  `;

export interface FeedState {
  seq: number;
  complete_from: number;
}

export async function findFeed(sql: Sql, db_id: number): Promise<FeedState | undefined> {
  const [row] = await sql<FeedState[]>`select seq, complete_from from db_feeds where db_id = ${db_id}`;
  return row;
}

/**
 * From now on, writes leave their changes behind. Waits for writes under way, which know nothing of it yet: their
 * changes are older than the feed.
 *
 * @returns undefined where the database is gone
 */
export function openFeed(sql: Pool, db_id: number): Promise<FeedState | undefined> {
  return sql.begin(async (tx) => {
    const [db] = await tx<{ live: boolean }[]>`
      select coalesce(live_until > now(), false) as live from dbs where id = ${db_id} for update
    `;
    if (!db) return undefined;
    await tx`update dbs set live_until = now() + interval '24 hours' where id = ${db_id}`;
    const [feed] = await tx<FeedState[]>`
      insert into db_feeds (db_id)
      values (${db_id})
      on conflict (db_id) do update set
        seq = db_feeds.seq + ${db.live ? 0 : 1},
        complete_from = case when ${db.live} then db_feeds.complete_from else db_feeds.seq + 1 end
      returning seq, complete_from
    `;
    return feed;
  });
}

/** Lengthens an open feed's time. False where it is not open any more. */
export async function keepFeed(sql: Sql, db_id: number): Promise<boolean> {
  const { count } = await sql`
    update dbs
    set live_until = now() + interval '24 hours'
    where id = ${db_id}
      and live_until > now()
  `;
  return count > 0;
}

/**
 * Drops a page of changes that are older than the retention.
 *
 * @returns how many it dropped
 */
export async function sweepChanges(sql: Sql, hours: number, at_most: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    with
      old as (
        select db_id, seq
        from record_changes
        where created_at < now() - ${hours}::int * interval '1 hour'
        order by created_at
        limit ${at_most}
        for update skip locked
      ),
      dropped as (
        delete from record_changes c
        using old
        where c.db_id = old.db_id
          and c.seq = old.seq
        returning c.db_id, c.seq
      ),
      moved as (
        update db_feeds f
        set complete_from = greatest(f.complete_from, d.seq)
        from (select db_id, max(seq) as seq from dropped group by db_id) d
        where f.db_id = d.db_id
      )
    select count(*)::int as count from dropped
  `;
  return row?.count ?? 0;
}
