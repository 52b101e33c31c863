/** SQL of flows. */
import type { Viewer } from "../../viewer.ts";
import type { Sql } from "../../database/pool.ts";
import { listJson, oneJson, slice } from "../../database/lists.ts";
import { containing } from "../../database/like.ts";
import type { RunsAs } from "../../reach.ts";
import { inDepartment, visible } from "../../visibility.ts";
import { usedBy } from "../uses/uses.ts";
import { type Flow, type FlowPage, KIND, type ListedFlow } from "./schema.ts";
import { KEPT_VERSIONS } from "./versions/queries.ts";

/** Columns of a flow in a list. */
const listed = (sql: Sql) =>
  sql`
    id, ${KIND}::text as kind, code, name, active, guarded, secret_inputs, on_failure, max_at_once, overlap, version,
    author_id, runs_as, department_id, lock_version, iso(created_at) as created_at, iso(updated_at) as updated_at
  `;

const orders = (sql: Sql) => ({
  name: sql`name_folded, id`,
  "-name": sql`name_folded desc, id desc`,
  created_at: sql`created_at, id`,
  "-created_at": sql`created_at desc, id desc`,
  updated_at: sql`updated_at, id`,
  "-updated_at": sql`updated_at desc, id desc`,
});

/** One page of the flows that the viewer may see, ordered by name unless `sort` says otherwise. */
export function listFlows(sql: Sql, viewer: Viewer, page: FlowPage) {
  const { q, active, sort = "name" } = page;
  const chosen = sql`
    from flows
    where account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
      and ${inDepartment(sql, page.department_id)}
      ${q === undefined ? sql`` : sql`and (name_folded like ${containing(q)} or code like ${containing(q)})`}
      ${active === undefined ? sql`` : sql`and active = ${active}`}
  `;
  return listJson<ListedFlow>(
    sql,
    sql`select ${listed(sql)} ${chosen} order by ${orders(sql)[sort]} ${slice(sql, page)}`,
    sql`select count(*) ${chosen}`,
  );
}

/** The condition for one flow that the viewer may see. */
const one = (sql: Sql, viewer: Viewer, id: number) =>
  sql`id = ${id} and account_id = ${viewer.account_id} and ${visible(sql, viewer)}`;

/** The flow as stored, without the warnings about its program. */
export const findFlow = (sql: Sql, viewer: Viewer, id: number) =>
  oneJson<Omit<Flow, "warnings">>(
    sql,
    sql`
      select ${listed(sql)}, ${usedBy(sql, viewer, "flow", sql`flows.code`)} as used_by, input, output, fields,
        exists (
          select from flow_drafts d
          where d.user_id = ${viewer.user_id} and d.flow_id = flows.id and d.program_text is not null
        ) as has_draft
      from flows
      where ${one(sql, viewer, id)}
    `,
  );

/** What a start by hand needs of a flow. */
export async function findStartable(
  sql: Sql,
  viewer: Viewer,
  id: number,
): Promise<{ code: string; active: boolean } | undefined> {
  const [row] = await sql<{ code: string; active: boolean }[]>`select code, active from flows where ${
    one(sql, viewer, id)
  }`;
  return row;
}

/** Whether the flow is active; undefined if the viewer sees no flow with the code. */
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

/** Column values of an insert or update. */
export type Values = Record<string, unknown>;

/** json keeps the order of a program's keys; jsonb does not. */
const asJson = (sql: Sql, values: Values) => sql`${JSON.stringify(values)}::text::json`;

const stored = (sql: Sql) =>
  sql`
    department_id, code, name, name_folded, active, guarded, author_id, runs_as, input, output, secret_inputs,
    on_failure, max_at_once, overlap, fields
  `;

/** What a version keeps of its flow, and where it keeps it. */
const versioned = (sql: Sql) => sql`version, author_id, runs_as, input, output, secret_inputs, on_failure`;

/** Inserts the flow, and its program as version 1. */
export async function insertFlow(sql: Sql, account: number, values: Values): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    with flow as (
      insert into flows (account_id, ${stored(sql)})
      select ${account}, ${stored(sql)}
      from json_populate_record(null::flows, ${asJson(sql, values)})
      returning id, account_id, ${versioned(sql)}, fields
    )
    insert into flow_versions (account_id, flow_id, ${versioned(sql)}, program)
    select account_id, id, ${versioned(sql)}, fields -> 'program'
    from flow
    returning flow_id as id
  `;
  if (!row) throw new Error("an insert returned no row");
  return row.id;
}

/** The state of a flow before a change. */
export interface WrittenFlow {
  code: string;
  lock_version: number;
  author_id: number | null;
  runs_as: RunsAs;
  /** The stored JSON. */
  program: string;
  input: string | null;
  output: string | null;
  secret_inputs: string;
  on_failure: string | null;
}

/** What decides whether a change must pass the examples. */
export interface Guard {
  id: number;
  code: string;
  department_id: number | null;
  guarded: boolean;
  active: boolean;
  input: unknown;
  output: unknown;
  secret_inputs: readonly string[];
  program: unknown;
}

export async function findGuard(sql: Sql, viewer: Viewer, id: number): Promise<Guard | undefined> {
  const [row] = await sql<Guard[]>`
    select id, code, department_id, guarded, active, input, output, secret_inputs,
      fields -> 'program' as program
    from flows
    where ${one(sql, viewer, id)}
  `;
  return row;
}

/** Locks the row until the transaction ends. @param sql a transaction */
export async function lockFlow(sql: Sql, viewer: Viewer, id: number): Promise<WrittenFlow | undefined> {
  const [row] = await sql<WrittenFlow[]>`
    select code, lock_version, author_id, runs_as, (fields -> 'program')::text as program, input::text as input,
      output::text as output, to_json(secret_inputs)::text as secret_inputs, on_failure
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

/** Makes the flow's program its next version. The newest 100 earlier ones are kept, and those that runs have used. */
export async function insertVersion(sql: Sql, account: number, id: number): Promise<void> {
  await sql`
    with flow as (
      update flows
      set version = version + 1
      where id = ${id}
        and account_id = ${account}
      returning id, account_id, ${versioned(sql)}, fields
    ),
    replaced as (
      update flow_versions v
      set replaced_at = now()
      from flow f
      where v.flow_id = f.id
        and v.version = f.version - 1
    ),
    dropped as (
      update flow_versions v
      set dropped_at = now()
      from flow f
      where v.flow_id = f.id
        and v.version < f.version - ${KEPT_VERSIONS}
        and v.dropped_at is null
    )
    insert into flow_versions (account_id, flow_id, ${versioned(sql)}, program)
    select account_id, id, ${versioned(sql)}, fields -> 'program'
    from flow
  `;
}

/** The versions of its program are kept for the runs that used them, until the sweep deletes both. */
export async function deleteFlow(sql: Sql, viewer: Viewer, id: number): Promise<boolean> {
  const deleted = await sql`
    with flow as (
      delete from flows
      where ${one(sql, viewer, id)}
      returning id
    ),
    dropped as (
      update flow_versions v
      set
        replaced_at = coalesce(v.replaced_at, now()),
        dropped_at = now()
      from flow f
      where v.flow_id = f.id
        and v.dropped_at is null
    )
    select from flow
  `;
  return deleted.length > 0;
}
