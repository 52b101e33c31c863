/** SQL of the cursors: which triggers have changes to read, and how far they have come. */
import type { Sql } from "../../database/pool.ts";
import type { LockedTrigger } from "../claim/circumstances.ts";
import { ofTrigger } from "../ledger/start_rows.ts";

export interface DueCursor {
  id: number;
  account_id: number;
}

/** What to look at; everything if neither is given. */
export interface Woken {
  db_ids: readonly number[];
  cron_ids: readonly number[];
}

/** Active triggers with changes after their cursor, and those whose database was deleted. */
export const listDue = (sql: Sql, woken: Woken | undefined, limit: number) =>
  sql<DueCursor[]>`
    select c.id, c.account_id
    from record_cursors k
    join crons c on c.id = k.id
    left join db_feeds f on f.db_id = k.db_id
    where c.active
      and (k.db_id is null or k.seq < f.seq)
      ${
    woken === undefined ? sql`` : sql`and (
      k.db_id = any(${[...woken.db_ids]}::int[])
      or k.id = any(${[...woken.cron_ids]}::int[])
      or k.db_id is null
    )`
  }
    order by c.id
    limit ${limit}
  `;

/** A trigger as it is read before its row is locked. */
export interface RecordTrigger extends DueCursor {
  author_id: number | null;
  settings: unknown;
  /** Null if the database was deleted. */
  db_id: number | null;
  lock_version: number;
}

export async function findTrigger(sql: Sql, { id, account_id }: DueCursor): Promise<RecordTrigger | undefined> {
  const [row] = await sql<RecordTrigger[]>`
    select c.id, c.account_id, c.author_id, c.settings, k.db_id, c.lock_version
    from crons c
    join record_cursors k on k.id = c.id
    where c.id = ${id}
      and c.account_id = ${account_id}
      and c.active
  `;
  return row;
}

export interface LockedCursor extends LockedTrigger {
  /** The last change that is done with. */
  seq: number;
}

/**
 * Locks the trigger's row, which protects its cursor. A trigger is locked before its ledger rows and its cursor, as in
 * the deletion of a trigger: another order could deadlock.
 *
 * @param sql a transaction
 * @returns undefined if another process has locked it, or if it was changed since it was read
 */
export async function lockCursor(
  sql: Sql,
  { id, account_id, lock_version, db_id }: RecordTrigger,
): Promise<LockedCursor | undefined> {
  const locked = await sql<LockedTrigger[]>`
    select
      c.id, c.account_id, ${ofTrigger(sql)}, c.schedule, c.next_run_at, c.catch_up, c.overlap, c.failures,
      c.max_failures, c.paused_reason
    from crons c
    where c.id = ${id}
      and c.account_id = ${account_id}
      and c.lock_version = ${lock_version}
      and c.active
    for update skip locked
  `;
  const [trigger] = locked;
  if (!trigger) return undefined;
  // A statement of its own sees what the process has committed that had the lock before.
  const [cursor] = await sql<{ seq: number }[]>`
    select seq
    from record_cursors
    where id = ${id}
      and account_id = ${account_id}
      and db_id is not distinct from ${db_id}
  `;
  return cursor && { ...trigger, seq: cursor.seq };
}

/** @param sql the transaction that has locked the cursor */
export async function moveCursor(sql: Sql, { id, account_id }: DueCursor, seq: number): Promise<void> {
  await sql`
    update record_cursors
    set seq = ${seq}
    where id = ${id}
      and account_id = ${account_id}
      and seq < ${seq}
  `;
}
