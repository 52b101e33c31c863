/** What a change of a trigger through the API writes to its ledger. */
import type { Sql } from "../../database/pool.ts";

export interface SkippedTimes {
  account_id: number;
  cron_id: number;
  /** The first due time. */
  due_at: Date;
  /** The last of several; null for one. */
  due_until: Date | null;
  slots: number;
  reason: string;
}

/** Due times before the change that no process has claimed. */
export async function insertSkipped(sql: Sql, skipped: SkippedTimes): Promise<void> {
  const { account_id, cron_id, due_at, due_until, slots, reason } = skipped;
  await sql`
    insert into cron_runs (cron_id, account_id, due_at, due_until, slots, state, reason)
    values (${cron_id}, ${account_id}, ${due_at}, ${due_until}, ${slots}, 'skipped', ${reason})
    on conflict (cron_id, due_at) where not by_hand and event_key is null do nothing
  `;
}

/**
 * Copies the outcomes of a trigger's ended runs to the ledger without counting failures: a resumed trigger starts
 * without failures.
 *
 * @param sql a transaction that has locked the trigger
 */
export async function settleUncounted(sql: Sql, account_id: number, cron_id: number): Promise<void> {
  await sql`
    with ended as (
      update cron_runs r
      set
        outcome = p.status,
        started_at = coalesce(r.started_at, p.started_at)
      from flow_processes p
      where r.cron_id = ${cron_id}
        and r.account_id = ${account_id}
        and r.state in ('ran', 'late')
        and r.outcome is null
        and p.id = r.flow_process_id
      returning p.id, p.status
    )
    update crons c
    set last_status = e.status
    from ended e
    where c.id = ${cron_id}
      and c.account_id = ${account_id}
      and c.last_run_id = e.id
  `;
}
