/** What happens to the ledger's rows after their claim: started, settled, given up, swept away. */
import type { Sql } from "../database/pool.ts";
import { open, type Waiting } from "./due.ts";

/** Who claims a row has this long to start its run; then another process may. */
export const LEASE_S = 120;
/** Flows know a key for 24 hours, and what a run has kept is swept away by the age of its id. */
const GIVEN_UP_HOURS = 23;
/** No run takes that long: who should have ended is asked for, and nothing waits for it longer. */
const LOST_HOURS = 2;
const KEPT_DAYS = 90;

/** Whether a slot, `r`, of a trigger, `c`, is not to be started any more, whatever it has waited for. */
const isTooOld = (sql: Sql, now: Date) =>
  sql`(
    r.created_at < now() - ${GIVEN_UP_HOURS}::int * interval '1 hour'
    or r.due_at < ${now}::timestamptz - (c.catch_up + ${3_600 * LOST_HOURS}::int) * interval '1 second'
  )`;

/** Nobody was there, or too many other runs were. */
export const TOO_OLD = `not started in time, nor within its catch-up window and ${LOST_HOURS} hours`;

/**
 * Rows that wait for a run that has ended become late ones. A trigger's row is locked before those of its ledger, as
 * whoever deletes it does.
 */
export const promoteQueued = (sql: Sql, now: Date, at_once: number) =>
  sql<Waiting[]>`
    with candidates as materialized (
      select r.id, r.cron_id
      from cron_runs r
      join crons c on c.id = r.cron_id
      where r.state = 'queued'
        and (not c.active or ${isTooOld(sql, now)} or not exists (${open(sql)}))
      order by r.id
      limit ${at_once}
    ),
    c as materialized (
      select id, target_code, active, catch_up
      from crons
      where id in (select cron_id from candidates)
      order by id
      for update skip locked
    ),
    next as materialized (
      select
        r.id, c.target_code,
        case when not c.active then 'skipped' when ${isTooOld(sql, now)} then 'missed' else 'late' end as state
      from cron_runs r
      join c on c.id = r.cron_id
      where r.id in (select id from candidates)
        and r.state = 'queued'
      order by r.id
      for update of r skip locked
    ),
    changed as (
      update cron_runs r
      set
        state = n.state,
        reason = case n.state
          when 'late' then 'waited for the run before'
          when 'missed' then ${TOO_OLD}
          else ${STOPPED}
        end,
        flow_process_id = case when n.state = 'late' then r.flow_process_id end,
        taken_at = ${now}
      from next n
      where r.id = n.id
      returning r.id, r.cron_id, r.account_id, r.due_at, r.by_hand, r.flow_process_id, n.target_code, n.state
    ),
    told as (
      update crons
      set last_run_at = ${now}, last_run_id = r.flow_process_id, last_status = 'pending'
      from changed r
      where crons.id = r.cron_id
        and r.state = 'late'
    )
    select id, cron_id, account_id, due_at, by_hand, flow_process_id, target_code
    from changed
    where state = 'late'
  `;

/** Why a run was not started that was claimed. */
export const STOPPED = "the trigger was stopped before the run started";

/** What others have claimed and not started: they died, or were sent away. Also where a clock went back. */
export const takeOver = (sql: Sql, now: Date, at_once: number) =>
  sql<Waiting[]>`
    with left_behind as (
      select r.id, c.target_code
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
      limit ${at_once}
      for update of r skip locked
    )
    update cron_runs r
    set taken_at = ${now}
    from left_behind l
    where r.id = l.id
    returning r.id, r.cron_id, r.account_id, r.due_at, r.by_hand, r.flow_process_id, l.target_code
  `;

/** Which of the rows may still be started: a deleted trigger's are gone, one that is not active has stopped. */
export const listWanted = (sql: Sql, ids: readonly number[]) =>
  sql<{ id: number; wanted: boolean }[]>`
    select r.id, c.active or r.by_hand as wanted
    from cron_runs r
    join crons c on c.id = r.cron_id
    where r.id = any(${[...ids]}::bigint[])
      and r.started_at is null
  `;

