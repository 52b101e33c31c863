/** SQL of views. */
import type { Sql } from "../../../database/pool.ts";
import { fold } from "../../../input/shapes.ts";
import type { Viewer } from "../../../viewer.ts";
import type { Settings, View, ViewPage } from "./schema.ts";

/** The views of one table that belong to one user. */
export const MOST_VIEWS = 100;

export interface StoredView extends Pick<View, "id" | "name" | "shared" | "owner_id" | "created_at" | "updated_at"> {
  table_id: number;
  settings: Settings;
}

const columns = (sql: Sql) =>
  sql`
    v.id, v.table_id, v.name, v.private_to_id is null as shared, v.owner_id, v.settings,
    iso(v.created_at) as created_at, iso(v.updated_at) as updated_at
  `;

/** The viewer's own views, and the shared ones. */
const seen = (sql: Sql, viewer: Viewer) =>
  sql`v.account_id = ${viewer.account_id} and (v.private_to_id is null or v.private_to_id = ${viewer.user_id})`;

/** @param tables ids of tables that the viewer sees */
export async function listViews(sql: Sql, viewer: Viewer, tables: number[], { page, per_page, sort }: ViewPage) {
  const chosen = sql`from db_views v where ${seen(sql, viewer)} and v.table_id = any(${tables}::int[])`;
  const rows = await sql<StoredView[]>`
    select ${columns(sql)} ${chosen}
    order by ${sort === "-name" ? sql`v.name_folded desc, v.id desc` : sql`v.name_folded, v.id`}
    limit ${per_page} offset ${(page - 1) * per_page}
  `;
  const [row] = await sql<{ total: number }[]>`select count(*)::int as total ${chosen}`;
  return { rows, total: row?.total ?? 0 };
}

export async function findView(
  sql: Sql,
  viewer: Viewer,
  tables: number[],
  id: number,
): Promise<StoredView | undefined> {
  const [row] = await sql<StoredView[]>`
    select ${columns(sql)}
    from db_views v
    where v.id = ${id}
      and v.table_id = any(${tables}::int[])
      and ${seen(sql, viewer)}
  `;
  return row;
}

interface WrittenView {
  name: string;
  shared: boolean;
  settings: Settings;
}

const asJson = (settings: Settings) => JSON.stringify(settings);

/** @returns undefined if the user has 100 views of the table already */
export async function insertView(
  sql: Sql,
  { account_id, user_id }: Viewer,
  table_id: number,
  { name, shared, settings }: WrittenView,
): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    insert into db_views (account_id, table_id, name, name_folded, owner_id, private_to_id, settings)
    select
      ${account_id}, ${table_id}, ${name}, ${fold(name)}, ${user_id}, ${shared ? null : user_id}::int,
      ${asJson(settings)}::text::json
    where (
      select count(*) from db_views where table_id = ${table_id} and owner_id = ${user_id}
    ) < ${MOST_VIEWS}
    returning id
  `;
  return row?.id;
}

export async function updateView(
  sql: Sql,
  account: number,
  id: number,
  { name, shared, settings }: WrittenView,
): Promise<void> {
  await sql`
    update db_views
    set
      name = ${name},
      name_folded = ${fold(name)},
      private_to_id = ${shared ? sql`null` : sql`owner_id`},
      settings = ${asJson(settings)}::text::json,
      updated_at = now()
    where id = ${id}
      and account_id = ${account}
  `;
}

export const deleteView = (sql: Sql, account: number, id: number) =>
  sql`delete from db_views where id = ${id} and account_id = ${account}`;
