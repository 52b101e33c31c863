/** Claims triggers that are due: notes their slots in the ledger and moves them on, all in one transaction. */
import { v7 } from "uuid";
import type { Pool, Sql } from "../database/pool.ts";
import { type DueCron, type Locked, withCircumstances } from "./circumstances.ts";
import type { Expression } from "./expression/expression.ts";
import { planned } from "./planned.ts";
import { TimetableFault } from "./schedule.ts";
import { type Due, dueSince, type Row, rowsOf } from "./expression/slots.ts";

/** Triggers of one transaction. */
const AT_ONCE = 500;
/** Ledger rows of one statement. */
const ROWS_AT_ONCE = 5_000;

/** A row of the ledger whose run is to be started. */
export interface Waiting {
  /** Of the ledger. */
  id: number;
  cron_id: number;
  account_id: number;
  due_at: string;
  by_hand: boolean;
  flow_process_id: string;
  target_code: string;
}

/** What a claim changes of a trigger. */
interface Moved {
  id: number;
  next_run_at: Date | null;
  failures: number;
  paused_reason: string | null;
  run_id: string | null;
}

interface LedgerRow extends Row {
  cron_id: number;
  account_id: number;
  flow_process_id: string | null;
}

/** A trigger's runs that have not ended. The ledger may not yet know of an end that stands in the history. */
export const open = (sql: Sql) =>
  sql`
    select 1
    from cron_runs o
    where o.cron_id = c.id
      and o.state in ('ran', 'late')
      and o.outcome is null
      and (select p.status from flow_processes p where p.id = o.flow_process_id) is null
  `;

/** Rows that another process works on are skipped. */
const lockDue = (sql: Sql, now: Date) =>
  sql<Locked[]>`
    select
      id, account_id, target_code, schedule, timezone, next_run_at, catch_up, overlap, failures, max_failures,
      paused_reason
    from crons
    where active
      and next_run_at <= ${now}
    order by next_run_at, id
    limit ${AT_ONCE}
    for update skip locked
  `;

/** Slots of one expression, zone and first slot, found once for all triggers that share them. */
export type Dues = Map<string, Due>;

export interface Claimed {
  /** Triggers; fewer than asked for where no more are due. */
  count: number;
  whole: boolean;
  waiting: Waiting[];
}

export async function claimDue(
  sql: Pool,
  now: Date,
  read: (schedule: string, timezone: string) => Expression,
  dues: Dues,
): Promise<Claimed> {
  return await planned(sql, async (tx) => {
    const locked = await lockDue(tx, now);
    const crons = locked.length > 0 ? await withCircumstances(tx, locked) : [];
    const moved: Moved[] = [];
    const rows: LedgerRow[] = [];
    for (const cron of crons) {
      const { move, ledger } = decide(cron, now, read, dues);
      moved.push(move);
      rows.push(...ledger);
    }
    const codes = new Map(crons.map(({ id, target_code }) => [id, target_code]));
    const waiting: Waiting[] = [];
    for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
      const inserted = await insertRows(tx, rows.slice(start, start + ROWS_AT_ONCE), now);
      waiting.push(...inserted.map((row) => ({ ...row, target_code: codes.get(row.cron_id) ?? "" })));
    }
    if (moved.length > 0) await moveOn(tx, moved, now);
    return { count: crons.length, whole: crons.length === AT_ONCE, waiting };
  });
}

function decide(
  cron: DueCron,
  now: Date,
  read: (schedule: string, timezone: string) => Expression,
  dues: Dues,
): { move: Moved; ledger: LedgerRow[] } {
  const { id, account_id, failures } = cron;
  const first = new Date(cron.next_run_at);
  let due: Due;
  try {
    due = dueOf(cron, first, now, read, dues);
  } catch (error) {
    if (!(error instanceof TimetableFault)) throw error;
    // It was readable once: a zone that this machine does not know.
    const paused_reason = `${error.field} ${error.message}`;
    const skipped: Row = { due_at: first, due_until: null, slots: 1, state: "skipped", reason: paused_reason };
    const move = { id, next_run_at: null, failures, paused_reason, run_id: null };
    return { move, ledger: [{ ...skipped, cron_id: id, account_id, flow_process_id: null }] };
  }
  const obstacle = cron.paused_reason ?? obstacleOf(cron);
  const rows = rowsOf(due, now, { ...cron, catch_up_s: cron.catch_up, obstacle });
  const ledger = rows.map((row): LedgerRow => ({
    ...row,
    cron_id: id,
    account_id,
    flow_process_id: ["ran", "late", "queued"].includes(row.state) ? v7() : null,
  }));
  const last = ledger.at(-1);
  if (cron.paused_reason !== null) {
    const move = { id, next_run_at: null, failures, paused_reason: cron.paused_reason, run_id: null };
    return { move, ledger };
  }
  // Who switched a flow off knows of it; one that is gone is a failure.
  const failed = cron.flow_active === null && last?.state === "skipped" ? failures + 1 : failures;
  const paused_reason = failed > failures && cron.max_failures !== null && failed >= cron.max_failures
    ? pauseOf(failed, last?.reason ?? "")
    : null;
  const run_id = last?.state === "ran" || last?.state === "late" ? last.flow_process_id : null;
  return { move: { id, next_run_at: due.next ?? null, failures: failed, paused_reason, run_id }, ledger };
}

export const pauseOf = (failures: number, last: string): string =>
  `${failures} failure${failures === 1 ? "" : "s"} in a row; the last one: ${last}`;

function dueOf(
  { schedule, timezone, next_run_at }: DueCron,
  first: Date,
  now: Date,
  read: (schedule: string, timezone: string) => Expression,
  dues: Dues,
): Due {
  const key = `${next_run_at} ${timezone} ${schedule}`;
  const known = dues.get(key);
  if (known) return known;
  const due = dueSince(read(schedule, timezone), first, now);
  dues.set(key, due);
  return due;
}

const obstacleOf = ({ flow_active, target_code }: DueCron): string | undefined =>
  flow_active === null
    ? `there is no flow ${target_code}`
    : flow_active
    ? undefined
    : `the flow ${target_code} is not active`;

/** @returns those that are to be started. A slot that the ledger has already is nobody's: a clock went back */
const insertRows = (sql: Sql, rows: readonly LedgerRow[], now: Date) =>
  sql<Omit<Waiting, "target_code">[]>`
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
      on conflict (cron_id, due_at) where not by_hand do nothing
      returning id, cron_id, account_id, due_at, by_hand, flow_process_id, state
    )
    select id, cron_id, account_id, due_at, by_hand, flow_process_id
    from inserted
    where state in ('ran', 'late')
  `;

const moveOn = (sql: Sql, moved: readonly Moved[], now: Date) =>
  sql`
    update crons c
    set
      next_run_at = case when m.paused_reason is null then m.next_run_at end,
      active = m.paused_reason is null,
      paused_reason = m.paused_reason,
      failures = m.failures,
      last_run_id = coalesce(m.run_id, c.last_run_id),
      last_run_at = case when m.run_id is null then c.last_run_at else ${now}::timestamptz end,
      last_status = case when m.run_id is null then c.last_status else 'pending' end
    from json_to_recordset(${JSON.stringify(moved)}::text::json) m (
      id int, next_run_at timestamptz, failures int, paused_reason text, run_id uuid
    )
    where c.id = m.id
  `;
