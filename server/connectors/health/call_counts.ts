/** SQL of the counts of calls. */
import type { Sql } from "../../database/pool.ts";

export const KEPT_DAYS = 14;

export interface Failure {
  method: string;
  kind: string;
  message: string;
}

/** Calls of one connector in one hour. */
export interface CallCount {
  connector_id: number;
  /** The hour's begin, ISO 8601. */
  hour: string;
  calls: number;
  failures: number;
  total_ms: number;
  most_ms: number;
  /** Of the newest failure, ISO 8601. */
  failed_at: string | null;
  last_failure: Failure | null;
}

/**
 * Adds counts. Connectors that have been deleted are left out. The order of the rows is the same in all processes, so
 * that two of them do not wait for each other.
 */
export async function addCallCounts(sql: Sql, counts: readonly CallCount[]): Promise<void> {
  await sql`
    insert into connector_calls as c
      (connector_id, hour, account_id, calls, failures, total_ms, most_ms, failed_at, last_failure)
    select k.id, n.hour, k.account_id, n.calls, n.failures, n.total_ms, n.most_ms, n.failed_at, n.last_failure
    from json_populate_recordset(null::connector_calls, ${JSON.stringify(counts)}::text::json) n
    join connectors k on k.id = n.connector_id
    order by k.id, n.hour
    on conflict (connector_id, hour) do update
    set
      calls = c.calls + excluded.calls,
      failures = c.failures + excluded.failures,
      total_ms = c.total_ms + excluded.total_ms,
      most_ms = greatest(c.most_ms, excluded.most_ms),
      failed_at = greatest(c.failed_at, excluded.failed_at),
      last_failure = case when c.failed_at > excluded.failed_at or excluded.failed_at is null
        then c.last_failure
        else excluded.last_failure
      end
  `;
}

/** @returns how many rows were deleted, at most `at_once` */
export async function sweepCallCounts(sql: Sql, now: Date, at_once: number): Promise<number> {
  const { count } = await sql`
    delete from connector_calls
    where ctid = any(array(
      select ctid
      from connector_calls
      where hour < ${now.toISOString()}::timestamptz - ${KEPT_DAYS}::int * interval '1 day'
      limit ${at_once}
    ))
  `;
  return count;
}
