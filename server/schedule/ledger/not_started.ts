/** Rows that were claimed and are not started after all. */
import type { Sql } from "../../database/pool.ts";
import { STOPPED } from "./reasons.ts";
import type { PendingStart } from "./start_rows.ts";
import { isTooOld, tooOldReason } from "./too_old.ts";

/**
 * Marks a row as `skipped`, and the trigger, unless it was stopped.
 *
 * @param failed counts as a failure of the trigger, which may pause it
 */
export async function skip(
  sql: Sql,
  { id, account_id }: Pick<PendingStart, "id" | "account_id">,
  reason: string,
  failed: boolean,
): Promise<void> {
  await sql`
    with locked as materialized (
      select id
      from crons
      where id = (select cron_id from cron_runs where id = ${id} and account_id = ${account_id})
      for update
    ),
    skipped as (
      update cron_runs
      set
        state = 'skipped',
        reason = ${reason}::text,
        payload = null,
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
        when ${reason !== STOPPED} then 'skipped'
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

type TooOld = Pick<PendingStart, "id" | "account_id" | "cron_id" | "flow_process_id">;

/** Claimed rows that are too old to be started. A process may have started one and died before it marked the row. */
export const listTooOld = (sql: Sql, now: Date, limit: number) =>
  sql<TooOld[]>`
    select r.id, r.account_id, r.cron_id, r.flow_process_id
    from cron_runs r
    join crons c on c.id = r.cron_id
    where r.state in ('ran', 'late')
      and r.outcome is null
      and r.started_at is null
      and ${isTooOld(sql, now)}
    order by r.cron_id, r.id
    limit ${limit}
  `;

/** Marks a row as `missed`. */
export async function giveUp(sql: Sql, { id, account_id, cron_id, flow_process_id }: TooOld): Promise<void> {
  await sql`
    with locked as materialized (
      select id
      from crons
      where id = ${cron_id}
        and account_id = ${account_id}
      for update
    ),
    missed as (
      update cron_runs r
      set
        state = 'missed',
        reason = ${tooOldReason(sql)},
        payload = null,
        flow_process_id = null
      where id = ${id}
        and outcome is null
        and started_at is null
        and cron_id in (select id from locked)
      returning cron_id
    )
    update crons c
    set
      last_status = null,
      last_run_id = null
    from missed m
    where c.id = m.cron_id
      and c.last_run_id = ${flow_process_id}
  `;
}
