/** A record's values: what each field type takes, how it is kept, and what of it stands in an index slot. */
import type { Fields } from "../../errors.ts";
import type { Field, FieldType, Slot, Table } from "./table.ts";

/** A value as it is kept in `data`; null is never kept. */
export type Value = string | number | boolean;
export type Data = Record<string, Value>;

/** What a write sets; null clears a field. */
export type Changes = Record<string, Value | null>;

/** How a value of a type is kept, or the words of its refusal. */
type Reader = (value: unknown) => { kept: Value } | { fault: string };

const NOT_STORABLE = "contains characters that cannot be stored (NUL or half of a surrogate pair)";

function readText(maximum: number): Reader {
  return (value) => {
    if (typeof value !== "string") return { fault: "must be a string" };
    if (value.includes("\0") || !value.isWellFormed()) return { fault: NOT_STORABLE };
    if (value.length > maximum && [...value].length > maximum) {
      return { fault: `is too long (maximum is ${maximum} characters)` };
    }
    return { kept: value };
  };
}

const READERS: Record<FieldType, Reader> = {
  string: readText(255),
  text: readText(Infinity),
  integer: (value) =>
    Number.isSafeInteger(value) ? { kept: Object.is(value, -0) ? 0 : Number(value) } : { fault: "must be an integer" },
  number: (value) =>
    typeof value === "number" && Number.isFinite(value) ? { kept: value } : { fault: "must be a number" },
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

const TIME = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const DATETIME =
  /^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d{1,9})?)?([Zz]|[+-]([01]\d|2[0-3]):?[0-5]\d)$/;

/** A day that is in the calendar: `Date` would make 1 March of 30 February. The year 0 has none in PostgreSQL. */
function isDate(text: string): boolean {
  if (!DATE.test(text) || text.startsWith("0000")) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** As kept: UTC with milliseconds, so that the order of texts is the order of moments. */
function utcOf(text: string): string | undefined {
  const [, day = ""] = DATETIME.exec(text) ?? [];
  if (!isDate(day)) return undefined;
  const normal = text.replace(" ", "T").replace("t", "T").replace(",", ".").replace("z", "Z")
    .replace(/([+-]\d\d)(\d\d)$/, "$1:$2");
  const moment = new Date(normal);
  const year = moment.getUTCFullYear();
  if (Number.isNaN(moment.getTime()) || year < 1 || year > 9999) return undefined;
  return moment.toISOString().replace("Z", "+00:00");
}

/**
 * Reads what a caller sent for a record.
 *
 * @param whole of a new record: required fields must be there
 * @returns `changes` in the order sent; `faults` by field
 */
export function readValues(
  { fields }: Pick<Table, "fields">,
  sent: Record<string, unknown>,
  whole: boolean,
): { changes: Changes; faults: Fields } {
  const changes: [string, Value | null][] = [];
  const faults: [string, string[]][] = [];
  for (const [name, value] of Object.entries(sent)) {
    const field = fields.get(name);
    const read = field ? readValue(field, value) : { fault: "is not a field of this table" };
    if ("fault" in read) faults.push([name || "base", [read.fault]]);
    else changes.push([name, read.kept]);
  }
  for (const [name, { required }] of whole ? fields : []) {
    if (required && !Object.hasOwn(sent, name)) faults.push([name, ["can't be blank"]]);
  }
  // Whatever a name is (`__proto__`), it becomes a key of its own.
  return { changes: Object.fromEntries(changes), faults: Object.fromEntries(faults) };
}

function readValue(field: Field, value: unknown): { kept: Value | null } | { fault: string } {
  if (isBlank(value)) {
    return field.required ? { fault: "can't be blank" } : { kept: value === "" && isText(field) ? "" : null };
  }
  const read = READERS[field.type](value);
  if (field.required && "kept" in read && typeof read.kept === "string" && !read.kept.trim()) {
    return { fault: "can't be blank" };
  }
  return read;
}

/** How a value that is no blank is kept by a field of this type. */
export const readKept = (type: FieldType, value: unknown): { kept: Value } | { fault: string } => READERS[type](value);

const isBlank = (value: unknown) => value === null || value === undefined || value === "";
const isText = ({ type }: Field) => type === "string" || type === "text";

/** Without what is null. */
export const keptOf = (changes: Changes): Data =>
  Object.fromEntries(Object.entries(changes).filter((entry): entry is [string, Value] => entry[1] !== null));

/** The value that a slot holds for a blank: the lowest of its type, which no field can have. */
export const LOWEST = { str: "", int: "-9223372036854775808", time: "-infinity" } as const;

export const slotKind = (slot: Slot): keyof typeof LOWEST =>
  slot.startsWith("str") ? "str" : slot.startsWith("int") ? "int" : "time";

/** A text as it is compared: a time without seconds is at the first of them. */
export const comparable = (type: FieldType, text: string): string =>
  type === "time" && text.length === 5 ? `${text}:00` : text;

/** What of a value stands in the index. PostgreSQL casts it to the slot's type. */
export function slotValue(slot: Slot, type: FieldType, value: Value | null | undefined): string {
  const kind = slotKind(slot);
  if (value === null || value === undefined || value === "") return LOWEST[kind];
  if (kind === "str") return firstCharacters(comparable(type, String(value)), 255);
  if (kind === "int") return String(Number(value));
  return String(value).length === 10 ? `${value}T00:00:00+00:00` : String(value);
}

type Indexed = Pick<Table, "slots" | "fields">;

/** The slots of the fields that `changes` names. */
export const slotsOf = (table: Indexed, changes: Changes): Partial<Record<Slot, string>> =>
  filledSlots(table, changes, (field) => Object.hasOwn(changes, field));

/** Every slot in use, for a new record: a slot in use is never null. */
export const allSlotsOf = (table: Indexed, data: Data): Partial<Record<Slot, string>> =>
  filledSlots(table, data, () => true);

const filledSlots = ({ slots, fields }: Indexed, values: Changes, isFilled: (field: string) => boolean) =>
  Object.fromEntries(
    [...slots].filter(([field]) => isFilled(field)).map(([field, slot]) => {
      const { type = "string" } = fields.get(field) ?? {};
      return [slot, slotValue(slot, type, Object.hasOwn(values, field) ? values[field] : null)];
    }),
  );

const firstCharacters = (text: string, count: number) =>
  text.length <= count ? text : [...text].slice(0, count).join("");
