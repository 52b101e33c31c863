/** Pages and single objects as `Json`, built in PostgreSQL. */
import type postgres from "postgres";
import type { Sql } from "./pool.ts";
import { Json } from "./json.ts";
import type { Page } from "../input/shapes.ts";

type Fragment = postgres.PendingQuery<postgres.Row[]>;

interface Row {
  json: string;
  total?: number;
}

/**
 * One page and the count over all pages, in one statement.
 *
 * @param rows selects the page's rows, limited and in order
 * @param total selects one number
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
 * The one row that `rows` selects, or undefined.
 *
 * @param before a `with` clause that `rows` stands on, for a write that returns what it wrote
 */
export async function oneJson<T>(sql: Sql, rows: Fragment, before: Fragment = sql``): Promise<Json<T> | undefined> {
  const [row] = await sql<Row[]>`${before} select row_to_json(r)::text as json from (${rows}) r`;
  return row && new Json(row.json);
}

/** `limit` and `offset` of a page. */
export const slice = (sql: Sql, { page, per_page }: Page) => sql`limit ${per_page} offset ${(page - 1) * per_page}`;