/** A run that is started in another minute than its own is late, whatever was thought at its claim. */
export async function markStarted(sql: Sql, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update cron_runs
    set
      started_at = coalesce(started_at, ${now}),
      reason = case
        when state = 'ran' and not by_hand and ${now}::timestamptz - due_at >= interval '1 minute'
        then 'claimed in time, and could not be started at once'
        else reason
      end,
      state = case
        when state = 'ran' and not by_hand and ${now}::timestamptz - due_at >= interval '1 minute' then 'late'
        else state
      end
    where id = any(${[...ids]}::bigint[])
  `;
}

/** Somebody else, or this process in the next minute, tries again. */
export async function release(sql: Sql, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`update cron_runs set taken_at = null where id = any(${[...ids]}::bigint[]) and started_at is null`;
}

/** A row that was claimed to be run, and is not. @param failed counts as a failure of the trigger */
export async function skip(sql: Sql, id: number, reason: string, failed: boolean): Promise<void> {
  await sql`
    with locked as materialized (
      select id
      from crons
      where id = (select cron_id from cron_runs where id = ${id})
      for update
    ),
    skipped as (
      update cron_runs
      set
        state = 'skipped',
        reason = ${reason}::text,
        flow_process_id = null
      where id = ${id}
        and started_at is null
        and cron_id in (select id from locked)
      returning cron_id
    ),
    run as (
      select flow_process_id
      from cron_runs
      where id = ${id}
    )
    update crons c
    set
      failures = c.failures + ${failed ? 1 : 0}::int,
      last_status = case
        when c.last_run_id is distinct from (select flow_process_id from run) then c.last_status
        when ${failed} then 'error'
      end,
      last_run_id = case when c.last_run_id is distinct from (select flow_process_id from run) then c.last_run_id end,
      active = c.active and not (${failed} and c.failures + 1 >= c.max_failures) is true,
      next_run_at = case when not (${failed} and c.failures + 1 >= c.max_failures) is true then c.next_run_at end,
      paused_reason = case
        when c.active and ${failed} and c.failures + 1 >= c.max_failures
        then (c.failures + 1) || case c.failures when 0 then ' failure' else ' failures' end
          || ' in a row; the last one: ' || ${reason}::text
        else c.paused_reason
      end
    from skipped
    where c.id = skipped.cron_id
  `;
}

/** What was claimed and has not been started, and is too old by now; the engine may have it all the same. */
export const listUnstarted = (sql: Sql, now: Date, at_once: number) =>
  sql<Pick<Overdue, "id" | "account_id" | "cron_id" | "flow_process_id">[]>`
    select r.id, r.account_id, r.cron_id, r.flow_process_id
    from cron_runs r
    join crons c on c.id = r.cron_id
    where r.state in ('ran', 'late')
      and r.outcome is null
      and r.started_at is null
      and ${isTooOld(sql, now)}
    order by r.cron_id, r.id
    limit ${at_once}
  `;

/** Nobody starts it any more. */
export async function giveUp(
  sql: Sql,
  { id, cron_id, flow_process_id }: Pick<Overdue, "id" | "cron_id" | "flow_process_id">,
) {
  await sql`
    with locked as materialized (
      select id
      from crons
      where id = ${cron_id}
      for update
    ),
    missed as (
      update cron_runs
      set
        state = 'missed',
        reason = ${TOO_OLD},
        flow_process_id = null
      where id = ${id}
        and outcome is null
        and started_at is null
        and cron_id in (select id from locked)
      returning cron_id
    )
    update crons c
    set last_status = null, last_run_id = null
    from missed m
    where c.id = m.cron_id
      and c.last_run_id = ${flow_process_id}
  `;
}

export interface Overdue {
  id: number;
  account_id: number;
  cron_id: number;
  by_hand: boolean;
  flow_process_id: string;
  started_at: string;
}

/** Runs that should long have ended. */
export const listOverdue = (sql: Sql, at_once: number) =>
  sql<Overdue[]>`
    select r.id, r.account_id, r.cron_id, r.by_hand, r.flow_process_id, r.started_at
    from cron_runs r
    where r.state in ('ran', 'late')
      and r.outcome is null
      and r.started_at is not null
      and r.created_at < now() - ${LOST_HOURS}::int * interval '1 hour'
    order by r.cron_id, r.id
    limit ${at_once}
  `;

/** @returns how many rows it took */
export async function sweepLedger(sql: Sql, at_once: number): Promise<number> {
  const { count } = await sql`
    delete from cron_runs
    where id in (
      select id
      from cron_runs
      where created_at < now() - ${KEPT_DAYS}::int * interval '1 day'
      order by created_at
      limit ${at_once}
      for update skip locked
    )
  `;
  return count;
}
