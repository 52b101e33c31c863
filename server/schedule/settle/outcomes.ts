/** Writes outcomes of ended runs to the ledger, counts failures in a row, and pauses triggers that have too many. */
import type { Sql } from "../../database/pool.ts";
import { pausedReason } from "../ledger/reasons.ts";
import type { RunOutcome } from "../ledger/states.ts";

export interface EndedRun {
  /** Of the ledger row. */
  id: number;
  cron_id: number;
  by_hand: boolean;
  flow_process_id: string;
  status: RunOutcome;
  error: string | null;
  started_at: string;
}

interface TriggerHealth {
  id: number;
  active: boolean;
  failures: number;
  max_failures: number | null;
  last_run_id: string | null;
}

interface HealthChange {
  id: number;
  failures: number;
  /** Null keeps the present status. */
  last_status: RunOutcome | null;
  paused_reason: string | null;
}

const MAX_REASON = 500;

/**
 * Runs by hand count neither as failure nor as success; neither do cancelled runs.
 *
 * Triggers are locked before their ledger rows, as in the deletion of a trigger: another order could deadlock. Rows that
 * another process has locked are left to that process or to the next tick.
 *
 * @param sql a transaction
 * @param reason replaces the ledger rows' reasons
 * @returns how many outcomes were written
 */
export async function recordOutcomes(
  sql: Sql,
  now: Date,
  runs: readonly EndedRun[],
  reason: string | null = null,
): Promise<number> {
  if (runs.length === 0) return 0;
  const triggers = await lockTriggers(sql, [...new Set(runs.map(({ cron_id }) => cron_id))]);
  const locked = new Set(triggers.map(({ id }) => id));
  const open = await lockOpen(sql, runs.filter(({ cron_id }) => locked.has(cron_id)).map(({ id }) => id));
  const ended = runs.filter(({ id }) => open.has(id));
  if (ended.length === 0) return 0;
  const by_trigger = Map.groupBy(ended, ({ cron_id }) => cron_id);
  const changes = triggers.flatMap((trigger) => {
    const of_trigger = by_trigger.get(trigger.id);
    return of_trigger ? [changeOf(trigger, of_trigger)] : [];
  });
  await writeOutcomes(sql, now, ended, changes, reason);
  return ended.length;
}

const lockTriggers = (sql: Sql, ids: readonly number[]) =>
  sql<TriggerHealth[]>`
    select id, active, failures, max_failures, last_run_id
    from crons
    where id = any(${[...ids]}::int[])
    order by id
    for update skip locked
  `;

/** @returns those of the rows that have no outcome yet */
async function lockOpen(sql: Sql, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await sql<{ id: number }[]>`
    select id
    from cron_runs
    where id = any(${[...ids]}::bigint[])
      and outcome is null
    order by id
    for update skip locked
  `;
  return new Set(rows.map(({ id }) => id));
}

/** @param ended in the order of their claims */
function changeOf(trigger: TriggerHealth, ended: readonly EndedRun[]): HealthChange {
  const { id, active, max_failures, last_run_id } = trigger;
  let { failures } = trigger;
  let last_error: string | undefined;
  for (const { status, error, by_hand } of ended) {
    if (by_hand || status === "cancelled") continue;
    failures = status === "error" ? failures + 1 : 0;
    last_error = status === "error" ? error ?? "unknown" : undefined;
  }
  const is_over = last_error !== undefined && active && max_failures !== null && failures >= max_failures;
  return {
    id,
    failures,
    last_status: ended.find(({ flow_process_id }) => flow_process_id === last_run_id)?.status ?? null,
    paused_reason: is_over ? pausedReason(failures, (last_error ?? "").slice(0, MAX_REASON)) : null,
  };
}

/**
 * A due time that is already open stays, so that its claim writes to the ledger why it is skipped; then the trigger stops.
 * Triggers for records and webhooks have no due time, and stop at once.
 */
const writeOutcomes = (
  sql: Sql,
  now: Date,
  ended: readonly EndedRun[],
  changes: readonly HealthChange[],
  reason: string | null,
) =>
  sql`
    with noted as (
      update cron_runs r
      set
        outcome = e.status,
        reason = coalesce(${reason}, r.reason),
        started_at = coalesce(r.started_at, e.started_at)
      from json_to_recordset(${JSON.stringify(ended)}::text::json) e (id bigint, status text, started_at timestamptz)
      where r.id = e.id
    )
    update crons c
    set
      failures = h.failures,
      last_status = coalesce(h.last_status, c.last_status),
      active = c.active and (h.paused_reason is null or coalesce(c.next_run_at <= ${now}, false)),
      next_run_at = case when h.paused_reason is null or c.next_run_at <= ${now} then c.next_run_at end,
      paused_reason = coalesce(h.paused_reason, c.paused_reason)
    from json_to_recordset(${JSON.stringify(changes)}::text::json) h (
      id int, failures int, last_status text, paused_reason text
    )
    where c.id = h.id
  `;
