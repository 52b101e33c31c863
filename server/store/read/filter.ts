/**
 * Conditions and order of a list: `filter[field]`, `filter[field][operator]`, `sort`.
 *
 * A blank (null, or an empty text) is the lowest value of its type: it comes first in ascending order, equals a blank,
 * and is neither less nor greater than anything. The same holds with and without an index.
 */
import { badRequest } from "../../errors.ts";
import type { FieldType, KnownTable, Slot } from "../definition/table.ts";
import { type Part, part } from "../../database/part.ts";
import { containing } from "../../database/like.ts";
import { createdAt } from "../../database/uuid_v7.ts";
import { comparable, LOWEST, readKept, slotKind, slotValue, type Value } from "../definition/values.ts";

export const OPERATORS = ["eq", "ne", "gt", "gte", "lt", "lte", "in", "contains"] as const;
export type Operator = (typeof OPERATORS)[number];

export interface Condition {
  field: string;
  operator: Operator;
  /** One value, or any number of values for `in`. Null is a blank. */
  values: (Value | null)[];
}

export interface Order {
  field: string;
  descending: boolean;
}

/** The timestamp columns of every record. */
const MOMENTS: Record<string, Part> = { created_at: part`created_at`, updated_at: part`updated_at` };

const momentOf = (name: string): Part | undefined => Object.hasOwn(MOMENTS, name) ? MOMENTS[name] : undefined;

const SLOT_COLUMNS: Record<Slot, Part> = {
  str_1: part`str_1`,
  str_2: part`str_2`,
  str_3: part`str_3`,
  int_1: part`int_1`,
  int_2: part`int_2`,
  time_1: part`time_1`,
  time_2: part`time_2`,
};

const typeOf = ({ fields }: KnownTable, name: string): FieldType | undefined =>
  fields.get(name)?.type ?? (momentOf(name) && "datetime");

/** A filter as sent: for each field a value, or an object of operators. */
export type Filter = Record<string, unknown>;

/** @throws {Refusal} 400 that names the parameter */
export function readFilter(table: KnownTable, filter: Filter = {}): Condition[] {
  return Object.entries(filter).flatMap(([field, sent]) => {
    const type = typeOf(table, field);
    if (!type) throw badRequest(`filter[${field}] names no field of this table`);
    const operators = typeof sent === "object" && sent !== null && !Array.isArray(sent) ? sent : { eq: sent };
    return Object.entries(operators).map(([operator, value]) => readCondition(field, type, operator, value));
  });
}

function readCondition(field: string, type: FieldType, sent: string, value: unknown): Condition {
  const operator = OPERATORS.find((known) => known === sent);
  const name = sent === "eq" ? `filter[${field}]` : `filter[${field}][${sent}]`;
  if (!operator) throw badRequest(`${name}: the operators are ${OPERATORS.join(", ")}`);
  if (operator === "contains" && type !== "string" && type !== "text") {
    throw badRequest(`${name}: contains is for string and text fields, and ${field} is ${type}`);
  }
  const parts = operator !== "in" ? [value] : Array.isArray(value) ? value : String(value ?? "").split(",");
  if (parts.length > 500) throw badRequest(`${name} has more than 500 values`);
  const values = parts.map((part) => readValue(name, type, part));
  return { field, operator, values };
}

/** Text from a URL is converted to the field's type. Other values must already have the type. */
function readValue(name: string, type: FieldType, sent: unknown): Value | null {
  if (sent === null || sent === undefined || sent === "") return null;
  const value = typeof sent === "string" ? typedText(type, sent) : sent;
  const read = readKept(type, value);
  if ("fault" in read) throw badRequest(`${name} ${read.fault}`);
  return read.kept;
}

/** Converts text to the field's type. Text that cannot be converted stays text, which the type refuses. */
export function typedText(type: FieldType, text: string): unknown {
  if (type === "integer" || type === "number") {
    return /^[-+]?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : text;
  }
  if (type === "boolean") {
    return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : text;
  }
  // An unescaped plus sign in a URL is read as a space.
  return type === "datetime" ? text.replace(/ (\d\d:?\d\d)$/, "+$1") : text;
}

/** `name`, `-created_at`. @throws {Refusal} 400 */
export function readOrder(table: KnownTable, sort = "-created_at"): Order {
  const descending = sort.startsWith("-");
  const field = descending ? sort.slice(1) : sort;
  if (field !== "id" && !typeOf(table, field)) throw badRequest(`sort names no field of this table: ${field}`);
  return { field, descending };
}

