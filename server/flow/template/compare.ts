/**
 * Comparison of JSON values in conditions. APIs send numbers and dates as texts, so such texts are compared as numbers
 * and dates.
 */
import type { JsonValue } from "../../input/json_value.ts";
import { readKept } from "../../store/store.ts";
import { includes } from "./filters/search.ts";

/** A number in JSON syntax. `007` is a text: codes with leading zeros are not numbers. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const INTEGER = /^-?\d+$/;
/** The longest text that can be a number: no double has more digits. */
const LONGEST_NUMBER = 330;

function numberOf(value: JsonValue): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.length > LONGEST_NUMBER || !NUMBER.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/**
 * Compares numbers and numeric texts as numbers, dates and timestamps as points in time, and other texts by their UTF-16
 * code units.
 *
 * @returns a negative number, 0 or a positive number; undefined if the two have no order
 */
export function compare(left: JsonValue, right: JsonValue): number | undefined {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined && b !== undefined) return a < b ? -1 : a > b ? 1 : compareExactly(left, right);
  if (typeof left !== "string" || typeof right !== "string") return undefined;
  const [one, other] = [timeOf(left) ?? left, timeOf(right) ?? right];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Compares two values that convert to the same double, of which a text may be an integer with more digits. */
function compareExactly(left: JsonValue, right: JsonValue): number {
  if (left === right || typeof left === "number" && typeof right === "number") return 0;
  const [a, b] = [integerOf(left), integerOf(right)];
  return a === undefined || b === undefined || a === b ? 0 : a < b ? -1 : 1;
}

function integerOf(value: JsonValue): bigint | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : undefined;
  return typeof value === "string" && INTEGER.test(value) ? BigInt(value) : undefined;
}

/** Normalizes a date or timestamp, so that comparing the texts compares the times. */
export function timeOf(text: string): string | undefined {
  // Cheap test before the parser: no date or timestamp has another length.
  if (text.length < 10 || text.length > 35 || text[4] !== "-") return undefined;
  const date = readKept("date", text);
  if ("kept" in date) return `${date.kept}T00:00:00.000+00:00`;
  const datetime = readKept("datetime", text);
  return "kept" in datetime ? String(datetime.kept) : undefined;
}

/** Scalars are equal as `compare` has it. Lists and objects are equal if all their parts are strictly equal. */
export function equal(left: JsonValue, right: JsonValue): boolean {
  if (!isObject(left) && !isObject(right)) return left === right || compare(left, right) === 0;
  const pairs: [JsonValue, JsonValue][] = [[left, right]];
  // Without recursion, because the depth of an API's answer is not limited.
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [a, b] = pair;
    if (!isObject(a) || !isObject(b)) {
      if (a !== b) return false;
      continue;
    }
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const [keys, others] = [Object.keys(a), Object.keys(b)];
    if (keys.length !== others.length || !keys.every((key) => Object.hasOwn(b, key))) return false;
    for (const key of keys) pairs.push([at(a, key), at(b, key)]);
  }
  return true;
}

type JsonObject = Exclude<JsonValue, string | number | boolean | null>;

const isObject = (value: JsonValue): value is JsonObject => typeof value === "object" && value !== null;

const at = (value: JsonObject, key: string): JsonValue =>
  (Array.isArray(value) ? value[Number(key)] : value[key]) ?? null;

/** @returns undefined if `value` is neither a list, an object, a text nor a number */
export function contains(value: JsonValue, part: JsonValue): boolean | undefined {
  if (Array.isArray(value)) return value.some((item) => equal(item, part));
  const text = textOf(part);
  if (isObject(value)) return text !== undefined && Object.hasOwn(value, text);
  const whole = textOf(value);
  return whole === undefined || text === undefined ? undefined : includes(whole, text);
}

/** The text of a text or number. */
export const textOf = (value: JsonValue): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;

export const isEmpty = (value: JsonValue): boolean =>
  value === null || value === "" || isObject(value) && Object.keys(value).length === 0;
