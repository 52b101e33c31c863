/** A record's values: what each field type accepts, how it is stored, and what of it its index slot holds. */
import type { Fields } from "../../errors.ts";
import { type Field, type FieldType, isText, type Slot, type Table } from "./table.ts";

/** A value as `data` stores it. Blank values are left out. */
export type Value = string | number | boolean;
export type Data = Record<string, Value>;

/** What a write sets; null clears a field. */
export type Changes = Record<string, Value | null>;

type Read<Kept> = { kept: Kept } | { fault: string };

const NOT_STORABLE = "contains characters that cannot be stored (NUL or half of a surrogate pair)";

const readText = (maximum: number) => (value: unknown): Read<Value> => {
  if (typeof value !== "string") return { fault: "must be a string" };
  if (value.includes("\0") || !value.isWellFormed()) return { fault: NOT_STORABLE };
  if (value.length > maximum && [...value].length > maximum) {
    return { fault: `is too long (maximum is ${maximum} characters)` };
  }
  return { kept: value };
};

const READERS: Record<FieldType, (value: unknown) => Read<Value>> = {
  string: readText(255),
  text: readText(Infinity),
  integer: (value) =>
    Number.isSafeInteger(value) ? { kept: Object.is(value, -0) ? 0 : Number(value) } : { fault: "must be an integer" },
  number: (value) => {
    const number = typeof value === "string" ? exactDouble(value) : value;
    return typeof number === "number" && Number.isFinite(number) ? { kept: number } : { fault: "must be a number" };
  },
  boolean: (value) => typeof value === "boolean" ? { kept: value } : { fault: "must be true or false" },
  datetime: (value) => {
    const kept = typeof value === "string" ? utcOf(value) : undefined;
    return kept ? { kept } : { fault: "must be an ISO 8601 date and time with offset, such as 2026-11-21T08:30:00Z" };
  },
  date: (value) =>
    typeof value === "string" && isDate(value) ? { kept: value } : { fault: "must be a date, YYYY-MM-DD" },
  time: (value) =>
    typeof value === "string" && TIME.test(value) ? { kept: value } : { fault: "must be a time, HH:MM or HH:MM:SS" },
};

const LARGE_INTEGER = /^-?[1-9]\d{15,308}$/;

/**
 * The number of an integer beyond 2^53 that arrives as the text of its digits. The digits must be a double's exact value or
 * its shortest decimal notation: 1.1e25, whose exact value is 11000000000000000352321536, is stored and exported as
 * 11000000000000000000000000. Other digits would be rounded.
 */
function exactDouble(digits: string): number | undefined {
  if (!LARGE_INTEGER.test(digits)) return undefined;
  const number = Number(digits);
  if (!Number.isFinite(number)) return undefined;
  return BigInt(number) === BigInt(digits) || shortestDigits(number) === digits ? number : undefined;
}

/** Writes an integer of at least 1e15 without an exponent: JavaScript writes 1.1e25 as `1.1e+25`. */
function shortestDigits(number: number): string {
  const [, sign = "", first = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)\.?(\d*)(?:e\+(\d+))?$/.exec(`${number}`) ?? [];
  return sign + first + fraction.padEnd(Number(exponent), "0");
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const DATETIME =
  /^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d{1,9})?)?([Zz]|[+-]([01]\d|2[0-3]):?[0-5]\d)$/;
/** UTC with milliseconds, on a day that every month has. `Date` writes it with `Z`. */
const PLAIN_DATETIME =
  /^(?!0000)\d{4}-(0[1-9]|1[0-2])-([01][1-9]|10|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}(Z|\+00:00)$/;

