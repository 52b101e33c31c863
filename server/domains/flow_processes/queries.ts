/** SQL of runs that have ended. */
import type { Viewer } from "../../viewer.ts";
import type { Sql } from "../../database/pool.ts";
import { oneJson } from "../../database/lists.ts";
import { type JsonObject, type StepRecord, termOf, type Trigger } from "../../flow/flow.ts";
import { lowestId } from "../../database/uuid_v7.ts";
import { inDepartment, visible } from "../../visibility.ts";
import { newest, type Owner } from "./newest.ts";
import type { FlowProcess, FlowProcessPage, UsedProgram, WholeFlowProcess } from "./schema.ts";

const columns = (sql: Sql) =>
  sql`
    id, flow_code, flow_version, status, trigger, error, app_id, action, cron_id, user_id, department_id, retry_of,
    parent_id, failure_of, failure_run_id, attempts, failed_steps, warnings, iso(started_at) as started_at,
    false as queued, null::text as wake_at, iso(finished_at) as finished_at,
    (extract(epoch from finished_at - started_at) * 1000)::bigint as ms
  `;

/** The same columns of a run that waits. */
const columnsOfWaiting = (sql: Sql) =>
  sql`
    run_id as id, flow_code, flow_version, 'waiting'::text as status, trigger, null::text as error, app_id, action,
    cron_id, user_id, department_id, retry_of, parent_id, failure_of, null::uuid as failure_run_id, attempts,
    null::integer as failed_steps, null::integer as warnings,
    case when awaits <> array[run_id] then iso(started_at) end as started_at, awaits = array[run_id] as queued,
    case when awaits <> array[run_id] then iso(wake_at) end as wake_at, null::text as finished_at, null::bigint as ms
  `;

type Filtered = Pick<FlowProcessPage, "flow_code" | "trigger" | "cron_id" | "user_id" | "department_id">;
type Filter = Omit<FlowProcessPage, "after"> & { after?: string | undefined };

/** The conditions that lists and counts of runs share, whether they wait or have ended. */
export const filtered = (
  sql: Sql,
  viewer: Viewer,
  { flow_code, trigger, cron_id, user_id, department_id }: Filtered,
) =>
  sql`
    account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
      and ${inDepartment(sql, department_id)}
      ${flow_code === undefined ? sql`` : sql`and flow_code = ${flow_code}`}
      ${trigger === undefined ? sql`` : sql`and trigger = ${trigger}`}
      ${cron_id === undefined ? sql`` : sql`and cron_id = ${cron_id}`}
      ${user_id === undefined ? sql`` : sql`and user_id = ${user_id}`}
  `;

/** Ids of runs begin with the time of their creation. */
const lowest = (moment: string) => lowestId(Date.parse(moment));

/** Of several, the one that is expected to have the fewest runs. */
const OWNERS: readonly Owner[] = ["cron_id", "user_id", "flow_code", "trigger"];

/** The rows of a list that have ended, and their order, newest first. */
function chosen(sql: Sql, viewer: Viewer, page: Filter) {
  const { status, input, after, from, to } = page;
  if (input === undefined && (status === undefined || status === "finished")) {
    const owner = OWNERS.find((name) => page[name] !== undefined);
    const value = owner && page[owner];
    if (owner && value !== undefined) {
      const ends = [after?.toLowerCase(), to && lowest(to)].filter((id) => id !== undefined);
      const { where, order } = newest(sql, owner, value, { low: from && lowest(from), high: ends.toSorted()[0] });
      return {
        rows: sql`
          from flow_processes
          where ${filtered(sql, viewer, { ...page, [owner]: undefined })}
            and ${where}
            ${status === undefined ? sql`` : sql`and status = ${status}`}
        `,
        order,
      };
    }
  }
  return {
    rows: sql`
      from flow_processes
      where ${filtered(sql, viewer, page)}
        ${
      // A partial index covers the other statuses; its condition must occur in the query.
      status === undefined
        ? sql``
        : status === "finished"
        ? sql`and status = ${status}`
        : sql`and status = ${status} and status <> 'finished'`}
        ${input === undefined ? sql`` : sql`and id in (${withInput(sql, viewer, input, page)})`}
        ${within(sql, sql`id`, page)}
    `,
    order: sql`order by id desc`,
  };
}

/** Runs that were created in a period, and behind the last one of a page. */
const within = (sql: Sql, id: ReturnType<Sql>, { after, from, to }: Filter) =>
  sql`
    ${from === undefined ? sql`` : sql`and ${id} >= ${lowest(from)}`}
    ${to === undefined ? sql`` : sql`and ${id} < ${lowest(to)}`}
    ${after === undefined ? sql`` : sql`and ${id} < ${after}`}
  `;

