/** Ledger rows whose run is about to be started. */
import type { Sql } from "../../database/pool.ts";
import type { JsonObject } from "../../input/json_value.ts";
import type { TriggerKind } from "./states.ts";

/** After a claim a process has this long to start the run; then another process may take the row over. */
export const LEASE_S = 120;

export interface PendingStart {
  /** Of the ledger row. */
  id: number;
  cron_id: number;
  account_id: number;
  due_at: string;
  by_hand: boolean;
  /** The id that the run gets. */
  flow_process_id: string;
  target_code: string;
  /** The user who wrote the trigger last; null if that user was deleted. */
  author_id: number | null;
  timezone: string;
  /** The trigger's input; null: what its kind gives. */
  input: JsonObject | null;
  kind: TriggerKind;
  /** Of an event, and of a run by hand: the run's input. */
  payload: JsonObject | null;
}

/** The columns of a trigger `c` that the start of a row needs. */
export const ofTrigger = (sql: Sql) => sql`c.target_code, c.author_id, c.timezone, c.input, c.kind`;

/**
 * Whether nothing starts the row `r` of a trigger `c` any more. A pause by failures keeps events, because their senders
 * were told that they are accepted: those that were claimed are started, those that wait are started after a resume.
 */
export const isStopped = (sql: Sql) => sql`(not c.active and (r.event_key is null or c.paused_reason is null))`;

type Key = Pick<PendingStart, "id" | "account_id">;

const idsOf = (rows: readonly Key[]) => rows.map(({ id }) => id);
const accountsOf = (rows: readonly Key[]) => [...new Set(rows.map(({ account_id }) => account_id))];

/** Takes over rows that another process claimed and did not start within its lease, or claimed in the future. */
export const takeOver = (sql: Sql, now: Date, limit: number) =>
  sql<PendingStart[]>`
    with left_behind as (
      select r.id, ${ofTrigger(sql)}
      from cron_runs r
      join crons c on c.id = r.cron_id
      where r.state in ('ran', 'late')
        and r.outcome is null
        and r.started_at is null
        and (
          r.taken_at is null
          or r.taken_at not between ${now}::timestamptz - ${LEASE_S}::int * interval '1 second'
            and ${now}::timestamptz + ${LEASE_S}::int * interval '1 second'
        )
      order by r.id
      limit ${limit}
      for update of r skip locked
    )
    update cron_runs r
    set taken_at = ${now}
    from left_behind l
    where r.id = l.id
    returning r.id, r.cron_id, r.account_id, r.due_at, r.by_hand, r.flow_process_id, l.target_code, l.author_id,
      l.timezone, l.input, l.kind, r.payload
  `;

/**
 * Rows that are not started yet.
 *
 * @returns `wanted` is false if the trigger was stopped; rows of a deleted trigger are absent
 */
export const listUnstarted = (sql: Sql, rows: readonly Key[]) =>
  sql<{ id: number; wanted: boolean }[]>`
    select r.id, r.by_hand or not ${isStopped(sql)} as wanted
    from cron_runs r
    join crons c on c.id = r.cron_id
    where r.id = any(${idsOf(rows)}::bigint[])
      and r.account_id = any(${accountsOf(rows)}::int[])
      and r.started_at is null
  `;

/** The engine has the runs. A row that was claimed as `ran` becomes `late` if its minute is over. */
export async function markStarted(sql: Sql, rows: readonly Key[], now: Date): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update cron_runs
    set
      started_at = coalesce(started_at, ${now}),
      payload = null,
      reason = case
        when state = 'ran' and not by_hand and ${now}::timestamptz - due_at >= interval '1 minute'
        then 'claimed in time, and could not be started at once'
        else reason
      end,
      state = case
        when state = 'ran' and not by_hand and ${now}::timestamptz - due_at >= interval '1 minute' then 'late'
        else state
      end
    where id = any(${idsOf(rows)}::bigint[])
      and account_id = any(${accountsOf(rows)}::int[])
  `;
}

/** Ends the lease, so that the next tick of any process starts the runs. */
export async function release(sql: Sql, rows: readonly Key[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update cron_runs
    set taken_at = null
    where id = any(${idsOf(rows)}::bigint[])
      and account_id = any(${accountsOf(rows)}::int[])
      and started_at is null
  `;
}
