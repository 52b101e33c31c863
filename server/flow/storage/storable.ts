/** JSON as PostgreSQL stores it. */
import type { JsonValue } from "../../input/json_value.ts";

/** The JSON of a value. NUL and lone surrogates, which PostgreSQL refuses, become U+FFFD. */
export const storable = (value: unknown): string => replaceUnstorable(JSON.stringify(value));

/** The value as it is read again after it was stored. */
export function asStored(value: JsonValue): JsonValue {
  const text = JSON.stringify(value);
  const stored = replaceUnstorable(text);
  return stored === text ? value : JSON.parse(stored);
}

/** Characters of a value, as far as limits count them. */
export const jsonLength = (value: JsonValue): number =>
  typeof value === "object" && value !== null ? storable(value).length : String(value).length;

const replaceUnstorable = (text: string): string =>
  /\\u(?:0000|d[89a-f])/.test(text)
    ? text.replace(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g, (escape) => escape.length > 2 ? "\\ufffd" : escape)
    : text;