/**
 * The period is a condition of both tables. As a condition of runs only, a list by input and period reads all runs of the
 * period: 138 ms instead of 5 ms with 345,600 of them.
 */
const withInput = (sql: Sql, { account_id }: Viewer, input: string, page: Filter) =>
  sql`
    select run_id
    from flow_inputs
    where account_id = ${account_id}
      and term = ${termOf(input)}::bigint
      ${within(sql, sql`run_id`, page)}
  `;

/** The rows of a list that wait. */
const chosenWaiting = (sql: Sql, viewer: Viewer, page: Filter) =>
  sql`
    from flow_waits
    where wake_at is not null
      and ${filtered(sql, viewer, page)}
      ${page.input === undefined ? sql`` : sql`and false`}
      ${within(sql, sql`run_id`, page)}
  `;

/** Runs that have ended and runs that wait, newest first. */
export function listStored(
  sql: Sql,
  viewer: Viewer,
  page: FlowProcessPage,
  { limit, offset }: { limit: number; offset: number },
): Promise<FlowProcess[]> {
  const most = limit + offset;
  const { rows: found, order } = chosen(sql, viewer, page);
  const ended = sql`(select ${columns(sql)} ${found} ${order} limit ${most})`;
  const waiting = sql`
    (select ${columnsOfWaiting(sql)} ${chosenWaiting(sql, viewer, page)} order by run_id desc limit ${most})
  `;
  const rows = page.status === undefined
    ? sql`${ended} union all ${waiting}`
    : page.status === "waiting"
    ? waiting
    : ended;
  return sql<FlowProcess[]>`select * from (${rows}) rows order by id desc limit ${limit} offset ${offset}`;
}

type Failed = Omit<Filter, "page" | "per_page" | "count" | "status">;
const failedPage = (filter: Failed, after?: string): Filter => ({
  ...filter,
  after,
  status: "error",
  page: 1,
  per_page: 1,
  count: false,
});

/**
 * A run that was repeated before a moment is left out: its repetition is in the list itself if it has failed, and otherwise
 * nothing is left to repeat. A failed repetition that the filter leaves out does not count.
 *
 * The partial index of runs that wait covers those with a `wake_at`; a run that was woken is in progress.
 *
 * @param repeating ids of runs whose repetitions are in progress
 */
const unrepeated = (sql: Sql, { account_id }: Viewer, { to, user_id }: Failed, { began_ms, repeating }: Repeated) =>
  sql`
    and not exists (
      select
      from flow_processes r
      where r.retry_of = flow_processes.id
        and r.account_id = ${account_id}
        and r.id < ${lowestId(began_ms)}
        and (
          r.status <> 'error'
          or (${to === undefined} or r.id < ${lowestId(to === undefined ? 0 : Date.parse(to))})
            and (${user_id === undefined} or r.user_id = ${user_id ?? null})
        )
    )
    and not exists (
      select
      from flow_waits w
      where w.retry_of = flow_processes.id
        and w.account_id = ${account_id}
        and w.wake_at is not null
        and w.run_id < ${lowestId(began_ms)}
    )
    and id <> all(${[...repeating]}::uuid[])
  `;

/** Repetitions count that were there at a moment. */
export interface Repeated {
  began_ms: number;
  /** The runs whose repetitions are in progress. */
  repeating: readonly string[];
}

/** Ids of failed runs that match and were not repeated before, newest first. */
export async function listFailed(
  sql: Sql,
  viewer: Viewer,
  filter: Failed,
  repeated: Repeated,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const { rows: found, order } = chosen(sql, viewer, failedPage(filter, after));
  const fresh = unrepeated(sql, viewer, filter, repeated);
  const rows = await sql<{ id: string }[]>`select id ${found} ${fresh} ${order} limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** Those of the runs that have ended. */
export async function listEnded(sql: Sql, { account_id }: Viewer, ids: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select id from flow_processes where id = any(${[...ids]}::uuid[]) and account_id = ${account_id}
  `;
  return new Set(rows.map(({ id }) => id));
}