/** A condition on a row of `records`. */
export function conditionSql(table: KnownTable, { field, operator, values }: Condition): Part {
  const type = typeOf(table, field) ?? "string";
  const slot = table.slots.get(field);
  const [value = null] = values;
  if (operator === "contains") return containsSql(table, field, value);
  if (slot) return slotSql(table, slot, { field, operator, values });
  const moment = momentOf(field);
  if (moment) {
    const { time } = LOWEST;
    return compared(moment, "timestamptz", operator, values.map((value) => `${value ?? time}`), time);
  }
  const numeric = type === "integer" || type === "number" || type === "boolean";
  const column = numeric
    ? part`coalesce((case data ->> ${field} when 'true' then '1' when 'false' then '0' else data ->> ${field} end)::numeric, '-infinity')`
    : textAt(table, field);
  const lowest = numeric ? "-infinity" : "";
  const texts = values.map((value) =>
    value === null ? lowest : numeric ? String(Number(value)) : comparable(type, `${value}`)
  );
  return compared(column, numeric ? "numeric" : "text", operator, texts, lowest);
}

function slotSql(table: KnownTable, slot: Slot, { field, operator, values }: Condition): Part {
  const type = typeOf(table, field) ?? "string";
  const kind = slotKind(slot);
  const cast = kind === "str" ? "text" : kind === "int" ? "bigint" : "timestamptz";
  const column = SLOT_COLUMNS[slot];
  const inSlot = values.map((value) => slotValue(slot, type, value));
  if (type !== "text") {
    return part`${column} is not null and ${compared(column, cast, operator, inSlot, LOWEST[kind])}`;
  }
  // A slot has only the first 255 characters of a text, so the exact comparison uses the data.
  const exact = compared(textAt(table, field), cast, operator, values.map((value) => `${value ?? ""}`), "");
  if (operator === "ne") return part`${column} is not null and ${exact}`;
  const roughly = operator === "gt" ? "gte" : operator === "lt" ? "lte" : operator;
  return part`${column} is not null and ${compared(column, cast, roughly, inSlot, "")} and ${exact}`;
}

/** The SQL for a field's text in comparisons. A blank is the empty text, and a time without seconds gets `:00`. */
const textAt = (table: KnownTable, field: string): Part =>
  typeOf(table, field) === "time"
    ? part`coalesce(rpad(data ->> ${field}, 8, ':00'), '') collate "C"`
    : part`coalesce(data ->> ${field}, '') collate "C"`;

type Cast = "text" | "bigint" | "numeric" | "timestamptz";

/** @param lowest the value that stands for a blank; a blank is neither less nor greater than anything */
function compared(
  column: Part,
  cast: Cast,
  operator: Operator,
  values: string[],
  lowest?: string,
): Part {
  const typed = (value: string) => {
    switch (cast) {
      case "text":
        return part`${value}::text`;
      case "bigint":
        return part`${value}::text::bigint`;
      case "numeric":
        return part`${value}::text::numeric`;
      case "timestamptz":
        return part`${value}::text::timestamptz`;
    }
  };
  const [first = ""] = values;
  const isBlank = first === lowest;
  const aboveBlank = lowest === undefined ? part`` : part`and ${column} <> ${typed(lowest)}`;
  switch (operator) {
    case "ne":
      return part`${column} <> ${typed(first)}`;
    case "gt":
      return isBlank ? part`false` : part`${column} > ${typed(first)}`;
    case "gte":
      return isBlank ? part`false` : part`${column} >= ${typed(first)}`;
    case "lt":
      return isBlank ? part`false` : part`(${column} < ${typed(first)} ${aboveBlank})`;
    case "lte":
      return isBlank ? part`false` : part`(${column} <= ${typed(first)} ${aboveBlank})`;
    case "in":
      return anyOf(column, cast, values);
    default:
      return part`${column} = ${typed(first)}`;
  }
}

function anyOf(column: Part, cast: Cast, values: string[]): Part {
  switch (cast) {
    case "text":
      return part`${column} = any(${values}::text[])`;
    case "bigint":
      return part`${column} = any(${values}::text[]::bigint[])`;
    case "numeric":
      return part`${column} = any(${values}::text[]::numeric[])`;
    case "timestamptz":
      return part`${column} = any(${values}::text[]::timestamptz[])`;
  }
}

/**
 * Whether any string or text field contains the text.
 *
 * @param way the trigram index is on `search_text(search)`. "plain" writes the same expression without the function, so
 * that PostgreSQL does not use the index. Without a trigram in `q`, PostgreSQL would read the whole index.
 */
export const textSql = (q: string, way: "plain" | "indexed"): Part =>
  way === "indexed"
    ? part`search_text(search) like ${containing(q)}`
    : part`array_to_string(search, E'\\x1f') like ${containing(q)}`;

/** Searches the folded text, so that case does not matter in any language. */
function containsSql({ searched }: KnownTable, field: string, value: Value | null): Part {
  if (value === null) return part`true`;
  return part`search[${searched.indexOf(field) + 1}::int] like ${containing(String(value))}`;
}

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
