/**
 * Parses JSON without changing numbers. An integer beyond 2^53 − 1 and a number beyond the range of a double become texts
 * with the digits as they were sent: JavaScript would round the one and lose the other. Where such a value only passes
 * through it is preserved; a field of numbers refuses the text; conditions compare texts of digits exactly.
 */
import type { JsonValue } from "./json_value.ts";

/** Only a text with one of these can have such a number. The reviver takes several times as long. */
const MAY_HAVE_ONE = /\d{16}|[eE]\+?\d{3}|\d{3}[eE]\+?\d{2}/;

const INTEGER = /^-?\d+$/;

/** @throws {SyntaxError} */
export function parseExactly(text: string): JsonValue {
  return MAY_HAVE_ONE.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
}

function exact(_key: string, value: JsonValue, context?: { source?: string }): JsonValue {
  if (typeof value !== "number" || context?.source === undefined) return value;
  const { source } = context;
  const is_lost = !Number.isFinite(value) || INTEGER.test(source) && !Number.isSafeInteger(value);
  return is_lost ? source : value;
}
