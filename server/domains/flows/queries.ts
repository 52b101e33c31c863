import type { Method } from "../../connectors/connectors.ts";
import type { Viewer } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { listJson, oneJson, slice } from "../../database/lists.ts";
import { containing } from "../../database/like.ts";
import { visible } from "../../visibility.ts";
import { type Flow, type FlowPage, KIND, type ListedFlow } from "./schema.ts";

const listed = (sql: Sql) =>
  sql`
    id, ${KIND}::text as kind, code, name, active, version, department_id, lock_version,
    iso(created_at) as created_at, iso(updated_at) as updated_at
  `;

const orders = (sql: Sql) => ({
  name: sql`name_folded, id`,
  "-name": sql`name_folded desc, id desc`,
  created_at: sql`created_at, id`,
  "-created_at": sql`created_at desc, id desc`,
  updated_at: sql`updated_at, id`,
  "-updated_at": sql`updated_at desc, id desc`,
});

/** One page of the flows that the viewer may see, by name unless told. */
export function listFlows(sql: Sql, viewer: Viewer, page: FlowPage) {
  const { q, active, sort = "name" } = page;
  const chosen = sql`
    from flows
    where account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
      ${q === undefined ? sql`` : sql`and (name_folded like ${containing(q)} or code like ${containing(q)})`}
      ${active === undefined ? sql`` : sql`and active = ${active}`}
  `;
  return listJson<ListedFlow>(
    sql,
    sql`select ${listed(sql)} ${chosen} order by ${orders(sql)[sort]} ${slice(sql, page)}`,
    sql`select count(*) ${chosen}`,
  );
}

const one = (sql: Sql, viewer: Viewer, id: number) =>
  sql`id = ${id} and account_id = ${viewer.account_id} and ${visible(sql, viewer)}`;

/** Without its warnings. */
export const findFlow = (sql: Sql, viewer: Viewer, id: number) =>
  oneJson<Omit<Flow, "warnings">>(sql, sql`select ${listed(sql)}, fields from flows where ${one(sql, viewer, id)}`);

export interface Startable {
  code: string;
  active: boolean;
}

export async function findStartable(sql: Sql, viewer: Viewer, id: number): Promise<Startable | undefined> {
  const [row] = await sql<Startable[]>`select code, active from flows where ${one(sql, viewer, id)}`;
  return row;
}

/** Whether a flow is active; undefined where the account, or the viewer, has none of that code. */
export async function findFlowActive(sql: Sql, viewer: Viewer, code: string): Promise<boolean | undefined> {
  const [row] = await sql<{ active: boolean }[]>`
    select active
    from flows
    where account_id = ${viewer.account_id}
      and code = ${code}
      and ${visible(sql, viewer)}
  `;
  return row?.active;
}

/** Columns of a write. */
export type Values = Record<string, unknown>;

/** Not jsonb, which would forget the order of a program's keys. */
const asJson = (sql: Sql, values: Values) => sql`${JSON.stringify(values)}::text::json`;

const stored = (sql: Sql) => sql`department_id, code, name, name_folded, active, fields`;

/** The flow, and its program as the first version. */
export async function insertFlow(sql: Sql, account: number, values: Values): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    with flow as (
      insert into flows (account_id, ${stored(sql)})
      select ${account}, ${stored(sql)}
      from json_populate_record(null::flows, ${asJson(sql, values)})
      returning id, version, fields
    )
    insert into flow_versions (flow_id, version, program)
    select id, version, fields -> 'program'
    from flow
    returning flow_id as id
  `;
  if (!row) throw new Error("an insert returned no row");
  return row.id;
}

/** What a change starts from; the row is locked. */
export interface WrittenFlow {
  lock_version: number;
  /** JSON, as it is stored. */
  program: string;
}

/** @param sql a transaction */
export async function lockFlow(sql: Sql, viewer: Viewer, id: number): Promise<WrittenFlow | undefined> {
  const [row] = await sql<WrittenFlow[]>`
    select lock_version, (fields -> 'program')::text as program
    from flows
    where ${one(sql, viewer, id)}
    for update
  `;
  return row;
}

export async function updateFlow(sql: Sql, account: number, id: number, values: Values): Promise<void> {
  await sql`
    update flows f
    set
      (${stored(sql)}) = (select ${stored(sql)} from json_populate_record(f, ${asJson(sql, values)})),
      lock_version = lock_version + 1,
      updated_at = now()
    where id = ${id}
      and account_id = ${account}
  `;
}

/** The flow's program becomes its next version; the one before stays for the runs that began with it. */
export async function insertVersion(sql: Sql, account: number, id: number): Promise<void> {
  await sql`
    with flow as (
      update flows
      set version = version + 1
      where id = ${id}
        and account_id = ${account}
      returning id, version, fields
    ),
    replaced as (
      update flow_versions v
      set replaced_at = now()
      from flow f
      where v.flow_id = f.id
        and v.version = f.version - 1
    )
    insert into flow_versions (flow_id, version, program)
    select id, version, fields -> 'program'
    from flow
  `;
}

export async function deleteFlow(sql: Sql, viewer: Viewer, id: number): Promise<boolean> {
  const { count } = await sql`delete from flows where ${one(sql, viewer, id)}`;
  return count > 0;
}

export interface KnownConnector {
  code: string;
  /** As they are stored, by name. */
  methods: Record<string, Partial<Method>>;
}

/** Those of the codes that the account has. */
export const listNamedConnectors = (sql: Sql, viewer: Viewer, codes: string[]): Promise<KnownConnector[]> =>
  sql<KnownConnector[]>`
    select code, coalesce(fields -> 'methods', '{}') as methods
    from connectors
    where account_id = ${viewer.account_id}
      and code = any(${codes}::text[])
      and ${visible(sql, viewer)}
    order by code
    limit ${codes.length}
  `;

/** Connectors and databases of these codes that the viewer may not see. */
export const listHiddenNames = (sql: Sql, viewer: Viewer, codes: string[]) =>
  sql<{ key: "connector_code" | "db_code"; code: string }[]>`
    select 'connector_code' as key, code
    from connectors
    where account_id = ${viewer.account_id}
      and code = any(${codes}::text[])
      and (${visible(sql, viewer)}) is not true
    union all
    select 'db_code', code
    from dbs
    where account_id = ${viewer.account_id}
      and code = any(${codes}::text[])
      and (${visible(sql, viewer)}) is not true
  `;

export interface NamedDb {
  code: string;
  /** "" is the one of a database that has only one. */
  tables: string[];
}

/** Those of the codes that the account has. */
export const listNamedDbs = (sql: Sql, viewer: Viewer, codes: string[]): Promise<NamedDb[]> =>
  sql<NamedDb[]>`
    select code, array(select name from db_tables t where t.db_id = d.id order by name) as tables
    from dbs d
    where account_id = ${viewer.account_id}
      and code = any(${codes}::text[])
      and ${visible(sql, viewer)}
    order by code
    limit ${codes.length}
  `;