/** @param most counting stops at this number */
export async function countFailed(
  sql: Sql,
  viewer: Viewer,
  filter: Failed,
  repeated: Repeated,
  most: number,
): Promise<number> {
  const { rows: found } = chosen(sql, viewer, failedPage(filter));
  const fresh = unrepeated(sql, viewer, filter, repeated);
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from (select id ${found} ${fresh} limit ${most}) counted
  `;
  return row?.count ?? 0;
}

/**
 * Runs that started since a moment and have ended or wait, and such runs among `ids`, whenever they started. An ended run
 * stands after the same run as it waited.
 */
export const listRecent = (
  sql: Sql,
  viewer: Viewer,
  since_ms: number,
  ids: readonly string[],
  limit: number,
): Promise<FlowProcess[]> =>
  sql<FlowProcess[]>`
    (
      select ${columnsOfWaiting(sql)}
      from flow_waits
      where account_id = ${viewer.account_id}
        and wake_at is not null
        and ${visible(sql, viewer)}
        and run_id >= ${lowestId(since_ms)}
      order by run_id desc
      limit ${limit}
    )
    union all
    select ${columnsOfWaiting(sql)}
    from flow_waits
    where run_id = any(${[...ids]}::uuid[])
      and account_id = ${viewer.account_id}
      and wake_at is not null
      and ${visible(sql, viewer)}
      and run_id < ${lowestId(since_ms)}
    union all
    (
      select ${columns(sql)}
      from flow_processes
      where account_id = ${viewer.account_id}
        and ${visible(sql, viewer)}
        and id >= ${lowestId(since_ms)}
      order by id desc
      limit ${limit}
    )
    union all
    select ${columns(sql)}
    from flow_processes
    where id = any(${[...ids]}::uuid[])
      and account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
      and id < ${lowestId(since_ms)}
  `;

/** @param most counting stops at this number; null counts all */
export async function countStored(
  sql: Sql,
  viewer: Viewer,
  page: FlowProcessPage,
  most: number | null,
): Promise<number> {
  const all = { ...page, after: undefined };
  const ended = page.status === "waiting" ? sql`` : sql`(select id ${chosen(sql, viewer, all).rows} limit ${most})`;
  const waiting = page.status !== undefined && page.status !== "waiting"
    ? sql``
    : sql`(select run_id as id ${chosenWaiting(sql, viewer, all)} limit ${most})`;
  const both = page.status === undefined ? sql`union all` : sql``;
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from (select id from (${ended} ${both} ${waiting}) rows limit ${most}) found
  `;
  return row?.count ?? 0;
}

export const findEnded = (sql: Sql, viewer: Viewer, id: string) =>
  oneJson<WholeFlowProcess>(
    sql,
    sql`
      select ${columns(sql)}, input, data, steps
      from flow_processes
      where id = ${id}
        and account_id = ${viewer.account_id}
        and ${visible(sql, viewer)}
    `,
  );

/** The version of a program that a run executes. */
export interface UsedVersion {
  account_id: number;
  flow_id: number;
  flow_version: number;
}

/** The version of a run that has ended. */
export async function findUsedVersion(sql: Sql, viewer: Viewer, id: string): Promise<UsedVersion | undefined> {
  const [row] = await sql<UsedVersion[]>`
    select account_id, flow_id, flow_version
    from flow_processes
    where id = ${id}
      and account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
  `;
  return row;
}

/** A version outlives its flow. */
export const findVersion = (sql: Sql, { account_id, flow_id, flow_version }: UsedVersion) =>
  oneJson<UsedProgram>(
    sql,
    sql`
      select version, author_id, runs_as, iso(created_at) as created_at, input, output, secret_inputs, on_failure, program
      from flow_versions
      where flow_id = ${flow_id}
        and version = ${flow_version}
        and account_id = ${account_id}
    `,
  );

/** Keeps a version for a run that starts now. @returns false if it is gone, or the code is that of another flow now */
export async function keepVersion(
  sql: Sql,
  { account_id, flow_id, flow_version }: UsedVersion,
  flow_code: string,
): Promise<boolean> {
  const kept = await sql`
    update flow_versions v
    set dropped_at = case when v.dropped_at is not null then now() end
    from flows f
    where f.id = v.flow_id
      and f.code = ${flow_code}
      and v.flow_id = ${flow_id}
      and v.version = ${flow_version}
      and v.account_id = ${account_id}
    returning v.version
  `;
  return kept.length > 0;
}

/** The data of a run that a run which repeats it needs. */
export interface Repeatable {
  flow_code: string;
  trigger: Trigger;
  status: string;
  user_id: number | null;
  app_id: string | null;
  action: string | null;
  cron_id: number | null;
  trigger_data: JsonObject | null;
  input: JsonObject;
  failure_of: string | null;
  /** The secret inputs, encrypted. */
  sealed: string | null;
  steps: StepRecord[];
}

export async function findRepeatable(sql: Sql, viewer: Viewer, id: string): Promise<Repeatable | undefined> {
  const [row] = await sql<Repeatable[]>`
    select flow_code, trigger, status, user_id, app_id, action, cron_id, trigger_data, failure_of, input, sealed, steps
    from flow_processes
    where id = ${id}
      and account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
  `;
  return row;
}
