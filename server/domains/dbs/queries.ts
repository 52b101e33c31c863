/** SQL of databases. */
import type { Context } from "../../context.ts";
import type { Json } from "../../database/json.ts";
import { containing } from "../../database/like.ts";
import { listJson, oneJson, slice } from "../../database/lists.ts";
import type { Sql } from "../../database/pool.ts";
import { notFound } from "../../errors.ts";
import type { Viewer } from "../../viewer.ts";
import { inDepartment, visible } from "../../visibility.ts";
import { usedBy } from "../uses/uses.ts";
import type { Db, DbPage, ListedDb } from "./schema.ts";

const columns = (sql: Sql) =>
  sql`
    id, name, code, schema, public_methods, public_write_limit, department_id,
    (select json_build_object('done', r.done, 'total', r.total) from reindexings r
      where r.db_id = d.id and r.told_at > now() - interval '1 minute') as reindexing,
    lock_version, iso(created_at) as created_at, iso(updated_at) as updated_at
  `;

const orders = (sql: Sql) => ({
  name: sql`name_folded, id`,
  "-name": sql`name_folded desc, id desc`,
  created_at: sql`created_at, id`,
  "-created_at": sql`created_at desc, id desc`,
  updated_at: sql`updated_at, id`,
  "-updated_at": sql`updated_at desc, id desc`,
});

/** One page of the databases that the viewer may see, by name unless `page.sort` says otherwise. */
export function listDbs(sql: Sql, viewer: Viewer, page: DbPage) {
  const { q, sort = "name" } = page;
  const chosen = sql`
    from dbs d
    where account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
      and ${inDepartment(sql, page.department_id)}
      ${q === undefined ? sql`` : sql`and (name_folded like ${containing(q)} or code like ${containing(q)})`}
  `;
  return listJson<ListedDb>(
    sql,
    sql`select ${columns(sql)} ${chosen} order by ${orders(sql)[sort]} ${slice(sql, page)}`,
    sql`select count(*) ${chosen}`,
  );
}

const one = (sql: Sql, viewer: Viewer, code: string) =>
  sql`account_id = ${viewer.account_id} and code = ${code} and ${visible(sql, viewer)}`;

/** A list with `scope_by` shows each caller's own records only. */
const warnings = (sql: Sql) =>
  sql`
    case
      when d.public_methods -> 'list' is not null
        and d.public_methods -> 'list' -> 'scope_by' is null
        and coalesce(d.public_methods -> 'list' ->> 'members_only', 'false') = 'false'
        and (select a.departments_mode = 'restricted' from accounts a where a.id = d.account_id)
        and exists (
          select 1
          from db_tables t
          join records r on r.table_id = t.id
          where t.db_id = d.id
            and r.department_id is not null
        )
      then json_build_object('public_methods.list', json_build_array(${SHOWN}::text))
      else '{}'
    end
  `;

const SHOWN = "shows everyone records that belong to departments";

export const findDb = (sql: Sql, viewer: Viewer, code: string) =>
  oneJson<Db>(
    sql,
    sql`
      select ${columns(sql)}, ${warnings(sql)} as warnings, ${usedBy(sql, viewer, "db", sql`d.code`)} as used_by
      from dbs d
      where ${one(sql, viewer, code)}
    `,
  );

/** @throws {Refusal} 404 */
export async function readDb({ sql, viewer }: Context, code: string): Promise<Json<Db>> {
  const db = await findDb(sql, viewer, code);
  if (!db) throw notFound("Database");
  return db;
}

/** The columns that a write may set. */
export type Values = Record<string, unknown>;

/** Stored as json, because jsonb loses the order of a schema's fields. */
const asJson = (sql: Sql, values: Values) => sql`${JSON.stringify(values)}::text::json`;

const stored = (sql: Sql) => sql`department_id, name, name_folded, code, schema, public_methods, public_write_limit`;

export async function insertDb(sql: Sql, account: number, values: Values): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into dbs (account_id, ${stored(sql)})
    select ${account}, ${stored(sql)}
    from json_populate_record(null::dbs, ${asJson(sql, values)})
    returning id
  `;
  if (!row) throw new Error("an insert returned no row");
  return row.id;
}

/** The row before a change. It is locked. */
export interface WrittenDb {
  id: number;
  account_id: number;
  code: string;
  schema: unknown;
  public_methods: unknown;
  department_id: number | null;
  lock_version: number;
}

/**
 * Locks the database's row against writes of records and other changes, until the transaction ends.
 *
 * @param sql a transaction
 */
export async function lockDb(sql: Sql, viewer: Viewer, code: string): Promise<WrittenDb | undefined> {
  const [row] = await sql<WrittenDb[]>`
    select id, account_id, code, schema, public_methods, department_id, lock_version
    from dbs
    where ${one(sql, viewer, code)}
    for update
  `;
  return row;
}

export async function updateDb(sql: Sql, account: number, id: number, values: Values): Promise<void> {
  await sql`
    update dbs d
    set
      (${stored(sql)}) = (select ${stored(sql)} from json_populate_record(d, ${asJson(sql, values)})),
      lock_version = lock_version + 1,
      updated_at = now()
    where id = ${id}
      and account_id = ${account}
  `;
}

export async function deleteDb(sql: Sql, viewer: Viewer, code: string): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`delete from dbs where ${one(sql, viewer, code)} returning id`;
  return row?.id;
}
