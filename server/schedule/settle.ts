/** Notes how runs ended, counts failures in a row, and pauses triggers that have too many. */
import type { Sql } from "../database/pool.ts";
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
 * @param of these triggers alone
 */
export async function settle(
  sql: Sql,
  now: Date,
  at_once: number,
  { cron_id, id }: { cron_id: number; id: number },
  of?: readonly number[],
): Promise<Settled> {
  const open = await sql<Open[]>`
    select id, cron_id, by_hand, flow_process_id
    from cron_runs
    where state in ('ran', 'late')
      and outcome is null
      and (cron_id, id) > (${cron_id}, ${id})
      ${of ? sql`and cron_id = any(${[...of]}::int[])` : sql``}
    order by cron_id, id
    limit ${at_once}
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
  const count = await note(sql, now, ended);
  return { count, after: open.length === at_once ? open.at(-1) : undefined };
}

const LOST = "its end was never recorded";

/** A run that nobody knows any more has failed. @param sql a transaction */
export async function settleLost(sql: Sql, now: Date, run: Overdue): Promise<void> {
  await note(sql, now, [{ ...run, status: "error", error: LOST }], LOST);
}

/**
 * A trigger's row is locked before those of its ledger, as whoever deletes it does; what another one has in hand is
 * left to that one, or to the next round.
 *
 * @returns of how many the end was noted
 */
async function note(sql: Sql, now: Date, all: readonly Ended[], reason: string | null = null): Promise<number> {
  if (all.length === 0) return 0;
  const crons = await sql<Health[]>`
    select id, active, failures, max_failures, last_run_id
    from crons
    where id = any(${[...new Set(all.map(({ cron_id }) => cron_id))]}::int[])
    order by id
    for update skip locked
  `;
  const locked = new Set(crons.map(({ id }) => id));
  const ids = all.flatMap(({ id, cron_id }) => locked.has(cron_id) ? [id] : []);
  const open = new Set(
    (ids.length === 0 ? [] : await sql<{ id: number }[]>`
      select id
      from cron_runs
      where id = any(${ids}::bigint[])
        and outcome is null
      order by id
      for update skip locked
    `).map(({ id }) => id),
  );
  const ended = all.filter(({ id }) => open.has(id));
  if (ended.length === 0) return 0;
  const by_cron = Map.groupBy(ended, ({ cron_id }) => cron_id);
  const told = crons.flatMap((cron) => tell(cron, by_cron.get(cron.id)));
  await sql`
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
      failures = t.failures,
      last_status = coalesce(t.last_status, c.last_status),
      -- A slot that is due already is claimed, so that the ledger tells why it is skipped; then the trigger stops.
      active = c.active and (t.paused_reason is null or c.next_run_at <= ${now}),
      next_run_at = case when t.paused_reason is null or c.next_run_at <= ${now} then c.next_run_at end,
      paused_reason = coalesce(t.paused_reason, c.paused_reason)
    from json_to_recordset(${JSON.stringify(told)}::text::json) t (
      id int, failures int, last_status text, paused_reason text
    )
    where c.id = t.id
  `;
  return ended.length;
}

/** @param ended in the order in which they were claimed */
function tell(
  { id, active, max_failures, last_run_id, ...before }: Health,
  ended: readonly Ended[] | undefined,
): Told | [] {
  if (!ended) return [];
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
