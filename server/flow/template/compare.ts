/** How the values of a condition compare, whatever an interface elsewhere made of them. */
import type { JsonValue } from "../../input/json_value.ts";
import { readKept } from "../../store/store.ts";

/** A number as JSON writes it. `007` is none: codes with zeros in front stay texts. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const INTEGER = /^-?\d+$/;
/** No double has more digits; longer texts are only compared as texts. */
const LONGEST_NUMBER = 330;

function numberOf(value: JsonValue): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.length > LONGEST_NUMBER || !NUMBER.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/**
 * Numbers and numeric texts as numbers, dates and moments as moments whatever their offset, other texts by their
 * characters.
 *
 * @returns below zero, zero, above; undefined where the two have no order
 */
export function compare(left: JsonValue, right: JsonValue): number | undefined {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined && b !== undefined) return a < b ? -1 : a > b ? 1 : compareExactly(left, right);
  if (typeof left !== "string" || typeof right !== "string") return undefined;
  const [one, other] = [momentOf(left) ?? left, momentOf(right) ?? right];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Two long numbers in texts that one double stands for. */
function compareExactly(left: JsonValue, right: JsonValue): number {
  if (typeof left !== "string" || typeof right !== "string") return 0;
  if (left === right || !INTEGER.test(left) || !INTEGER.test(right)) return 0;
  const difference = BigInt(left) - BigInt(right);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** In one form, so that the order of texts is that of moments. */
function momentOf(text: string): string | undefined {
  // What is shorter or longer is no date, no moment.
  if (text.length < 10 || text.length > 35 || text[4] !== "-") return undefined;
  const date = readKept("date", text);
  if ("kept" in date) return `${date.kept}T00:00:00.000+00:00`;
  const moment = readKept("datetime", text);
  return "kept" in moment ? String(moment.kept) : undefined;
}

/** Single values as `compare` has it; lists and objects part by part, where only the very same counts. */
export function equal(left: JsonValue, right: JsonValue): boolean {
  if (!isObject(left) && !isObject(right)) return left === right || compare(left, right) === 0;
  const pairs: [JsonValue, JsonValue][] = [[left, right]];
  // Without recursion: an answer from elsewhere may be nested as deep as it likes.
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

/** @returns undefined where `value` can have nothing in it */
export function contains(value: JsonValue, part: JsonValue): boolean | undefined {
  if (Array.isArray(value)) return value.some((item) => equal(item, part));
  const text = textOf(part);
  if (isObject(value)) return text !== undefined && Object.hasOwn(value, text);
  const whole = textOf(value);
  return whole === undefined || text === undefined ? undefined : includes(whole, text);
}

/** Up to here the product of the two lengths is a few milliseconds, and the built-in search is the faster one. */
const MOST_AT_ONCE = 10_000_000;

/** `String.prototype.includes` may take as long as the product of both lengths; this one never more than their sum. */
function includes(whole: string, part: string): boolean {
  if (whole.length * part.length <= MOST_AT_ONCE) return whole.includes(part);
  if (part.length > whole.length) return false;
  // Knuth, Morris and Pratt: by place, how much of the beginning ends there.
  const borders = new Uint32Array(part.length);
  const grow = (border: number, code: number): number => {
    while (border > 0 && part.charCodeAt(border) !== code) border = borders[border - 1] ?? 0;
    return part.charCodeAt(border) === code ? border + 1 : 0;
  };
  for (let at = 1, border = 0; at < part.length; at++) {
    border = borders[at] = grow(border, part.charCodeAt(at));
  }
  for (let at = 0, found = 0; at < whole.length; at++) {
    found = grow(found, whole.charCodeAt(at));
    if (found === part.length) return true;
  }
  return false;
}

/** Of a text or a number. */
export const textOf = (value: JsonValue): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;

export const isEmpty = (value: JsonValue): boolean =>
  value === null || value === "" || isObject(value) && Object.keys(value).length === 0;
