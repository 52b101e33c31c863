/** Conditions of `if`: their operators and their evaluation. `condition_text.ts` parses the short form. */
import { z } from "zod";
import type { JsonValue } from "../../input/json_value.ts";
import { compare, contains, equal, isEmpty, textOf } from "./compare.ts";
import { shortened } from "./shortened.ts";
import { type Expressions, render, resolve, type Scope, templateOf, type Warn } from "./template.ts";
import { Template } from "./template_shape.ts";

/** Operators with a left and a right side. */
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
/** Operators with a left side only. */
export const ONE_SIDED = ["exists", "not_exists", "empty", "not_empty"] as const;
export const OPERATORS = [...TWO_SIDED, ...ONE_SIDED] as const;
export type Operator = (typeof OPERATORS)[number];

/** Both sides are templates. A one-sided operator has no `right`. */
export const Comparison = z.strictObject({ left: Template, operator: z.enum(OPERATORS), right: Template.optional() })
  .superRefine(({ operator, right }, ctx) => {
    const one_sided = ONE_SIDED.some((known) => known === operator);
    if (one_sided === (right === undefined)) return;
    const message = one_sided ? `is not used by ${operator}` : "can't be blank";
    ctx.addIssue({ code: "custom", path: ["right"], message });
  });
export type Comparison = z.output<typeof Comparison>;

export type Condition = Comparison | { all: Condition[] } | { any: Condition[] } | { not: Condition };

/** A comparison with the values of its sides. */
export interface Compared {
  left: JsonValue;
  operator: Operator;
  /** Undefined for a one-sided operator. */
  right?: JsonValue | undefined;
  holds: boolean;
  /** A side was too long to be kept as it was. */
  shortened?: boolean | undefined;
}

/** Characters that are kept of one side of a comparison. */
const MOST_SHOWN = 500;

/** Deepest nesting of `not` and parentheses in the short form. */
export const CONDITION_DEPTH = 10;

/**
 * A missing value is null. Null equals null and has no order: a comparison of values without an order is false, with a
 * warning.
 *
 * @throws {TemplateError} if a side is too large
 */
export function evaluate(
  condition: Condition,
  scope: Scope,
  warn: Warn,
  note: (compared: Compared) => void = () => {},
  expressions?: Expressions,
): boolean {
  if ("all" in condition) return condition.all.every((part) => evaluate(part, scope, warn, note, expressions));
  if ("any" in condition) return condition.any.some((part) => evaluate(part, scope, warn, note, expressions));
  if ("not" in condition) return !evaluate(condition.not, scope, warn, note, expressions);
  const { left, operator, right = null } = condition;
  // A one-sided operator asks whether the value is missing, so a missing value needs no warning.
  const one_sided = ONE_SIDED.some((known) => known === operator);
  const a = side(left, scope, one_sided ? () => {} : warn, expressions);
  const b = one_sided ? null : side(right, scope, warn, expressions);
  const result = holds(a, operator, b, warn);
  note(comparedOf(a, operator, one_sided ? undefined : b, result));
  return result;
}

/** Values in scope contain no secrets: answers are redacted before a flow sees them. */
function comparedOf(left: JsonValue, operator: Operator, right: JsonValue | undefined, holds: boolean): Compared {
  const one = shortened(left, MOST_SHOWN);
  const other = right === undefined ? undefined : shortened(right, MOST_SHOWN);
  return {
    left: one.value,
    operator,
    ...other && { right: other.value },
    holds,
    ...(one.is_shorter || other?.is_shorter) && { shortened: true },
  };
}

function holds(a: JsonValue, operator: Operator, b: JsonValue, warn: Warn): boolean {
  const incomparable = () => {
    warn(`${shown(a)} ${operator} ${shown(b)} cannot be told, so it is false`);
    return false;
  };
  switch (operator) {
    case "exists":
    case "not_exists":
      return (a !== null) === (operator === "exists");
    case "empty":
    case "not_empty":
      return isEmpty(a) === (operator === "empty");
    case "eq":
    case "ne":
      return equal(a, b) === (operator === "eq");
    case "gt":
    case "gte":
    case "lt":
    case "lte": {
      const order = compare(a, b);
      return order === undefined ? incomparable() : ordered(operator, order);
    }
    case "contains":
      return contains(a, b) ?? incomparable();
    case "not_contains":
      return !(contains(a, b) ?? false);
    case "in":
      return contains(b, a) ?? incomparable();
    case "not_in":
      return !(contains(b, a) ?? false);
    case "starts_with":
    case "ends_with": {
      const [whole, part] = [textOf(a), textOf(b)];
      if (whole === undefined || part === undefined) return incomparable();
      return operator === "starts_with" ? whole.startsWith(part) : whole.endsWith(part);
    }
  }
}

function ordered(operator: "gt" | "gte" | "lt" | "lte", order: number): boolean {
  if (order === 0) return operator === "gte" || operator === "lte";
  return order > 0 ? operator.startsWith("gt") : operator.startsWith("lt");
}

/** The value of one placeholder is not measured: it may be large, because a condition stores it shortened. */
function side(value: JsonValue, scope: Scope, warn: Warn, expressions: Expressions | undefined): JsonValue {
  const read = typeof value === "string" ? templateOf(value) : undefined;
  const [only, ...more] = read && "template" in read ? read.template : [];
  return typeof only === "object" && more.length === 0
    ? resolve(only, scope, warn, expressions)
    : render(value, scope, warn, expressions);
}

/** A value in a warning: a scalar as JSON; of a list or object only its kind. */
function shown(value: JsonValue): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text;
}
