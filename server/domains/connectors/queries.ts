/** SQL of connectors. */
import type { Context } from "../../context.ts";
import type { Viewer } from "../../viewer.ts";
import type { Json } from "../../database/json.ts";
import { containing } from "../../database/like.ts";
import { listJson, oneJson, slice } from "../../database/lists.ts";
import type { Sql } from "../../database/pool.ts";
import { notFound } from "../../errors.ts";
import type { Encrypted } from "../../secrets/keys.ts";
import { inDepartment, visible } from "../../visibility.ts";
import { usedBy } from "../uses/uses.ts";
import { type Connector, type ConnectorPage, KIND, type ListedConnector } from "./schema.ts";

const columns = (sql: Sql) =>
  sql`
    id, ${KIND}::text as kind, code, name, url, secret_token is not null as has_secret_token, fields, department_id,
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

/** One page of the connectors that the viewer may see, by name unless `sort` says otherwise. */
export function listConnectors(sql: Sql, viewer: Viewer, page: ConnectorPage) {
  const { q, sort = "name" } = page;
  const chosen = sql`
    from connectors
    where account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
      and ${inDepartment(sql, page.department_id)}
      ${q === undefined ? sql`` : sql`and (name_folded like ${containing(q)} or code like ${containing(q)})`}
  `;
  return listJson<ListedConnector>(
    sql,
    sql`select ${columns(sql)} ${chosen} order by ${orders(sql)[sort]} ${slice(sql, page)}`,
    sql`select count(*) ${chosen}`,
  );
}

const one = (sql: Sql, viewer: Viewer, id: number) =>
  sql`id = ${id} and account_id = ${viewer.account_id} and ${visible(sql, viewer)}`;

export const findConnector = (sql: Sql, viewer: Viewer, id: number) =>
  oneJson<Connector>(
    sql,
    sql`
      select ${columns(sql)}, ${usedBy(sql, viewer, "connector", sql`connectors.code`)} as used_by
      from connectors
      where ${one(sql, viewer, id)}
    `,
  );

/** @throws {Refusal} 404 */
export async function readConnector({ sql, viewer }: Context, id: number): Promise<Json<Connector>> {
  const connector = await findConnector(sql, viewer, id);
  if (!connector) throw notFound("Connector");
  return connector;
}

export async function findCode(sql: Sql, viewer: Viewer, id: number): Promise<string | undefined> {
  const [row] = await sql<{ code: string }[]>`select code from connectors where ${one(sql, viewer, id)}`;
  return row?.code;
}

/** Columns of a write, except the secret's. */
export type Values = Record<string, unknown>;

/** json keeps the order of methods; jsonb does not. */
const asJson = (sql: Sql, values: Values) => sql`${JSON.stringify(values)}::text::json`;

const stored = (sql: Sql) => sql`department_id, code, name, name_folded, url, fields`;

export async function insertConnector(sql: Sql, account: number, values: Values): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into connectors (account_id, ${stored(sql)})
    select ${account}, ${stored(sql)}
    from json_populate_record(null::connectors, ${asJson(sql, values)})
    returning id
  `;
  if (!row) throw new Error("an insert returned no row");
  return row.id;
}

/** The columns that a change depends on. */
export interface WrittenConnector {
  lock_version: number;
  url: string;
  fields: unknown;
  has_secret_token: boolean;
}

/** Locks the row until the transaction ends. */
export async function lockConnector(sql: Sql, viewer: Viewer, id: number): Promise<WrittenConnector | undefined> {
  const [row] = await sql<WrittenConnector[]>`
    select lock_version, url, fields, secret_token is not null as has_secret_token
    from connectors
    where ${one(sql, viewer, id)}
    for update
  `;
  return row;
}

export async function updateConnector(sql: Sql, account: number, id: number, values: Values): Promise<void> {
  await sql`
    update connectors c
    set
      (${stored(sql)}) = (select ${stored(sql)} from json_populate_record(c, ${asJson(sql, values)})),
      lock_version = lock_version + 1,
      updated_at = now()
    where id = ${id}
      and account_id = ${account}
  `;
}

/** @param secret null clears it */
export async function updateSecret(
  sql: Sql,
  account: number,
  id: number,
  secret: Encrypted | null,
): Promise<void> {
  await sql`
    update connectors
    set
      secret_token = ${secret?.bytes ?? null},
      secret_key_id = ${secret?.key_id ?? null}
    where id = ${id}
      and account_id = ${account}
  `;
}

export async function deleteConnector(sql: Sql, viewer: Viewer, id: number): Promise<boolean> {
  const { count } = await sql`delete from connectors where ${one(sql, viewer, id)}`;
  return count > 0;
}
