/** SQL of runs that have ended. */
import type { Viewer } from "../../viewer.ts";
import type { Sql } from "../../database/pool.ts";
import { oneJson } from "../../database/lists.ts";
import type { JsonObject, StepRecord, Trigger } from "../../flow/flow.ts";
import { lowestId } from "../../database/uuid_v7.ts";
import { inDepartment, visible } from "../../visibility.ts";
import type { FlowProcess, FlowProcessPage, UsedProgram, WholeFlowProcess } from "./schema.ts";

const columns = (sql: Sql) =>
  sql`
    id, flow_code, flow_version, status, trigger, error, app_id, action, cron_id, user_id, department_id, retry_of,
    attempts, failed_steps, warnings, iso(started_at) as started_at, iso(finished_at) as finished_at,
    (extract(epoch from finished_at - started_at) * 1000)::int as ms
  `;

/** The rows of a list. */
const chosen = (sql: Sql, viewer: Viewer, { flow_code, status, trigger, after, department_id }: FlowProcessPage) =>
  sql`
    from flow_processes
    where account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
      and ${inDepartment(sql, department_id)}
      ${flow_code === undefined ? sql`` : sql`and flow_code = ${flow_code}`}
      ${
    // A partial index covers the other statuses; its condition must occur in the query.
    status === undefined
      ? sql``
      : status === "finished"
      ? sql`and status = ${status}`
      : sql`and status = ${status} and status <> 'finished'`}
      ${trigger === undefined ? sql`` : sql`and trigger = ${trigger}`}
      ${after === undefined ? sql`` : sql`and id < ${after}`}
  `;

/** Newest first. */
export const listEnded = (
  sql: Sql,
  viewer: Viewer,
  page: FlowProcessPage,
  { limit, offset }: { limit: number; offset: number },
): Promise<FlowProcess[]> =>
  sql<FlowProcess[]>`select ${columns(sql)} ${
    chosen(sql, viewer, page)
  } order by id desc limit ${limit} offset ${offset}`;

/** Runs that started since a moment and have ended, and the ended ones among `ids`, whenever they started. */
export const listRecent = (
  sql: Sql,
  viewer: Viewer,
  since_ms: number,
  ids: readonly string[],
  limit: number,
): Promise<FlowProcess[]> =>
  sql<FlowProcess[]>`
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
export async function countEnded(
  sql: Sql,
  viewer: Viewer,
  page: FlowProcessPage,
  most: number | null,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from (select ${chosen(sql, viewer, { ...page, after: undefined })} limit ${most}) found
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
      select version, author_id, runs_as, iso(created_at) as created_at, program
      from flow_versions
      where flow_id = ${flow_id}
        and version = ${flow_version}
        and account_id = ${account_id}
    `,
  );

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
  steps: StepRecord[];
}

export async function findRepeatable(sql: Sql, viewer: Viewer, id: string): Promise<Repeatable | undefined> {
  const [row] = await sql<Repeatable[]>`
    select flow_code, trigger, status, user_id, app_id, action, cron_id, trigger_data, input, steps
    from flow_processes
    where id = ${id}
      and account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
  `;
  return row;
}
