import type { Pool, Sql } from "../../database/pool.ts";
import type { KnownDb } from "../definition/known_db.ts";
import type { StoredChange } from "./stored_change.ts";

/** A database that the caller has found in its account. */
export type FeedDb = Pick<KnownDb, "id" | "account_id">;

export const CHANGES_AT_ONCE = 500;

/** A page of the changes after `after`, in the order of their commits. */
export const listChanges = (sql: Sql, { id, account_id }: FeedDb, after: number): Promise<StoredChange[]> =>
  sql<StoredChange[]>`
    select seq, table_id, record_id, kind, was, became
    from record_changes
    where db_id = (select id from dbs where id = ${id} and account_id = ${account_id})
      and seq > ${after}
    order by seq
    limit ${CHANGES_AT_ONCE}
  `;

export interface FeedState {
  seq: number;
  /** A subscriber whose last change is before this one has missed changes. */
  complete_from: number;
}

export interface FeedPage {
  /** False if writes no longer store their changes. */
  open: boolean;
  complete_from: number;
  changes: StoredChange[];
}

/**
 * Reads a page of changes together with the state of the feed, in one snapshot.
 *
 * @returns undefined if the database was deleted
 */
export async function readFeed(sql: Sql, { id, account_id }: FeedDb, after: number): Promise<FeedPage | undefined> {
  const [row] = await sql<FeedPage[]>`
    select
      coalesce(d.live_until > now(), false) as open,
      f.complete_from,
      (
        select coalesce(json_agg(c order by c.seq), '[]')
        from (
          select seq, table_id, record_id, kind, was, became
          from record_changes
          where db_id = ${id}
            and seq > ${after}
          order by seq
          limit ${CHANGES_AT_ONCE}
        ) c
      ) as changes
    from db_feeds f
    join dbs d on d.id = f.db_id
    where f.db_id = ${id}
      and d.account_id = ${account_id}
  `;
  return row;
}

/**
 * Makes writes store their changes from now on. The row lock waits for writes in progress, whose changes are not stored
 * and count as older than the feed.
 *
 * @returns undefined if the database was deleted
 */
export const openFeed = (sql: Pool, db: FeedDb): Promise<FeedState | undefined> =>
  sql.begin((tx) => openUntil(tx, db, "24 hours"));

/**
 * Opens a feed as `openFeed` does, for as long as a trigger follows the database.
 *
 * @param sql a transaction, which inserts the trigger's cursor
 */
export const holdFeed = (sql: Sql, db: FeedDb): Promise<FeedState | undefined> => openUntil(sql, db, "infinity");

async function openUntil(
  sql: Sql,
  { id, account_id }: FeedDb,
  lifetime: "24 hours" | "infinity",
): Promise<FeedState | undefined> {
  const [db] = await sql<{ live: boolean }[]>`
    select coalesce(live_until > now(), false) as live
    from dbs
    where id = ${id}
      and account_id = ${account_id}
    for update
  `;
  if (!db) return undefined;
  const until = lifetime === "infinity" ? sql`'infinity'` : sql`greatest(live_until, now() + interval '24 hours')`;
  await sql`update dbs set live_until = ${until} where id = ${id} and account_id = ${account_id}`;
  const [feed] = await sql<FeedState[]>`
    insert into db_feeds (db_id)
    values (${id})
    on conflict (db_id) do update set
      seq = db_feeds.seq + ${db.live ? 0 : 1},
      complete_from = case when ${db.live} then db_feeds.complete_from else db_feeds.seq + 1 end,
      kept_from = case when ${db.live} then db_feeds.kept_from else db_feeds.seq + 1 end
    returning seq, complete_from
  `;
  return feed;
}

/**
 * Lets feeds expire that no trigger follows any more, and holds those that one follows: both may have changed at the
 * same time.
 */
export async function proveHeldFeeds(sql: Sql): Promise<void> {
  await sql`
    update dbs
    set live_until = now() + interval '24 hours'
    where live_until = 'infinity'
      and not exists (select from record_cursors k where k.db_id = dbs.id)
  `;
  await sql`
    update dbs
    set live_until = 'infinity'
    where id in (select db_id from record_cursors where db_id is not null)
      and live_until > now()
      and live_until < 'infinity'
  `;
}

/** Extends the lifetime of an open feed. An expired one needs `openFeed`, which marks the missing changes. */
export async function keepFeed(sql: Sql, { id, account_id }: FeedDb): Promise<void> {
  await sql`
    update dbs
    set live_until = greatest(live_until, now() + interval '24 hours')
    where id = ${id}
      and account_id = ${account_id}
      and live_until > now()
  `;
}

/**
 * Sends `reset` to all subscribers, because what they may see has changed without a change of records.
 *
 * @param sql a transaction
 */
export const resetFeed = (sql: Sql, { id, account_id }: FeedDb) =>
  resetFeeds(sql, sql`d.id = ${id} and d.account_id = ${account_id}`);

/** The same for all databases of an account, after a change of departments or their members. */
export const resetFeedsOf = (sql: Sql, account_id: number) => resetFeeds(sql, sql`d.account_id = ${account_id}`);

/** Uses up a sequence number without a change, and marks all changes before it as incomplete. */
async function resetFeeds(sql: Sql, chosen: ReturnType<Sql>): Promise<void> {
  await sql`
    with live as (
      select f.db_id
      from db_feeds f
      join dbs d on d.id = f.db_id
      where ${chosen}
        and d.live_until > now()
      order by f.db_id
      for update of f
    )
    update db_feeds f
    set seq = f.seq + 1, complete_from = f.seq + 1
    from live
    where f.db_id = live.db_id
    returning pg_notify('records_changed', f.db_id::text)
  `;
}

/**
 * Deletes changes that are older than `hours`.
 *
 * @returns the number of deleted changes
 */
export async function sweepChanges(sql: Sql, hours: number, at_most: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    with
      dropped as (
        delete from record_changes
        where ctid = any(array(
          select ctid
          from record_changes
          where created_at < now() - ${hours}::int * interval '1 hour'
          order by created_at
          limit ${at_most}
          for update skip locked
        ))
        returning db_id, seq
      ),
      moved as (
        update db_feeds f
        set complete_from = greatest(f.complete_from, d.seq), kept_from = greatest(f.kept_from, d.seq)
        from (select db_id, max(seq) as seq from dropped group by db_id) d
        where f.db_id = d.db_id
      )
    select count(*)::int as count from dropped
  `;
  return row?.count ?? 0;
}
