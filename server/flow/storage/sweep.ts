/**
 * Deletes old runs and what the engine stored for them. Works in small batches, so that other queries do not wait.
 *
 * Rows are selected by ctid: a generic plan does not know the limit, and for `id in (…)` it scans the whole table for
 * each batch.
 */
import type { Sql } from "../../database/pool.ts";
import { lowestId } from "../../database/uuid_v7.ts";

const HOUR_MS = 3_600_000;
const RUNS_KEPT_HOURS = 14 * 24;
/** How many runs have ended in which way is known for so long. */
const COUNTS_KEPT_HOURS = 400 * 24;
/**
 * Values, effects and claims of a run are kept so long, and those of a run that has waited until it ends. The engine does
 * not continue another run that is older.
 */
export const VALUES_KEPT_HOURS = 24;
/**
 * A program that a flow no longer keeps, or whose flow was deleted, is readable as long as the runs that used it. They
 * started before that, except those that another process started from its cache a moment later.
 */
const VERSIONS_KEPT_HOURS = RUNS_KEPT_HOURS + VALUES_KEPT_HOURS;
/** Rows that one statement deletes. */
const BATCH = 500;
/** The rest is left to the next sweep, a minute later. */
const DEADLINE_MS = 10_000;

export async function sweepHistory(sql: Sql, now: Date): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  const ago = (hours: number) => now.getTime() - hours * HOUR_MS;
  // Ids of runs begin with the moment of their start.
  const runs = lowestId(ago(RUNS_KEPT_HOURS));
  const values = lowestId(ago(VALUES_KEPT_HOURS));
  const ended = new Date(ago(RUNS_KEPT_HOURS)).toISOString();
  const versions = new Date(ago(VERSIONS_KEPT_HOURS)).toISOString();
  const deletions = [
    () =>
      sql`
        with
          gone as (
            delete from flow_processes
            where ctid = any(array(
              select ctid
              from flow_processes
              where id < ${runs}
                and finished_at < ${ended}
              order by id
              limit ${BATCH}
              for update skip locked
            ))
            returning id, account_id, flow_code, trigger, status, department_id, input_terms
          ),
          not_found as (
            delete from flow_inputs i
            using (select account_id, unnest(input_terms) as term, id from gone) t
            where i.account_id = t.account_id
              and i.term = t.term
              and i.run_id = t.id
          ),
          counted as (
            insert into flow_outcomes as o (account_id, day, flow_code, trigger, status, department_id, count)
            select
              account_id, (audit_time(id) at time zone 'utc')::date as day, flow_code, trigger, status, department_id,
              count(*)
            from gone
            group by account_id, day, flow_code, trigger, status, department_id
            order by account_id, day, flow_code, trigger, status, department_id
            on conflict (account_id, day, flow_code, trigger, status, coalesce(department_id, 0)) do update
            set count = o.count + excluded.count
          )
        select from gone
      `,
    () =>
      sql`
        delete from flow_outcomes
        where ctid = any(array(
          select ctid
          from flow_outcomes
          where day < ${new Date(ago(COUNTS_KEPT_HOURS)).toISOString().slice(0, 10)}::date
          order by day
          limit ${BATCH}
          for update skip locked
        ))
      `,
    () =>
      sql`
        delete from flow_values
        where ctid = any(array(
          select ctid
          from flow_values o
          where run_id < ${values}
            and not exists (select from flow_waits w where w.run_id = o.run_id)
          order by run_id
          limit ${BATCH}
          for update skip locked
        ))
      `,
    () =>
      sql`
        delete from flow_effects
        where ctid = any(array(
          select ctid
          from flow_effects o
          where run_id < ${values}
            and not exists (select from flow_waits w where w.run_id = o.run_id)
          order by run_id
          limit ${BATCH}
          for update skip locked
        ))
      `,
    () =>
      sql`
        delete from flow_claims
        where ctid = any(array(
          select ctid
          from flow_claims o
          where run_id < ${values}
            and not exists (select from flow_waits w where w.run_id = o.run_id)
          order by run_id
          limit ${BATCH}
          for update skip locked
        ))
      `,
    () =>
      sql`
        delete from flow_versions
        where ctid = any(array(
          select ctid
          from flow_versions o
          where dropped_at < ${versions}
            and not exists (
              select from flow_waits w where w.flow_id = o.flow_id and w.flow_version = o.version
            )
          order by dropped_at
          limit ${BATCH}
          for update skip locked
        ))
      `,
  ];
  // In this order: while old runs are left, so are the programs that they used.
  for (const deleteBatch of deletions) {
    while (performance.now() < deadline && (await deleteBatch()).count === BATCH);
  }
}
