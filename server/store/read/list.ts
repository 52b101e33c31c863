/**
 * Reads pages of a table's records in a time that does not grow with the table.
 *
 * Plain lists, and lists with one value of an indexed field, walk an index in the list's order. A search, or a range of
 * an indexed field, can be common or rare:
 *
 * - Common: matches are among the first records of the list. The field's index would return half of the table.
 * - Rare: the field's index finds the matches. A walk in the list's order would read the whole table.
 *
 * PostgreSQL's statistics cannot tell the two apart. The first records of the list are therefore read first, and the
 * field's index is used only if they do not fill the page.
 *
 * First pages that an index gives in its order share queries: see `shareable`.
 */
import type { RowReads } from "../../database/groups/reads.ts";
import type { Sql } from "../../database/pool.ts";
import { badRequest } from "../../errors.ts";
import { Json } from "../../database/json.ts";
import { conditionSql, textSql, type ValueInSlot, valueInSlot } from "./condition_sql.ts";
import type { Condition, Order } from "./filter.ts";
import { behindSql, hasIndex, isOrderedById, isSelective, orderSql, presentSql } from "./order_sql.ts";
import { type Part, part, run } from "../../database/part.ts";
import type { Place, Shape } from "./place.ts";
import { shaped } from "./shaped.ts";
import { provenDb, STALE } from "../statement/statement.ts";

export interface Page {
  conditions: readonly Condition[];
  order: Order;
  page: number;
  per_page: number;
  /** The record after which the page begins; replaces `page`. */
  after?: string | undefined;
  count: boolean;
  /** Fields that are sent; undefined means all. */
  fields?: readonly string[] | undefined;
  /** Text that at least one string or text field must contain. */
  q?: string | undefined;
}

interface Reads {
  sql: Sql;
  reads: RowReads;
}

/** The number of records that are read first, in the list's order. It takes 5 ms if none of them matches. */
const WINDOW = 5_000;

/** Rows that are skipped from which on a page is found by its ids. */
const DEEP = 5_000;

/** The trigram index needs three letters or digits in a row. A shorter text matches too many rows. */
const HAS_TRIGRAM = /[\p{L}\p{N}]{3}/u;

export async function listRecords<T>(
  { sql, reads }: Reads,
  place: Place,
  shape: Shape,
  page: Page,
): Promise<Json<T[]> | typeof STALE> {
  const slot = shareable(place, page);
  const found = slot ? await sharedPage<T>(reads, place, shape, page, slot) : await pageOf<T>(sql, place, shape, page);
  if (found !== STALE && found.text === "[]") await proveAfter(sql, place, page);
  if (found === STALE || !page.count) return found;
  const [row] = await run<{ total: number }[]>(
    sql,
    part`select count(*)::int as total from records where ${matching(place, page)}`,
  );
  return new Json(found.text, row?.total ?? 0, found.more);
}

/** Records of a page that shares a query. */
const MOST_SHARED = 100;

const EVERY_RECORD: ValueInSlot = { value: "", sql: () => part`true` };

/**
 * Whether the page may share a query with others that differ from it in the value of a slot alone: an index gives its
 * records at once, so the others wait for it briefly.
 *
 * @returns the condition; undefined if the page may not
 */
function shareable({ table }: Place, { conditions, order, page, per_page, after, q }: Page): ValueInSlot | undefined {
  if (page > 1 || per_page > MOST_SHARED || after !== undefined || q !== undefined) return undefined;
  const [condition, ...others] = conditions;
  if (!condition) return hasIndex(table, order) ? EVERY_RECORD : undefined;
  return others.length === 0 ? valueInSlot(table, condition) : undefined;
}

async function sharedPage<T>(
  reads: RowReads,
  place: Place,
  shape: Shape,
  page: Page,
  { value, sql }: ValueInSlot,
): Promise<Json<T[]> | typeof STALE> {
  const rows = part`
    select *
    from records
    where ${matching(place, { ...page, conditions: [] })} and ${sql(part`wanted.value`)} ${placed(place, page)}
  `;
  const pages = await reads.pages(
    (values) =>
      part`
        select wanted.value as id, page.json, page.rows
        from (${provenDb(place.db)}) db
        cross join unnest(${values}::text[]) wanted (value)
        cross join lateral (${aggregated(place, shape, page, part`(${limited(place, page, rows)})`)}) page
      `,
    value,
  );
  const found = pages.get(value);
  return found ? new Json<T[]>(found.json, undefined, found.rows > page.per_page) : STALE;
}

