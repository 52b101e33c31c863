/** Views follow renamed fields of their table. */
import type { Sql } from "../../../database/pool.ts";
import type { OwnDb } from "../table_queries.ts";
import type { Settings } from "./schema.ts";

/** No table has as many: each user has at most 100. */
const MOST = 100_000;

/** @param names old name → new name */
export async function renameInViews(
  tx: Sql,
  { account_id }: OwnDb,
  table_id: number,
  names: ReadonlyMap<string, string>,
): Promise<void> {
  const views = await tx<{ id: number; settings: Settings }[]>`
    select id, settings
    from db_views
    where table_id = ${table_id}
      and account_id = ${account_id}
    order by id
    limit ${MOST}
    for update
  `;
  const renamed = views.map(({ id, settings }) => ({ id, settings: renamedSettings(settings, names) }));
  await tx`
    update db_views v
    set settings = n.settings
    from json_to_recordset(${JSON.stringify(renamed)}::text::json) n (id integer, settings json)
    where v.id = n.id
      and v.account_id = ${account_id}
  `;
}

function renamedSettings({ columns, filter, q, sort }: Settings, names: ReadonlyMap<string, string>): Settings {
  const of = (name: string) => names.get(name) ?? name;
  return {
    columns: columns.map((column) => ({ ...column, field: of(column.field) })),
    filter: Object.fromEntries(Object.entries(filter).map(([field, value]) => [of(field), value])),
    q,
    sort: sort.split(",").map((key) => key.startsWith("-") ? `-${of(key.slice(1))}` : of(key)).join(","),
  };
}
