/** The SQL of a list's conditions. */
import { containing } from "../../database/like.ts";
import { type Part, part } from "../../database/part.ts";
import type { KnownTable, Slot } from "../definition/table.ts";
import { comparable, LOWEST, slotKind, slotValue, type Value } from "../definition/values.ts";
import { momentOf, SLOT_COLUMNS, textAt, typeOf } from "./columns.ts";
import type { Condition, Operator } from "./filter.ts";

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

function castOf(slot: Slot): Cast {
  const kind = slotKind(slot);
  return kind === "str" ? "text" : kind === "int" ? "bigint" : "timestamptz";
}

function slotSql(table: KnownTable, slot: Slot, { field, operator, values }: Condition): Part {
  const type = typeOf(table, field) ?? "string";
  const kind = slotKind(slot);
  const cast = castOf(slot);
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

/** A condition that an index slot equals a value, which may come from another row: see `ValueInSlot.sql`. */
export interface ValueInSlot {
  value: string;
  /** @param value an SQL expression of type text */
  sql(value: Part): Part;
}

/** @returns undefined for other conditions, and for fields of type `text`, whose slot does not have the whole value */
export function valueInSlot(table: KnownTable, { field, operator, values }: Condition): ValueInSlot | undefined {
  const slot = table.slots.get(field);
  const type = typeOf(table, field) ?? "string";
  if (!slot || operator !== "eq" || type === "text") return undefined;
  const [value = null] = values;
  const column = SLOT_COLUMNS[slot];
  const cast = castOf(slot);
  return {
    value: slotValue(slot, type, value),
    sql: (value) => part`${column} is not null and ${column} = ${castTo(value, cast)}`,
  };
}

type Cast = "text" | "bigint" | "numeric" | "timestamptz";

/** @param value of type text */
function castTo(value: Part, cast: Cast): Part {
  switch (cast) {
    case "text":
      return value;
    case "bigint":
      return part`${value}::bigint`;
    case "numeric":
      return part`${value}::numeric`;
    case "timestamptz":
      return part`${value}::timestamptz`;
  }
}

/** @param lowest the value that stands for a blank; a blank is neither less nor greater than anything */
function compared(
  column: Part,
  cast: Cast,
  operator: Operator,
  values: string[],
  lowest?: string,
): Part {
  const typed = (value: string) => castTo(part`${value}::text`, cast);
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