/** An empty page may mean that the record `after` does not exist. @throws {Refusal} 400 in that case */
export async function proveAfter(
  sql: Sql,
  { table, allowed }: Place,
  { order, after }: Pick<Page, "order" | "after">,
): Promise<void> {
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
  if (skippedBy(page) < WINDOW && hasIndex(place.table, page.order)) {
    const first = await sendFirst<T>(sql, place, shape, page);
    if (!first) return STALE;
    if (first.rows > page.per_page || first.whole) return first.json;
  }
  const rows = skippedBy(page) < DEEP ? byIndex(place, page, index) : fenced(place, page, index);
  return await sendPage<T>(sql, place, shape, page, rows);
}

const skippedBy = ({ after, page, per_page }: Page): number => after === undefined ? (page - 1) * per_page : 0;

async function sendPage<T>(
  sql: Sql,
  place: Place,
  shape: Shape,
  page: Page,
  rows: Part,
): Promise<Json<T[]> | typeof STALE> {
  const [row] = await run<{ json: string; rows: number }[]>(
    sql,
    part`
    select page.json, page.rows
    from (${provenDb(place.db)}) db
    cross join (${aggregated(place, shape, page, part`(${limited(place, page, rows)})`)}) page
  `,
  );
  return row ? new Json<T[]>(row.json, undefined, row.rows > page.per_page) : STALE;
}

/** The matches among the first records of the list. @returns `whole` if the table has no further records */
async function sendFirst<T>(
  sql: Sql,
  place: Place,
  shape: Shape,
  page: Page,
): Promise<{ json: Json<T[]>; rows: number; whole: boolean } | undefined> {
  const [row] = await run<{ json: string; rows: number; whole: boolean }[]>(
    sql,
    part`
    select
      page.json, page.rows,
      case when page.rows <= ${page.per_page}::int then ${isWhole(place)} else false end as whole
    from (${provenDb(place.db)}) db
    cross join (
      ${aggregated(place, shape, page, part`(${limited(place, page, withinWindow(place, page))})`)}
    ) page
  `,
  );
  return row && {
    json: new Json<T[]>(row.json, undefined, row.rows > page.per_page),
    rows: row.rows,
    whole: row.whole,
  };
}

/** The page as JSON, and the number of rows, which is one more than the page has if there is another page. */
const aggregated = (place: Place, shape: Shape, { per_page, fields }: Page, rows: Part): Part =>
  part`
    select
      coalesce(json_agg(${shaped(place, shape, fields)}) filter (where n <= ${per_page}), '[]')::text as json,
      count(*)::int as rows
    from (select *, row_number() over () as n from ${rows} found) page
  `;

/** With one more row than the page has. */
function limited({ table }: Place, page: Page, rows: Part): Part {
  const { order, conditions, per_page } = page;
  const skipped = skippedBy(page);
  const ordered = orderSql(table, order, isSelective(table, conditions));
  const cut = part`${rows} ${ordered} limit ${per_page + 1} offset ${skipped}`;
  if (skipped < DEEP) return cut;
  // PostgreSQL reads all that it skips. For the ids alone, an index in the list's order is enough.
  return part`
    select *
    from records
    where id in (
      with deep as materialized (select id from (${cut}) page)
      select id from deep
    )
    ${ordered}
  `;
}

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
 * All matches of a common search, which are sorted. Without the fence, PostgreSQL expects few matches: it walks through
 * the table in the list's order, and looks for each row among the matches.
 */
const fenced = (place: Place, page: Page, index: Part): Part =>
  part`
    select *
    from (select * from records where ${index} offset 0) records
    where ${matching(place, page, "plain")}
      ${placed(place, page)}
  `;

/**
 * The search or range of the page that an index can answer, and that may match any number of rows. The condition of a
 * search does not name the table: with `table_id`, PostgreSQL would also read the list of all the table's records.
 */
function indexedBy({ table }: Place, { conditions, q }: Page): Part | undefined {
  if (isSelective(table, conditions)) return undefined;
  if (q !== undefined && HAS_TRIGRAM.test(q)) return textSql(q, "indexed");
  const range = conditions.find(({ field, operator }) => table.slots.has(field) && operator !== "ne");
  if (!range || range.operator === "contains") return undefined;
  return part`table_id = ${table.id} and ${conditionSql(table, range)}`;
}

/** @param way "plain" prevents the use of the trigram index */
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

/** The condition that selects the position of the page in the order. */
const placed = ({ table, allowed }: Place, { order, after }: Page): Part =>
  part`${presentSql(table, order)} ${
    after === undefined ? part`` : part`and ${behindSql(table, order, after, allowed)}`
  }`;
