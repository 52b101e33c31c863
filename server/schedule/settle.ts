/** Notes how runs ended, counts failures in a row, and pauses triggers that have too many. */
import type { Sql } from "../database.ts";
import { pauseOf } from "./due.ts";
import type { Overdue } from "./ledger.ts";
import type { RunOutcome } from "./schedule.ts";

interface Ended {
  /** Of the ledger. */
  id: number;
  cron_id: number;
  by_hand: boolean;
  flow_process_id: string;
  status: RunOutcome;
  error: string | null;
  started_at: string;
}

interface Health {
  id: number;
  active: boolean;
  failures: number;
  max_failures: number | null;
  last_run_id: string | null;
}

/** What a trigger's runs that have ended change of it. */
interface Told {
  id: number;
  failures: number;
  /** Null leaves the one that is there. */
  last_status: RunOutcome | null;
  paused_reason: string | null;
}

const LONGEST_REASON = 500;

type Open = Omit<Ended, "status" | "error" | "started_at">;

export interface Settled {
  /** Runs whose end was noted. */
  count: number;
  /** Where the next page begins; undefined after the last one. */
  after: { cron_id: number; id: number } | undefined;
}

export const FROM_THE_FIRST = { cron_id: 0, id: 0 };

/**
 * One page of the runs that the ledger has as open. Runs by hand count neither for nor against a pause; a cancelled run
 * is no failure.
 *
 * @param sql a transaction
 */
export async function settle(
  sql: Sql,
  at_once: number,
  { cron_id, id }: { cron_id: number; id: number },
): Promise<Settled> {
  const open = await sql<Open[]>`
    select id, cron_id, by_hand, flow_process_id
    from cron_runs
    where state in ('ran', 'late')
      and outcome is null
      and (cron_id, id) > (${cron_id}, ${id})
    order by cron_id, id
    limit ${at_once}
    for update skip locked
  `;
  // Apart from the statement above: as a join PostgreSQL may go through the whole history for each row.
  const ends = new Map(
    (open.length === 0 ? [] : await sql<(Pick<Ended, "status" | "error" | "started_at"> & { run_id: string })[]>`
      select id as run_id, status, error, started_at
      from flow_processes
      where id = any(${open.map(({ flow_process_id }) => flow_process_id)}::uuid[])
    `).map(({ run_id, ...end }) => [run_id, end]),
  );
  const ended = open.flatMap((row): Ended[] => {
    const end = ends.get(row.flow_process_id);
    return end ? [{ ...row, ...end }] : [];
  });
  await note(sql, ended);
  return { count: ended.length, after: open.length === at_once ? open.at(-1) : undefined };
}

const LOST = "its end was never recorded";

/** A run that nobody knows any more has failed. @param sql a transaction */
export async function settleLost(sql: Sql, run: Overdue): Promise<void> {
  const { count } = await sql`
    update cron_runs
    set reason = ${LOST}
    where id = ${run.id}
      and outcome is null
  `;
  if (count > 0) await note(sql, [{ ...run, status: "error", error: LOST }]);
}

async function note(sql: Sql, ended: readonly Ended[]): Promise<void> {
  if (ended.length === 0) return;
  const by_cron = Map.groupBy(ended, ({ cron_id }) => cron_id);
  // In order, so that two processes do not wait for each other.
  const crons = await sql<Health[]>`
    select id, active, failures, max_failures, last_run_id
    from crons
    where id = any(${[...by_cron.keys()]}::int[])
    order by id
    for update
  `;
  const told = crons.map((cron) => tell(cron, by_cron.get(cron.id) ?? []));
  await sql`
    with noted as (
      update cron_runs r
      set
        outcome = e.status,
        started_at = coalesce(r.started_at, e.started_at)
      from json_to_recordset(${JSON.stringify(ended)}::text::json) e (id bigint, status text, started_at timestamptz)
      where r.id = e.id
    )
    update crons c
    set
      failures = t.failures,
      last_status = coalesce(t.last_status, c.last_status),
      active = c.active and t.paused_reason is null,
      next_run_at = case when t.paused_reason is null then c.next_run_at end,
      paused_reason = coalesce(t.paused_reason, c.paused_reason)
    from json_to_recordset(${JSON.stringify(told)}::text::json) t (
      id int, failures int, last_status text, paused_reason text
    )
    where c.id = t.id
  `;
}

/** @param ended in the order in which they were claimed */
function tell({ id, active, max_failures, last_run_id, ...before }: Health, ended: readonly Ended[]): Told {
  let { failures } = before;
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
    paused_reason: is_over ? pauseOf(failures, (last_error ?? "").slice(0, LONGEST_REASON)) : null,
  };
}
