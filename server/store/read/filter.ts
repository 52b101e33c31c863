/**
 * Reads the conditions and the order of a list from `filter[field]`, `filter[field][operator]` and `sort`.
 *
 * A blank (null, or an empty text) is the lowest value of its type: it comes first in ascending order, equals a blank,
 * and is neither less nor greater than anything. The same holds with and without an index.
 */
import { badRequest } from "../../errors.ts";
import type { FieldType, KnownTable } from "../definition/table.ts";
import { readKept, type Value } from "../definition/values.ts";
import { typeOf } from "./columns.ts";

export const OPERATORS = ["eq", "ne", "gt", "gte", "lt", "lte", "in", "contains"] as const;
export type Operator = (typeof OPERATORS)[number];

export interface Condition {
  field: string;
  operator: Operator;
  /** One value, or any number of values for `in`. Null is a blank. */
  values: (Value | null)[];
}

export interface Key {
  field: string;
  descending: boolean;
}

export interface Order extends Key {
  /** Orders records whose first field is equal. Absent if there is only one field. */
  then?: readonly Key[];
}

const MOST_KEYS = 4;

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
    if (!/^[-+]?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text)) return text;
    const number = Number(text);
    // The type decides on digits that a double may round.
    return /^[-+]?\d+$/.test(text) && !Number.isSafeInteger(number) ? text : number;
  }
  if (type === "boolean") {
    // Spreadsheets write TRUE and FALSE.
    const word = text.toLowerCase();
    return word === "true" || word === "1" ? true : word === "false" || word === "0" ? false : text;
  }
  // An unescaped plus sign in a URL is read as a space.
  return type === "datetime" ? text.replace(/ (\d\d:?\d\d)$/, "+$1") : text;
}

/** `name`, `-created_at`, `city,-born`. @throws {Refusal} 400 */
export function readOrder(table: KnownTable, sort = "-created_at"): Order {
  const [first, ...then] = sort.split(",").map((key) => readKey(table, key));
  const names = [first, ...then].map((key) => key?.field);
  if (names.length > MOST_KEYS) throw badRequest(`sort has more than ${MOST_KEYS} fields`);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw badRequest(`sort names ${twice} twice`);
  if (!first) throw badRequest("sort names no field of this table: ");
  return then.length > 0 ? { ...first, then } : first;
}

function readKey(table: KnownTable, key: string): Key {
  const descending = key.startsWith("-");
  const field = descending ? key.slice(1) : key;
  if (field !== "id" && !typeOf(table, field)) throw badRequest(`sort names no field of this table: ${field}`);
  return { field, descending };
}
