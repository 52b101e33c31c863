/** Conditions of `if`: what they may say, and whether they hold. Their short form is read in condition_text.ts. */
import type { JsonValue } from "../../input/json_value.ts";
import { compare, contains, equal, isEmpty, textOf } from "./compare.ts";
import { render, resolve, type Scope, templateOf, type Warn } from "./template.ts";

/** Each of these has a left and a right side. */
export const TWO_SIDED = [
  "eq",
  "ne",
  "gt",
  "gte",
  "lt",
  "lte",
  "contains",
  "not_contains",
  "starts_with",
  "ends_with",
  "in",
  "not_in",
] as const;
/** These ask of the left side only. */
export const ONE_SIDED = ["exists", "not_exists", "empty", "not_empty"] as const;
export const OPERATORS = [...TWO_SIDED, ...ONE_SIDED] as const;
export type Operator = (typeof OPERATORS)[number];

/** Both sides are templates. `right` is left out where the operator asks of one side only. */
export interface Comparison {
  left: JsonValue;
  operator: Operator;
  right?: JsonValue | undefined;
}

export type Condition = Comparison | { all: Condition[] } | { any: Condition[] } | { not: Condition };

/** Levels of `all`, `any` and `not`, and of parentheses. */
export const CONDITION_DEPTH = 10;

/**
 * What is missing is null. Null is equal to null, and less or greater than nothing: an ordering that cannot be told is
 * false, with a warning.
 *
 * @throws {TemplateError} where a side is too large
 */
export function evaluate(condition: Condition, scope: Scope, warn: Warn): boolean {
  if ("all" in condition) return condition.all.every((part) => evaluate(part, scope, warn));
  if ("any" in condition) return condition.any.some((part) => evaluate(part, scope, warn));
  if ("not" in condition) return !evaluate(condition.not, scope, warn);
  return holds(condition, scope, warn);
}

function holds({ left, operator, right = null }: Comparison, scope: Scope, warn: Warn): boolean {
  // Whether something is there at all is no reason for a warning.
  const silent = ONE_SIDED.some((known) => known === operator);
  const a = side(left, scope, silent ? () => {} : warn);
  if (operator === "exists" || operator === "not_exists") return (a !== null) === (operator === "exists");
  if (operator === "empty" || operator === "not_empty") return isEmpty(a) === (operator === "empty");
  const b = side(right, scope, warn);
  const untold = () => {
    warn(`${shown(a)} ${operator} ${shown(b)} cannot be told, so it is false`);
    return false;
  };
  switch (operator) {
    case "eq":
    case "ne":
      return equal(a, b) === (operator === "eq");
    case "gt":
    case "gte":
    case "lt":
    case "lte": {
      const order = compare(a, b);
      return order === undefined ? untold() : ordered(operator, order);
    }
    case "contains":
      return contains(a, b) ?? untold();
    case "not_contains":
      return !(contains(a, b) ?? false);
    case "in":
      return contains(b, a) ?? untold();
    case "not_in":
      return !(contains(b, a) ?? false);
    case "starts_with":
    case "ends_with": {
      const [whole, part] = [textOf(a), textOf(b)];
      if (whole === undefined || part === undefined) return untold();
      return operator === "starts_with" ? whole.startsWith(part) : whole.endsWith(part);
    }
  }
}

function ordered(operator: "gt" | "gte" | "lt" | "lte", order: number): boolean {
  if (order === 0) return operator === "gte" || operator === "lte";
  return order > 0 ? operator.startsWith("gt") : operator.startsWith("lt");
}

/** A placeholder alone is looked up only: what it stands for may be large, and is not written anywhere. */
function side(value: JsonValue, scope: Scope, warn: Warn): JsonValue {
  const read = typeof value === "string" ? templateOf(value) : undefined;
  const [only, ...more] = read && "template" in read ? read.template : [];
  return typeof only === "object" && more.length === 0 ? resolve(only, scope, warn) : render(value, scope, warn);
}

/** For a warning: a single value as JSON, of others only what they are. */
function shown(value: JsonValue): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text;
}
