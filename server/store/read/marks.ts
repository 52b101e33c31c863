/** Ids of every so many records of a list: from each, a page in the middle of a long list is read by `after`. */
import { Json } from "../../database/json.ts";
import type { Sql } from "../../database/pool.ts";
import { part, run } from "../../database/part.ts";
import { provenDb, STALE } from "../statement/statement.ts";
import type { Order } from "./filter.ts";
import { proveAfter } from "./list.ts";
import { behindSql, orderSql, presentSql } from "./order_sql.ts";
import type { Place } from "./place.ts";

/** Records that one statement walks through. */
const MOST_WALKED = 20_000;

interface Marks {
  order: Order;
  every: number;
  /** The record after which the walk begins. */
  after?: string | undefined;
}

/**
 * In the list's order. Fewer than 20,000 / `every` ids mean that the list has ended.
 *
 * @throws {Refusal} 400 if the record `after` does not exist
 */
export async function listMarks(
  sql: Sql,
  place: Place,
  { order, every, after }: Marks,
): Promise<Json<string[]> | typeof STALE> {
  const { db, table, allowed } = place;
  const [row] = await run<{ json: string }[]>(
    sql,
    part`
    select (
      select coalesce(json_agg(id order by n), '[]')
      from (
        select id, row_number() over () as n
        from (
          select id
          from records
          where table_id = ${table.id} and ${allowed} ${presentSql(table, order)} ${
      after === undefined ? part`` : part`and ${behindSql(table, order, after, allowed)}`
    }
          ${orderSql(table, order, false)}
          limit ${Math.floor(MOST_WALKED / every) * every}
        ) walked
      ) numbered
      where n % ${every}::int = 0
    )::text as json
    from (${provenDb(db)}) db
  `,
  );
  if (!row) return STALE;
  if (row.json === "[]") await proveAfter(sql, place, { order, after });
  return new Json(row.json);
}
