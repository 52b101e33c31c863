/** Claims due triggers of all accounts: writes their due times to the ledger and moves them on, in one transaction. */
import type { Pool, Sql } from "../../database/pool.ts";
import type { PendingStart } from "../ledger/start_rows.ts";
import { planned } from "../planned.ts";
import type { ReadTimetable } from "../timetable/timetable_cache.ts";
import { type LockedTrigger, withCircumstances } from "./circumstances.ts";
import { decide, type DueTimesCache, type NewLedgerRow, type NextState } from "./decision.ts";

/** Triggers per transaction. */
const BATCH = 500;
/** Ledger rows per statement. */
const ROW_BATCH = 5_000;

export interface Claimed {
  /** Triggers. */
  count: number;
  /** More triggers may be due. */
  more: boolean;
  /** Rows whose runs are to be started. */
  pending: PendingStart[];
}

export const claimDue = (sql: Pool, now: Date, read: ReadTimetable, cache: DueTimesCache): Promise<Claimed> =>
  planned(sql, async (tx) => {
    const locked = await lockDue(tx, now);
    if (locked.length === 0) return { count: 0, more: false, pending: [] };
    const triggers = await withCircumstances(tx, locked);
    const decisions = triggers.map((trigger) => decide(trigger, now, read, cache));
    const rows = decisions.flatMap(({ rows }) => rows);
    const by_id = new Map(triggers.map((trigger) => [trigger.id, trigger]));
    const pending: PendingStart[] = [];
    for (let start = 0; start < rows.length; start += ROW_BATCH) {
      const inserted = await insertRows(tx, rows.slice(start, start + ROW_BATCH), now);
      pending.push(...inserted.map((row): PendingStart => {
        const { target_code = "", author_id = null, timezone = "UTC", input = null } = by_id.get(row.cron_id) ?? {};
        return { ...row, target_code, author_id, timezone, input, kind: "flow", payload: null };
      }));
    }
    await moveOn(tx, decisions.map(({ next }) => next), now);
    return { count: triggers.length, more: triggers.length === BATCH, pending };
  });

/** Skips triggers that another process has locked. */
const lockDue = (sql: Sql, now: Date) =>
  sql<LockedTrigger[]>`
    select
      id, account_id, target_code, author_id, schedule, timezone, input, kind, next_run_at, catch_up, overlap, failures,
      max_failures, paused_reason
    from crons
    where active
      and kind = 'flow'
      and next_run_at <= ${now}
    order by next_run_at, id
    limit ${BATCH}
    for update skip locked
  `;

/**
 * A due time that the ledger already contains is left out: the clock was set back, and its run was started then.
 *
 * @returns the rows whose runs are to be started
 */
const insertRows = (sql: Sql, rows: readonly NewLedgerRow[], now: Date) =>
  sql<Omit<PendingStart, "target_code" | "author_id" | "timezone" | "input" | "kind" | "payload">[]>`
    with inserted as (
      insert into cron_runs
        (cron_id, account_id, due_at, due_until, slots, state, reason, flow_process_id, taken_at)
      select
        r.cron_id, r.account_id, r.due_at, r.due_until, r.slots, r.state, r.reason, r.flow_process_id,
        case when r.state in ('ran', 'late') then ${now}::timestamptz end
      from json_to_recordset(${JSON.stringify(rows)}::text::json) r (
        cron_id int, account_id int, due_at timestamptz, due_until timestamptz, slots int, state text, reason text,
        flow_process_id uuid
      )
      on conflict (cron_id, due_at) where not by_hand and event_key is null do nothing
      returning id, cron_id, account_id, due_at, by_hand, flow_process_id, state
    )
    select id, cron_id, account_id, due_at, by_hand, flow_process_id
    from inserted
    where state in ('ran', 'late')
  `;

const moveOn = (sql: Sql, states: readonly NextState[], now: Date) =>
  sql`
    update crons c
    set
      next_run_at = case when n.paused_reason is null then n.next_run_at end,
      active = n.paused_reason is null,
      paused_reason = n.paused_reason,
      failures = n.failures,
      last_run_id = case when n.skipped then null else coalesce(n.run_id, c.last_run_id) end,
      last_run_at = case when n.run_id is null then c.last_run_at else ${now}::timestamptz end,
      last_status = case when n.skipped then 'skipped' when n.run_id is null then c.last_status else 'pending' end
    from json_to_recordset(${JSON.stringify(states)}::text::json) n (
      id int, next_run_at timestamptz, failures int, paused_reason text, run_id uuid, skipped boolean
    )
    where c.id = n.id
  `;
