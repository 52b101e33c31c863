/**
 * The filters of placeholders, such as `{name|upper}`. Each takes time in proportion to the length of its input and
 * output. Filters of dates are in `date_filters.ts`.
 */
import { createHash } from "node:crypto";
import type { JsonValue } from "../../../input/json_value.ts";
import { DATE_FILTERS } from "./date_filters.ts";
import { type Filter, FilterFault, listOf, numberOf, type TakeRoom, textOf, wholeNumber } from "./filter.ts";
import { replaceAll, splitAll } from "./search.ts";

/** Doubles are exact to 15 decimal digits, so 0.1 + 0.2 is 0.3. Integers are exact up to 2^53 − 1. */
export function exact(number: number): number {
  if (!Number.isFinite(number)) throw new FilterFault("has no finite result");
  if (!Number.isInteger(number)) return Number(number.toPrecision(15));
  if (!Number.isSafeInteger(number)) throw new FilterFault("has a result that is too large to be exact");
  return number;
}

/** Digits after the point, as a number is written. */
function decimalsOf(number: number): number {
  const [mantissa = "", exponent = "0"] = String(number).split("e");
  return Math.max(0, (mantissa.split(".")[1]?.length ?? 0) - Number(exponent));
}

/** A sum has no more digits after the point than its parts: 100.1 and -100 are 0.1, not 0.0999999999999943. */
export function sumOf(a: number, b: number): number {
  const decimals = Math.max(decimalsOf(a), decimalsOf(b));
  return exact(decimals > MOST_DECIMALS ? a + b : Number((a + b).toFixed(decimals)));
}

/** The most that `toFixed` writes. */
const MOST_DECIMALS = 100;

const arithmetic = (compute: (a: number, b: number) => number): Filter => ({
  least: 1,
  most: 1,
  apply: (value, [other = null]) => exact(compute(numberOf(value), numberOf(other))),
});

const ofText = (compute: (text: string) => JsonValue): Filter => ({
  least: 0,
  most: 0,
  apply: (value, _, take) => compute(charged(textOf(value), take)),
});

function charged(text: string, take: TakeRoom): string {
  take(text.length);
  return text;
}

/** The text of a value as it stands within another text. */
function written(value: JsonValue, take: TakeRoom): string {
  if (value === null) return "";
  return charged(typeof value === "object" ? JSON.stringify(value) : String(value), take);
}

const MOST_DIGITS = 15;

/** Rounds half away from zero, by the decimal digits that are shown: 1.005 becomes 1.01. */
function round(number: number, digits: number): number {
  const shift = (value: number, by: number) => {
    const [mantissa, exponent = "0"] = String(value).split("e");
    return Number(`${mantissa}e${Number(exponent) + by}`);
  };
  const rounded = shift(Math.round(shift(Math.abs(number), digits)), -digits);
  return exact(number < 0 && rounded !== 0 ? -rounded : rounded);
}

const HAS_SURROGATES = /[\ud800-\udfff]/;

/** Counts code points, so that no character is cut into halves. */
function slice(value: JsonValue, from: number, to: number | undefined, take: TakeRoom): JsonValue {
  if (Array.isArray(value)) return value.slice(from, to);
  const text = charged(textOf(value), take);
  return HAS_SURROGATES.test(text) ? Array.from(text).slice(from, to).join("") : text.slice(from, to);
}

function join(value: JsonValue, separator: string, take: TakeRoom): string {
  const parts = listOf(value).map((item) => written(item, take));
  take(separator.length * parts.length);
  return parts.join(separator);
}

export const FILTERS: Readonly<Record<string, Filter>> = {
  default: { least: 1, most: 1, takes_null: true, apply: (value, [fallback = null]) => value ?? fallback },
  round: {
    least: 0,
    most: 1,
    apply: (value, [digits = 0]) => round(numberOf(value), wholeNumber(digits, 0, MOST_DIGITS)),
  },
  upper: ofText((text) => text.toUpperCase()),
  lower: ofText((text) => text.toLowerCase()),
  trim: ofText((text) => text.trim()),
  split: {
    least: 1,
    most: 1,
    apply: (value, [separator = null], take) => splitAll(charged(textOf(value), take), textOf(separator)),
  },
  join: { least: 0, most: 1, apply: (value, [separator = ","], take) => join(value, textOf(separator), take) },
  replace: {
    least: 2,
    most: 2,
    apply: (value, [sought = null, other = null], take) =>
      replaceAll(charged(textOf(value), take), textOf(sought), textOf(other), take),
  },
  slice: {
    least: 1,
    most: 2,
    apply: (value, [from = null, to], take) =>
      slice(value, wholeNumber(from), to === undefined || to === null ? undefined : wholeNumber(to), take),
  },
  number: { least: 0, most: 0, apply: (value) => numberOf(value) },
  text: { least: 0, most: 0, apply: (value, _, take) => written(value, take) },
  json: { least: 0, most: 0, takes_null: true, apply: (value, _, take) => charged(JSON.stringify(value), take) },
  ...DATE_FILTERS,
  plus: arithmetic(sumOf),
  minus: arithmetic((a, b) => sumOf(a, -b)),
  times: arithmetic((a, b) => a * b),
  by: arithmetic((a, b) => {
    if (b === 0) throw new FilterFault("cannot divide by 0");
    return a / b;
  }),
  base64: ofText((text) => new TextEncoder().encode(text).toBase64()),
  url: ofText((text) => encodeURIComponent(text.toWellFormed())),
  sha256: ofText((text) => createHash("sha256").update(text.toWellFormed()).digest("hex")),
};
