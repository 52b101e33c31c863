/** What a filter of a placeholder is, and how filters read their values. */
import type { JsonValue } from "../../../input/json_value.ts";

/** Counts characters that a filter reads. @throws {Error} over the limit of a rendering */
export type TakeRoom = (characters: number) => void;

export interface Filter {
  /** Arguments at least and at most. */
  least: number;
  most: number;
  /** Without it, a value of null stays null. */
  takes_null?: boolean;
  /** Checks arguments when a program is saved. @param args undefined for an argument that is a name @throws {FilterFault} */
  check?(args: readonly (JsonValue | undefined)[]): void;
  /** @throws {FilterFault} */
  apply(value: JsonValue, args: readonly JsonValue[], take: TakeRoom): JsonValue;
}

/** A filter cannot be applied. The message continues a sentence that begins with the filter. */
export class FilterFault extends Error {
  override name = "FilterFault";
}

const NUMBER = /^\s{0,20}[+-]?\d{1,300}(?:\.\d{0,300})?(?:[eE][+-]?\d{1,4})?\s{0,20}$/;
/** Characters of a number that a double holds exactly. */
const MOST_EXACT = 15;

/** A number, or a text that is one. @returns undefined for all else, and for digits that a number would round */
export function readNumber(value: JsonValue): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.length > 700 || !NUMBER.test(value)) return undefined;
  const number = Number(value);
  const is_exact = Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number);
  return is_exact ? number : undefined;
}

/** @throws {FilterFault} */
export function numberOf(value: JsonValue): number {
  const number = readNumber(value);
  if (number !== undefined) return number;
  const is_long = typeof value === "string" && value.length <= 700 && NUMBER.test(value);
  throw new FilterFault(
    is_long ? `needs a number of at most ${MOST_EXACT} digits` : `needs a number, not ${shownValue(value)}`,
  );
}

export function wholeNumber(value: JsonValue, least = -Number.MAX_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER) {
  const number = numberOf(value);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  const range = most === Number.MAX_SAFE_INTEGER ? "" : ` from ${least} to ${most}`;
  throw new FilterFault(`needs a whole number${range}, not ${shownValue(value)}`);
}

/** The text of a text, a number or a boolean. @throws {FilterFault} */
export function textOf(value: JsonValue): string {
  if (typeof value === "object") throw new FilterFault(`needs a text, not ${shownValue(value)}`);
  return String(value);
}

/** @throws {FilterFault} */
export function listOf(value: JsonValue): JsonValue[] {
  if (!Array.isArray(value)) throw new FilterFault(`needs a list, not ${shownValue(value)}`);
  return value;
}

/** A value in a message: a scalar as JSON, of a list or object only its kind. */
function shownValue(value: JsonValue): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text;
}
