/**
 * Pages of a table's records, by the way that does not grow with the table.
 *
 * Plain lists, and those that an indexed field's value picks, walk an index in the list's order. A search, or a range
 * of an indexed field, is different: what many records have is found among the first of the list, and asking the
 * index for all that have it would wait for half the table; what few have is found by the index, and walking in order
 * would see all of it. PostgreSQL cannot know which it is, so the first of the list are looked at first.
 */
import type { Sql } from "../../database/pool.ts";
import { badRequest } from "../../errors.ts";
import { Json } from "../../database/json.ts";
import {
  behindSql,
  type Condition,
  conditionSql,
  hasIndex,
  isOrderedById,
  isSelective,
  type Order,
  orderSql,
  presentSql,
  textSql,
} from "./filter.ts";
import { type Part, part, run } from "../statement/part.ts";
import type { Place, Shape } from "./place.ts";
import { shaped } from "./shaped.ts";
import { provenDb, STALE } from "../statement/statement.ts";

export interface Page {
  conditions: readonly Condition[];
  order: Order;
  page: number;
  per_page: number;
  /** The record behind which the page begins, instead of `page`. */
  after?: string | undefined;
  count: boolean;
  /** Fields that are sent; all where undefined. */
  fields?: readonly string[] | undefined;
  /** Text that some string or text field must have in it. */
  q?: string | undefined;
}

/** Records that are looked at first, in the list's order: 5 ms, where none of them matches. */
const WINDOW = 5_000;

/** Trigrams are of letters and digits: without three in a row a text is too common for their index. */
const HAS_TRIGRAM = /[\p{L}\p{N}]{3}/u;

export async function listRecords<T>(
  sql: Sql,
  place: Place,
  shape: Shape,
  page: Page,
): Promise<Json<T[]> | typeof STALE> {
  const found = await pageOf<T>(sql, place, shape, page);
  if (found !== STALE && found.text === "[]") await proveAfter(sql, place, page);
  if (found === STALE || !page.count) return found;
  const [row] = await run<{ total: number }[]>(
    sql,
    part`select count(*)::int as total from records where ${matching(place, page)}`,
  );
  return new Json(found.text, row?.total ?? 0);
}

/** A list that stands on a record which is gone has not come to its end. @throws {Refusal} 400 */
async function proveAfter(sql: Sql, { table, allowed }: Place, { order, after }: Page): Promise<void> {
  if (after === undefined || isOrderedById(order)) return;
  const rows = await run(
    sql,
    part`select from records where id = ${after} and table_id = ${table.id} and ${allowed}`,
  );
  if (rows.length === 0) throw badRequest("after names no record of this table");
}

async function pageOf<T>(sql: Sql, place: Place, shape: Shape, page: Page): Promise<Json<T[]> | typeof STALE> {
  const index = indexedBy(place, page);
  if (!index) return await sendPage<T>(sql, place, shape, page, inOrder(place, page));
  if (hasIndex(place.table, page.order)) {
    const first = await sendFirst<T>(sql, place, shape, page);
    if (!first) return STALE;
    if (first.rows === page.per_page || first.whole) return first.json;
  }
  return await sendPage<T>(sql, place, shape, page, byIndex(place, page, index));
}

async function sendPage<T>(
  sql: Sql,
  place: Place,
  shape: Shape,
  page: Page,
  rows: Part,
): Promise<Json<T[]> | typeof STALE> {
  const [row] = await run<{ json: string }[]>(
    sql,
    part`
    select (
      select coalesce(json_agg(${shaped(place, shape, page.fields)}), '[]')
      from (${limited(place, page, rows)}) page
    )::text as json
    from (${provenDb(place.db)}) db
  `,
  );
  return row ? new Json<T[]>(row.json) : STALE;
}

/** The page as far as the first of the list have it; `whole` where these are all that there are. */
async function sendFirst<T>(
  sql: Sql,
  place: Place,
  shape: Shape,
  page: Page,
): Promise<{ json: Json<T[]>; rows: number; whole: boolean } | undefined> {
  const [row] = await run<{ json: string; rows: number; whole: boolean }[]>(
    sql,
    part`
    with page as (${limited(place, page, withinWindow(place, page))})
    select
      (select coalesce(json_agg(${shaped(place, shape, page.fields)}), '[]') from page)::text as json,
      (select count(*)::int from page) as rows,
      case when (select count(*) from page) < ${page.per_page}::int then ${isWhole(place)} else false end as whole
    from (${provenDb(place.db)}) db
  `,
  );
  return row && { json: new Json<T[]>(row.json), rows: row.rows, whole: row.whole };
}

const limited = ({ table }: Place, { order, conditions, per_page, page, after }: Page, rows: Part): Part =>
  part`
    ${rows}
    ${orderSql(table, order, isSelective(table, conditions))}
    limit ${per_page} offset ${after === undefined ? (page - 1) * per_page : 0}
  `;

const inOrder = (place: Place, page: Page): Part =>
  part`select * from records where ${matching(place, page, "plain")} ${placed(place, page)}`;

const withinWindow = (place: Place, page: Page): Part =>
  part`
    select *
    from (
      select *
      from records
      where table_id = ${place.table.id}
        ${placed(place, page)}
      ${orderSql(place.table, page.order, false)}
      limit ${WINDOW}
    ) first
    where ${matching(place, page, "plain")}
  `;

const isWhole = ({ table }: Place): Part =>
  part`(
    select count(*) <= ${WINDOW}::int
    from (select from records where table_id = ${table.id} limit ${WINDOW + 1}) seen
  )`;

const byIndex = (place: Place, page: Page, index: Part): Part =>
  part`
    select *
    from records
    where id in (
      with found as materialized (select id from records where ${index})
      select id from found
    )
      and ${matching(place, page, "plain")}
      ${placed(place, page)}
  `;

/**
 * A condition of the page that an index answers, and that says nothing of how many rows have it. The index of texts
 * stands alone: beside the table's number PostgreSQL would take the list of all its records along.
 */
function indexedBy({ table }: Place, { conditions, q }: Page): Part | undefined {
  if (isSelective(table, conditions)) return undefined;
  if (q !== undefined && HAS_TRIGRAM.test(q)) return textSql(q, "indexed");
  const range = conditions.find(({ field, operator }) => table.slots.has(field) && operator !== "ne");
  if (!range || range.operator === "contains") return undefined;
  return part`table_id = ${table.id} and ${conditionSql(table, range)}`;
}

/** @param way "plain" keeps PostgreSQL from the trigrams' index */
function matching(
  { table, allowed }: Place,
  { conditions, q }: Page,
  way: "plain" | "indexed" = q !== undefined && HAS_TRIGRAM.test(q) ? "indexed" : "plain",
): Part {
  const all = conditions.reduce<Part>(
    (sofar, condition) => part`${sofar} and ${conditionSql(table, condition)}`,
    part`table_id = ${table.id} and ${allowed}`,
  );
  return q === undefined ? all : part`${all} and ${textSql(q, way)}`;
}

/** Where the page lies in the order. */
const placed = ({ table, allowed }: Place, { order, after }: Page): Part =>
  part`${presentSql(table, order)} ${
    after === undefined ? part`` : part`and ${behindSql(table, order, after, allowed)}`
  }`;
