/** What the ledger says of changes that start no run. */
import type { Sql } from "../../database/pool.ts";
import type { DueCursor } from "./cursors.ts";

/** A column of the ledger has this limit. */
const MOST_SLOTS = 2_147_483_647;

/** Marks the row as one without a due time. The lock on the trigger keeps it from being written twice. */
const keyOf = (what: string) => `${what} ${crypto.randomUUID()}`;

const TOO_OLD = "the feed keeps changes for 24 hours: the trigger continues with the present";

/**
 * Changes that a rule skips. Rows of the same reason that follow one another are one row: `due_at` to `due_until`, with
 * their number in `slots`.
 *
 * @param sql the transaction that has locked the trigger
 * @param obstacle the flow cannot be started: the trigger's `last_status` says so
 */
export async function noteSkipped(
  sql: Sql,
  { id, account_id }: DueCursor,
  { count, reason, obstacle }: { count: number; reason: string; obstacle: boolean },
  now: Date,
): Promise<void> {
  await sql`
    with
      latest as (
        select id, state, reason, event_key
        from cron_runs
        where cron_id = ${id}
        order by due_at desc, id desc
        limit 1
      ),
      merged as (
        update cron_runs r
        set slots = least(r.slots::bigint + ${count}, ${MOST_SLOTS}), due_until = ${now}
        from latest l
        where r.id = l.id
          and r.account_id = ${account_id}
          and l.state = 'skipped'
          and l.reason = ${reason}
          and l.event_key is not null
        returning r.id
      ),
      inserted as (
        insert into cron_runs (cron_id, account_id, due_at, slots, state, reason, event_key)
        select ${id}, ${account_id}, ${now}, ${count}, 'skipped', ${reason}, ${keyOf("skipped")}::text
        where not exists (select from merged)
      )
    update crons
    set last_status = 'skipped', last_run_id = null
    where id = ${id}
      and account_id = ${account_id}
      and ${obstacle}
  `;
}

/**
 * Changes that the feed no longer has.
 *
 * @param sql the transaction that has locked the trigger
 */
export async function noteMissed(
  sql: Sql,
  { id, account_id }: DueCursor,
  { after, until }: { after: number; until: number },
  now: Date,
): Promise<void> {
  await sql`
    insert into cron_runs (cron_id, account_id, due_at, slots, state, reason, event_key)
    values (
      ${id}, ${account_id}, ${now}, ${Math.min(until - after, MOST_SLOTS)}, 'missed', ${TOO_OLD},
      ${keyOf("missed")}
    )
  `;
}

/**
 * Pauses a trigger that cannot read its database. Its cursor stays, so that a resume delivers what has changed since.
 *
 * @param sql the transaction that has locked the trigger
 */
export async function pauseFor(sql: Sql, { id, account_id }: DueCursor, reason: string, now: Date): Promise<void> {
  await sql`
    with noted as (
      insert into cron_runs (cron_id, account_id, due_at, state, reason, event_key)
      values (${id}, ${account_id}, ${now}, 'skipped', ${reason}, ${keyOf("paused")})
    )
    update crons
    set active = false, paused_reason = ${reason}, last_status = 'skipped', last_run_id = null
    where id = ${id}
      and account_id = ${account_id}
  `;
}