/** Whether the calendar has this day: `Date` reads 30 February as 1 March. PostgreSQL has no year 0. */
function isDate(text: string): boolean {
  if (!DATE.test(text) || text.startsWith("0000")) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

const iso = (moment: Date) => moment.toISOString().replace("Z", "+00:00");

/** As stored: UTC with milliseconds, so that the order of texts is the order of times. */
function utcOf(text: string): string | undefined {
  if (PLAIN_DATETIME.test(text)) return text.endsWith("Z") ? `${text.slice(0, -1)}+00:00` : text;
  const [, day = ""] = DATETIME.exec(text) ?? [];
  if (!isDate(day)) return undefined;
  const normal = text.replace(" ", "T").replace("t", "T").replace(",", ".").replace("z", "Z")
    .replace(/([+-]\d\d)(\d\d)$/, "$1:$2");
  const moment = new Date(normal);
  const year = moment.getUTCFullYear();
  return Number.isNaN(moment.getTime()) || year < 1 || year > 9999 ? undefined : iso(moment);
}

/**
 * Reads the values that a caller sent for a record. A field that is undefined, as it may be over /trpc, is not sent.
 *
 * @param whole the record is new: required fields must be present
 * @returns `changes` in the order sent; `faults` by field
 */
export function readValues(
  { fields }: Pick<Table, "fields">,
  sent: Record<string, unknown>,
  whole: boolean,
): { changes: Changes; faults: Fields } {
  const changes: Changes = {};
  const faults: [string, string[]][] = [];
  for (const name of Object.keys(sent)) {
    if (sent[name] === undefined) continue;
    const field = fields.get(name);
    const read = field ? readValue(field, sent[name]) : { fault: "is not a field of this table" };
    if ("fault" in read) faults.push([name || "base", [read.fault]]);
    else changes[name] = read.kept;
  }
  if (whole) {
    for (const [name, { required }] of fields) {
      if (required && !(Object.hasOwn(sent, name) && sent[name] !== undefined)) faults.push([name, ["can't be blank"]]);
    }
  }
  // A field's name is safe to assign; an unknown name may be `__proto__`, which only `fromEntries` makes a key.
  return { changes, faults: faults.length === 0 ? {} : Object.fromEntries(faults) };
}

function readValue(field: Field, value: unknown): Read<Value | null> {
  if (isBlank(value)) {
    return field.required ? { fault: "can't be blank" } : { kept: value === "" && isText(field) ? "" : null };
  }
  const read = READERS[field.type](value);
  if (field.required && "kept" in read && typeof read.kept === "string" && !read.kept.trim()) {
    return { fault: "can't be blank" };
  }
  return read;
}

/** How a field of this type stores a value that is not blank. */
export const readKept = (type: FieldType, value: unknown): Read<Value> => READERS[type](value);

const isBlank = (value: unknown) => value === null || value === "";

/** Without the values that are null. */
export function keptOf(changes: Changes): Data {
  const kept: Data = {};
  for (const name of Object.keys(changes)) {
    const value = changes[name];
    if (value !== null && value !== undefined) kept[name] = value;
  }
  return kept;
}

/** What a slot holds for a blank value: the lowest of its type, which no field can have. */
export const LOWEST = { str: "", int: "-9223372036854775808", time: "-infinity" } as const;

export const slotKind = (slot: Slot): keyof typeof LOWEST =>
  slot.startsWith("str") ? "str" : slot.startsWith("int") ? "int" : "time";

/** A text as comparisons see it: a time without seconds gets `:00`. */
export const comparable = (type: FieldType, text: string): string =>
  type === "time" && text.length === 5 ? `${text}:00` : text;

/** What a slot holds for a value. PostgreSQL casts it to the slot's type. */
export function slotValue(slot: Slot, type: FieldType, value: Value | null | undefined): string {
  const kind = slotKind(slot);
  if (value === null || value === undefined || value === "") return LOWEST[kind];
  if (kind === "str") return firstCharacters(comparable(type, String(value)), 255);
  if (kind === "int") return String(Number(value));
  return String(value).length === 10 ? `${value}T00:00:00+00:00` : String(value);
}

type Indexed = Pick<Table, "slots" | "fields">;
type Slots = Partial<Record<Slot, string>>;

/** The slots of the fields that `changes` names. */
export const slotsOf = (table: Indexed, changes: Changes): Slots => filledSlots(table, changes, false);

/** Every slot in use, for a new record: a slot in use is never null. */
export const allSlotsOf = (table: Indexed, data: Data): Slots => filledSlots(table, data, true);

function filledSlots({ slots, fields }: Indexed, values: Changes, all: boolean): Slots {
  const filled: Slots = {};
  for (const [field, slot] of slots) {
    const isSet = Object.hasOwn(values, field);
    if (isSet || all) filled[slot] = slotValue(slot, fields.get(field)?.type ?? "string", isSet ? values[field] : null);
  }
  return filled;
}

const firstCharacters = (text: string, count: number) =>
  text.length <= count ? text : [...text].slice(0, count).join("");
