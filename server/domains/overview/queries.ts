/** SQL of what needs attention, and of an account's activity. */
import { lowestId } from "../../database/uuid_v7.ts";
import type { Sql } from "../../database/pool.ts";
import type { Viewer } from "../../viewer.ts";
import { visible } from "../../visibility.ts";
import { MOST_RUNS, type Problem } from "./schema.ts";

type Found = Omit<Problem, "kind" | "action">;

/** Triggers in trouble. The condition is that of the index `crons_troubled`. */
const troubled = (sql: Sql, viewer: Viewer) =>
  sql`
    account_id = ${viewer.account_id}
    and (paused_reason is not null or last_status = 'error')
    and ${visible(sql, viewer)}
  `;

/**
 * The latest failed run of each flow, newest first. A run that was repeated is left out, because its repetition says
 * what became of it; so are runs of triggers in trouble, which `listTroubledTriggers` has.
 */
export const listFailedRuns = (sql: Sql, viewer: Viewer, since_ms: number, limit: number): Promise<Found[]> =>
  sql<Found[]>`
    with newest as materialized (
      select id, flow_code, failed_steps, error, finished_at, cron_id
      from flow_processes
      where account_id = ${viewer.account_id}
        and status = 'error'
        and status <> 'finished'
        and id >= ${lowestId(since_ms)}
        and ${visible(sql, viewer)}
      order by id desc
      limit ${MOST_RUNS}
    ),
    failed as (
      select *
      from newest n
      where not exists (select from flow_processes where retry_of = n.id and account_id = ${viewer.account_id})
        and (cron_id is null or cron_id not in (select id from crons where ${troubled(sql, viewer)}))
    ),
    latest as (
      select distinct on (flow_code) *, count(*) over (partition by flow_code) as count
      from failed
      order by flow_code, id desc
    )
    select
      l.id::text as id, coalesce(f.name, l.flow_code) as name, l.flow_code, l.id as run_id,
      ${step(sql, sql`l`)} as step, coalesce(l.error, 'The flow failed') as message, l.count::int as count,
      iso(l.finished_at) as at
    from latest l
    left join lateral (
      select name from flows where account_id = ${viewer.account_id} and code = l.flow_code and ${visible(sql, viewer)}
    ) f on true
    order by l.id desc
    limit ${limit}
  `;

/** The error of a run that a step has ended begins with the step's place. */
const step = (sql: Sql, run: ReturnType<Sql>) =>
  sql`case when ${run}.failed_steps > 0 then substring(${run}.error from '^([[:alnum:]_.]+): ') end`;

/** Newest first. `paused` tells those that the server has paused. */
export const listTroubledTriggers = (
  sql: Sql,
  viewer: Viewer,
  limit: number,
): Promise<(Found & { paused: boolean })[]> =>
  sql<(Found & { paused: boolean })[]>`
    select
      c.id::text as id, coalesce(c.name, c.target_code) as name, c.target_code as flow_code, c.last_run_id as run_id,
      ${step(sql, sql`r`)} as step, coalesce(c.paused_reason, r.error, 'The last run failed') as message,
      c.failures as count, iso(coalesce(c.last_run_at, c.updated_at)) as at, c.paused_reason is not null as paused
    from (
      select *
      from crons
      where ${troubled(sql, viewer)}
      order by coalesce(last_run_at, updated_at) desc, id desc
      limit ${limit}
    ) c
    left join lateral (
      select error, failed_steps
      from flow_processes
      where id = c.last_run_id and account_id = ${viewer.account_id} and ${visible(sql, viewer)}
    ) r on true
    order by coalesce(c.last_run_at, c.updated_at) desc, c.id desc
  `;

/** Apps whose last saved source did not compile, newest first. */
export const listRefusedApps = (sql: Sql, viewer: Viewer, since_ms: number, limit: number): Promise<Found[]> =>
  sql<Found[]>`
    select
      a.id::text as id, a.name, null as flow_code, null as run_id, null as step, r.message, r.count, iso(r.at) as at
    from app_refusals r
    join (select id, name from apps where account_id = ${viewer.account_id} and ${visible(sql, viewer)}) a
      on a.id = r.app_id
    where r.account_id = ${viewer.account_id} and r.at >= ${new Date(since_ms)}
    order by r.at desc, r.app_id
    limit ${limit}
  `;

/**
 * Counts the ended runs between two moments each, by their ids, which contain the time of their start.
 *
 * @param moments in milliseconds; one more than there are slots
 */
export const countRuns = (
  sql: Sql,
  viewer: Viewer,
  moments: readonly number[],
): Promise<{ started: number; failed: number }[]> => {
  const ids = moments.map(lowestId);
  const within = sql`account_id = ${viewer.account_id} and id >= s.low and id < s.high and ${visible(sql, viewer)}`;
  return sql<{ started: number; failed: number }[]>`
    select
      (select count(*) from flow_processes where ${within})::int as started,
      (select count(*) from flow_processes where status = 'error' and status <> 'finished' and ${within})::int as failed
    from unnest(${ids.slice(0, -1)}::uuid[], ${ids.slice(1)}::uuid[]) with ordinality s (low, high, n)
    order by s.n
  `;
};
