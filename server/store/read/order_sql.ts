/** The SQL of a list's order, and which orders and conditions an index serves. */
import { type Part, part } from "../../database/part.ts";
import { createdAt } from "../../database/uuid_v7.ts";
import type { KnownTable } from "../definition/table.ts";
import { momentOf, SLOT_COLUMNS, textAt, typeOf } from "./columns.ts";
import type { Condition, Key, Order } from "./filter.ts";

/**
 * The `order by` clause of a list. The id is the last key, so the order is stable.
 *
 * @param selective whether an index slot selects the rows. Its index has them in the order of ids, which is the order
 * of creation. Sorted by `created_at`, PostgreSQL might walk through the whole table instead.
 */
export function orderSql(table: KnownTable, order: Order, selective: boolean): Part {
  const { field, descending, then } = order;
  const way = descending ? part`desc` : part``;
  if (then && field !== "id") {
    const keys = then.reduce((sofar, key) => part`${sofar}, ${keySql(table, key)}`, keySql(table, order));
    return part`order by ${keys}, id ${way}`;
  }
  if (field === "id" || field === "created_at" && selective) return part`order by id ${way}`;
  const slot = table.slots.get(field);
  if (slot && typeOf(table, field) === "text") {
    // The slot has only the first 255 characters: its index orders the rows roughly, and the data decides.
    return part`order by ${SLOT_COLUMNS[slot]} ${way}, ${sortedBy(table, field)} ${way}, id ${way}`;
  }
  return part`order by ${sortedBy(table, field)} ${way}, id ${way}`;
}

function keySql(table: KnownTable, { field, descending }: Key): Part {
  const way = descending ? part`desc` : part``;
  const slot = table.slots.get(field);
  return slot && typeOf(table, field) === "text"
    ? part`${SLOT_COLUMNS[slot]} ${way}, ${sortedBy(table, field)} ${way}`
    : part`${sortedBy(table, field)} ${way}`;
}

function sortedBy(table: KnownTable, field: string): Part {
  if (field === "id") return part`id`;
  const slot = table.slots.get(field);
  const type = typeOf(table, field);
  const moment = momentOf(field);
  if (moment) return moment;
  if (slot && type !== "text") return SLOT_COLUMNS[slot];
  if (type === "integer" || type === "number") return part`coalesce((data ->> ${field})::numeric, '-infinity')`;
  if (type === "boolean") return part`coalesce((data ->> ${field})::boolean::int, -1)`;
  return textAt(table, field);
}

/** Whether the id alone determines a record's position in the order, because it contains the time of creation. */
export const isOrderedById = ({ field, then }: Order): boolean =>
  field === "id" || field === "created_at" && then === undefined;

/**
 * The condition for rows after the one with this id, in the list's order.
 *
 * @param allowed a condition on that row. If the caller may not see it, no rows follow.
 */
export function behindSql(table: KnownTable, order: Order, after: string, allowed: Part): Part {
  const sign = order.descending ? part`<` : part`>`;
  if (order.field === "id") return part`id ${sign} ${after}::uuid`;
  if (isOrderedById(order)) {
    return part`(created_at, id) ${sign} (to_timestamp(${createdAt(after) / 1000}::float8), ${after}::uuid)`;
  }
  if (order.then) return behindKeys(table, order, order.then, after, allowed);
  const key = sortedBy(table, order.field);
  return part`(${key}, id) ${sign} (
    select ${key}, id from records where id = ${after} and table_id = ${table.id} and ${allowed}
  )`;
}

/** The keys may have different directions, so that rows cannot be compared as a whole. */
function behindKeys(table: KnownTable, order: Order, then: readonly Key[], after: string, allowed: Part): Part {
  const its = (key: Part) =>
    part`(select ${key} from records where id = ${after} and table_id = ${table.id} and ${allowed})`;
  const behind = [order, ...then].reduceRight((rest, { field, descending }) => {
    const key = sortedBy(table, field);
    return part`(${key} ${descending ? part`<` : part`>`} ${its(key)} or (${key} = ${its(key)} and ${rest}))`;
  }, part`id ${order.descending ? part`<` : part`>`} ${after}::uuid`);
  const first = sortedBy(table, order.field);
  // Repeats what the first key implies, because an index serves a plain comparison only.
  return part`${first} ${order.descending ? part`<=` : part`>=`} ${its(first)} and ${behind}`;
}

/** A sorted slot must be `not null`, otherwise PostgreSQL does not use its partial index. */
export function presentSql(table: KnownTable, { field }: Order): Part {
  const slot = table.slots.get(field);
  return slot ? part`and ${SLOT_COLUMNS[slot]} is not null` : part``;
}

/** Whether an index returns the rows in this order. */
export const hasIndex = ({ slots }: KnownTable, { field }: Order): boolean =>
  field === "id" || momentOf(field) !== undefined || slots.has(field);

/** Whether a condition selects rows by an index that returns them in the order of their ids. */
export const isSelective = (table: KnownTable, conditions: readonly Condition[]): boolean =>
  conditions.some(({ field, operator }) => table.slots.has(field) && (operator === "eq" || operator === "in"));
