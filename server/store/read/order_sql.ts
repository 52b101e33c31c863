/** The SQL of a list's order, and which orders and conditions an index serves. */
import { type Part, part } from "../../database/part.ts";
import { createdAt } from "../../database/uuid_v7.ts";
import type { KnownTable } from "../definition/table.ts";
import { momentOf, SLOT_COLUMNS, textAt, typeOf } from "./columns.ts";
import type { Condition, Order } from "./filter.ts";

/**
 * The `order by` clause of a list. The id is the last key, so the order is stable.
 *
 * @param selective whether an index slot selects the rows. Its index has them in the order of ids, which is the order
 * of creation. Sorted by `created_at`, PostgreSQL might walk through the whole table instead.
 */
export function orderSql(table: KnownTable, { field, descending }: Order, selective: boolean): Part {
  const way = descending ? part`desc` : part``;
  if (field === "id" || field === "created_at" && selective) return part`order by id ${way}`;
  const slot = table.slots.get(field);
  if (slot && typeOf(table, field) === "text") {
    // The slot has only the first 255 characters: its index orders the rows roughly, and the data decides.
    return part`order by ${SLOT_COLUMNS[slot]} ${way}, ${sortedBy(table, field)} ${way}, id ${way}`;
  }
  return part`order by ${sortedBy(table, field)} ${way}, id ${way}`;
}

function sortedBy(table: KnownTable, field: string): Part {
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
export const isOrderedById = ({ field }: Order): boolean => field === "id" || field === "created_at";

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
  const key = sortedBy(table, order.field);
  return part`(${key}, id) ${sign} (
    select ${key}, id from records where id = ${after} and table_id = ${table.id} and ${allowed}
  )`;
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
