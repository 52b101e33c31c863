/** What the grid shows, as its address says it: filter, search, order. */
import type { Field, FieldType } from "../tables.ts";

export const OPERATORS = ["eq", "ne", "contains", "gt", "gte", "lt", "lte", "in", "blank", "filled"] as const;
export type Operator = (typeof OPERATORS)[number];

export interface Condition {
  field: string;
  operator: Operator;
  /** As typed; values of `in` are separated by commas. */
  value: string;
}

export interface Key {
  field: string;
  descending: boolean;
}

const isOperator = (text: unknown): text is Operator => OPERATORS.some((operator) => operator === text);

/** `[["stars","gte","3"]]` */
export function readConditions(text: string | null): Condition[] {
  try {
    const list: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(list)
      ? list.flatMap(([field, operator, value]) =>
        typeof field === "string" && isOperator(operator) ? [{ field, operator, value: String(value ?? "") }] : []
      )
      : [];
  } catch {
    return [];
  }
}

export const writeConditions = (conditions: readonly Condition[]): string | null =>
  conditions.length > 0
    ? JSON.stringify(conditions.map(({ field, operator, value }) => [field, operator, value]))
    : null;

const DEFAULT_SORT: readonly Key[] = [{ field: "created_at", descending: true }];
export const MOST_KEYS = 4;

export const readSort = (text: string | null): Key[] =>
  (text ?? "").split(",").filter(Boolean).slice(0, MOST_KEYS).map((key) => ({
    field: key.replace(/^-/, ""),
    descending: key.startsWith("-"),
  }));

export const sortText = (keys: readonly Key[]): string =>
  (keys.length > 0 ? keys : DEFAULT_SORT).map(({ field, descending }) => `${descending ? "-" : ""}${field}`).join(",");

/** The order from the end to the beginning. */
export const reversed = (sort: string): string =>
  sort.split(",").map((key) => key.startsWith("-") ? key.slice(1) : `-${key}`).join(",");

type Sent = string | null | string[];
export type Filter = Record<string, Record<string, Sent>>;

/** As the API takes it. */
export function filterOf(conditions: readonly Condition[]): Filter | undefined {
  if (conditions.length === 0) return undefined;
  const filter: Filter = {};
  for (const { field, operator, value } of conditions) {
    const of_field = filter[field] ??= {};
    if (operator === "blank") of_field.eq = null;
    else if (operator === "filled") of_field.ne = null;
    else if (operator === "in") of_field.in = value.split(",").map((one) => one.trim());
    else of_field[operator] = value;
  }
  return filter;
}

/** The same as parameters of REST. */
export function restQuery(conditions: readonly Condition[], q: string): Record<string, string> {
  const query: Record<string, string> = q ? { q } : {};
  for (const [field, of_field] of Object.entries(filterOf(conditions) ?? {})) {
    for (const [operator, value] of Object.entries(of_field)) {
      query[`filter[${field}][${operator}]`] = Array.isArray(value) ? value.join(",") : value ?? "";
    }
  }
  return query;
}

const ORDERED: readonly Operator[] = ["eq", "ne", "gt", "gte", "lt", "lte", "in", "blank", "filled"];

export function operatorsOf(type: FieldType): readonly Operator[] {
  if (type === "boolean") return ["eq", "blank", "filled"];
  if (type === "string" || type === "text") return ["contains", "eq", "ne", "in", "gt", "lt", "blank", "filled"];
  return ORDERED;
}

const WORDS: Record<Operator, string> = {
  eq: "is",
  ne: "is not",
  contains: "contains",
  gt: "more than",
  gte: "at least",
  lt: "less than",
  lte: "at most",
  in: "is any of",
  blank: "is blank",
  filled: "is not blank",
};
const TIME_WORDS: Partial<Record<Operator, string>> = { gt: "after", gte: "from", lt: "before", lte: "until" };
const TEXT_WORDS: Partial<Record<Operator, string>> = { gt: "sorts after", lt: "sorts before" };

export function operatorWords(type: FieldType, operator: Operator): string {
  const own = /date|time/.test(type) ? TIME_WORDS : type === "string" || type === "text" ? TEXT_WORDS : {};
  return own[operator] ?? WORDS[operator];
}

export const takesValue = (operator: Operator): boolean => operator !== "blank" && operator !== "filled";

/** Whether one index answers the list, so that its time does not grow with the table. */
export function byIndex(fields: readonly Field[], conditions: readonly Condition[], keys: readonly Key[]): boolean {
  const indexed = (name: string) =>
    name === "id" || name === "created_at" || name === "updated_at" ||
    fields.some((field) => field.name === name && field.slot !== undefined);
  const [first] = keys;
  return keys.length <= 1 && conditions.every(({ field, operator }) => indexed(field) && operator !== "contains") &&
    (first === undefined || indexed(first.field));
}
