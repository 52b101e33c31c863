/** SQL of the figures of the whole server. Counts are bounded; texts of statements have no values. */
import type { Sql } from "../../database/pool.ts";
import { isOpen } from "../approvals/queries.ts";
import type { Operations, Report, Sizes } from "./schema.ts";

const MOST_COUNTED = 10_000;
/** Three reports and a little. */
const LIVE_S = 35;
const SLOW_MS = 1_000;
const LONGEST_TEXT = 500;

export async function writeReport(sql: Sql, id: string, started_at: Date, report: Report): Promise<void> {
  await sql`
    insert into server_processes (id, started_at, seen_at, report)
    values (${id}, ${started_at.toISOString()}, now(), ${JSON.stringify(report)}::text::json)
    on conflict (id) do update set seen_at = excluded.seen_at, report = excluded.report
  `;
}

/** Rows of processes that have died. */
export async function sweepReports(sql: Sql): Promise<void> {
  await sql`delete from server_processes where seen_at < now() - interval '10 minutes'`;
}

export async function listProcesses(sql: Sql): Promise<Operations["processes"]> {
  const rows = await sql<{ id: string; started_at: string; seen_at: string; report: Report }[]>`
    select id, iso(started_at) as started_at, iso(seen_at) as seen_at, report
    from server_processes
    where seen_at > now() - ${LIVE_S}::int * interval '1 second'
    order by started_at, id
    limit 200
  `;
  return rows.map(({ report, ...row }) => ({ ...report, ...row }));
}

export async function countQueues(sql: Sql): Promise<Operations["queues"]> {
  const most = sql`limit ${MOST_COUNTED}`;
  const [row] = await sql<Operations["queues"][]>`
    select
      (select count(*)::int from (select from flow_waits where wake_at is not null ${most}) r) as runs_waiting,
      (select count(*)::int from (select from flow_waits where wake_at <= now() ${most}) r) as runs_due,
      (select count(*)::int from (select from flow_approvals where ${isOpen(sql)} ${most}) r) as approvals_open,
      (
        select count(*)::int
        from (select from crons where active and next_run_at < now() - interval '2 minutes' ${most}) r
      ) as triggers_overdue,
      (select count(*)::int from (select from cron_runs where state = 'queued' and started_at is null ${most}) r)
        as trigger_runs_queued
  `;
  if (!row) throw new Error("a count returned no row");
  return row;
}

export async function readDatabase(sql: Sql, is_embedded: boolean): Promise<Sizes> {
  const [row] = await sql<{ bytes: number; version: string }[]>`
    select pg_database_size(current_database()) as bytes, current_setting('server_version') as version
  `;
  // A size asks the file system for each index: 8 ms with the embedded database. The estimates of PostgreSQL choose the
  // tables, whose sizes are then exact.
  const tables = await sql<{ name: string; bytes: number; rows: number }[]>`
    with largest as materialized (
      select c.oid, c.relname as name, greatest(0, c.reltuples)::bigint as rows
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public'
        and c.relkind = 'r'
      order by (select c.relpages + coalesce(sum(i.relpages), 0)
        from pg_index x
        join pg_class i on i.oid = x.indexrelid
        where x.indrelid = c.oid) desc, c.relname
      limit 10
    ), measured as materialized (
      select name, pg_total_relation_size(oid) as bytes, rows from largest
    )
    select name, bytes, rows from measured order by bytes desc, name
  `;
  return {
    engine: is_embedded ? "embedded" : "PostgreSQL",
    version: row?.version ?? "",
    bytes: row?.bytes ?? 0,
    connections: is_embedded ? null : await countConnections(sql),
    tables: [...tables],
  };
}

async function countConnections(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
  `;
  return row?.count ?? 0;
}

/** Only of this server: statements of other programs may contain values. */
export async function listRunning(sql: Sql): Promise<Operations["statements"]["running"]> {
  const rows = await sql<Operations["statements"]["running"]>`
    select
      left(query, ${LONGEST_TEXT}::int) as text,
      (extract(epoch from clock_timestamp() - query_start) * 1000)::int as ms,
      wait_event_type as waits_for
    from pg_stat_activity
    where datname = current_database()
      and application_name = 'atrium'
      and state = 'active'
      and pid <> pg_backend_pid()
      and query_start < clock_timestamp() - ${SLOW_MS}::int * interval '1 millisecond'
    order by query_start
    limit 20
  `;
  return [...rows];
}

/** @returns null without the extension, or without the right to read it */
export async function listSlowest(sql: Sql): Promise<Operations["statements"]["slowest"]> {
  const [found] = await sql`select 1 from pg_extension where extname = 'pg_stat_statements'`;
  if (!found) return null;
  const rows = await sql<NonNullable<Operations["statements"]["slowest"]>>`
    select
      left(s.query, ${LONGEST_TEXT}::int) as text, s.calls, s.mean_exec_time as ms, s.max_exec_time as most_ms
    from pg_stat_statements s
    where s.dbid = (select oid from pg_database where datname = current_database())
      and s.userid = (select oid from pg_roles where rolname = current_user)
      and s.calls > 0
    order by s.mean_exec_time desc
    limit 20
  `.catch((error) => {
    // insufficient_privilege; object_not_in_prerequisite_state: the library is not loaded
    if (["42501", "55000"].includes(error.code)) return null;
    throw error;
  });
  return rows && [...rows];
}

export async function readBackground(sql: Sql): Promise<Operations["background"]> {
  const reindexing = await sql<Operations["background"]["reindexing"]>`
    select done, total, iso(told_at) as told_at from reindexings order by told_at desc limit 100
  `;
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (select from db_tables where db_id is null limit ${MOST_COUNTED}) r
  `;
  return { reindexing: [...reindexing], dropped_tables: row?.count ?? 0 };
}
