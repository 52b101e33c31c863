/** Queries whose result is JSON built by PostgreSQL: a page of a list, or one object. */
import type postgres from "postgres";
import { actingOf } from "./acting.ts";
import type { Sql } from "./sql.ts";
import { Json } from "./json.ts";
import type { Page } from "../input/shapes.ts";

type Fragment = postgres.PendingQuery<postgres.Row[]>;

interface Row {
  json: string;
  total?: number;
}

/**
 * Reads one page and the number of entries on all pages, in one statement.
 *
 * @param rows selects the page's rows, with its order and limit
 * @param total selects the number
 */
export async function listJson<T>(sql: Sql, rows: Fragment, total: Fragment): Promise<Json<T[]>> {
  const [row] = await sql<Row[]>`
    select
      (${total})::int as total,
      (select coalesce(json_agg(r), '[]') from (${rows}) r)::text as json
  `;
  return new Json(row?.json ?? "[]", row?.total ?? 0);
}

/**
 * Reads the row that `rows` selects.
 *
 * @param before a `with` clause that `rows` uses, for a write that returns the row it wrote
 * @returns undefined if there is no row
 */
export async function oneJson<T>(sql: Sql, rows: Fragment, before?: Fragment): Promise<Json<T> | undefined> {
  const acting = actingOf(sql);
  const [row] = acting && before
    ? await acting.pool<Row[]>`
      ${before} select row_to_json(r)::text as json, set_config('atrium.actor', ${acting.setting()}, true) from (${rows}) r
    `
    : await sql<Row[]>`${before ?? sql``} select row_to_json(r)::text as json from (${rows}) r`;
  return row && new Json(row.json);
}

/** The `limit` and `offset` clause of a page. */
export const slice = (sql: Sql, { page, per_page }: Page) => sql`limit ${per_page} offset ${(page - 1) * per_page}`;
