/** Due times that wait for the trigger's previous run (`overlap` = `queue`). */
import type { Sql } from "../../database/pool.ts";
import { STOPPED } from "./reasons.ts";
import { isStopped, ofTrigger, type PendingStart } from "./start_rows.ts";
import { isTooOld, tooOldReason } from "./too_old.ts";

/** Runs of a trigger `c` that have not ended. A run may have ended although the ledger does not know it yet. */
const unfinishedRuns = (sql: Sql) =>
  sql`
    select 1
    from cron_runs o
    where o.cron_id = c.id
      and o.state in ('ran', 'late')
      and o.outcome is null
      and (select p.status from flow_processes p where p.id = o.flow_process_id) is null
  `;

/**
 * Rows whose previous run has ended become `late` and are returned. Rows of deactivated triggers become `skipped`, rows
 * that are too old `missed`.
 *
 * A trigger is locked before its ledger rows, as in the deletion of a trigger: another order could deadlock.
 */
export const promoteQueued = (sql: Sql, now: Date, limit: number, cron_ids?: readonly number[]) =>
  sql<PendingStart[]>`
    with candidates as materialized (
      select r.id, r.cron_id
      from cron_runs r
      join crons c on c.id = r.cron_id
      where r.state = 'queued'
        ${cron_ids ? sql`and r.cron_id = any(${[...cron_ids]}::int[])` : sql``}
        and (
          ${isStopped(sql)}
          or ${isTooOld(sql, now)}
          or c.active
            and not exists (${unfinishedRuns(sql)})
            -- of several events the oldest
            and not exists (select from cron_runs q where q.cron_id = r.cron_id and q.state = 'queued' and q.id < r.id)
        )
      order by r.id
      limit ${limit}
    ),
    c as materialized (
      select id, target_code, author_id, timezone, input, kind, active, paused_reason, catch_up
      from crons
      where id in (select cron_id from candidates)
      order by id
      for update skip locked
    ),
    next as materialized (
      select
        r.id, ${ofTrigger(sql)},
        case when ${isStopped(sql)} then 'skipped' when ${isTooOld(sql, now)} then 'missed' else 'late' end as state
      from cron_runs r
      join c on c.id = r.cron_id
      where r.id in (select id from candidates)
        and r.state = 'queued'
        -- it may have been paused meanwhile
        and (c.active or ${isStopped(sql)} or ${isTooOld(sql, now)})
      order by r.id
      for update of r skip locked
    ),
    changed as (
      update cron_runs r
      set
        state = n.state,
        reason = case n.state
          when 'late' then 'waited for the run before'
          when 'missed' then ${tooOldReason(sql)}
          else ${STOPPED}
        end,
        flow_process_id = case when n.state = 'late' then r.flow_process_id end,
        taken_at = ${now},
        payload = case when n.state = 'late' then r.payload end
      from next n
      where r.id = n.id
      returning r.id, r.cron_id, r.account_id, r.due_at, r.by_hand, r.flow_process_id, n.target_code,
        n.author_id, n.timezone, n.input, n.kind, r.payload, n.state
    ),
    triggers as (
      update crons
      set
        last_run_at = ${now},
        last_run_id = r.flow_process_id,
        last_status = 'pending'
      from changed r
      where crons.id = r.cron_id
        and r.state = 'late'
    )
    select id, cron_id, account_id, due_at, by_hand, flow_process_id, target_code, author_id, timezone, input, kind, payload
    from changed
    where state = 'late'
  `;
