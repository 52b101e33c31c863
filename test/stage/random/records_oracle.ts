/** Filters, sorts and searches records in memory, as the specification words it. Tests compare the server with it. */
import fc from "../../packages/fast_check.ts";
import type { FieldType } from "../../../server/store/store.ts";

export type Value = string | number | boolean | null;

export interface Kept {
  id: string;
  data: Record<string, Value>;
}

export interface Wanted {
  field: string;
  operator: string;
  /** One value, for `in` any number; null and "" are blank. */
  values: Value[];
}

/** One field of each type. A type that an index accepts also has a twin field without an index. */
export const TYPES: Record<string, FieldType> = {
  s: "string",
  t: "text",
  n: "integer",
  ok: "boolean",
  at: "datetime",
  day: "date",
  clock: "time",
  price: "number",
};
const INDEXED = Object.keys(TYPES).filter((name) => TYPES[name] !== "number");
const twin = (name: string) => `${name}_2`;

export const FIELDS: Record<string, FieldType> = Object.fromEntries(
  Object.entries(TYPES).flatMap(([name, type]): [string, FieldType][] =>
    type === "number" ? [[name, type]] : [[name, type], [twin(name), type]]
  ),
);

export const SCHEMA = {
  fields: FIELDS,
  indexes: {
    idx_str_1: "s",
    idx_str_2: "t",
    idx_str_3: "clock",
    idx_int_1: "n",
    idx_int_2: "ok",
    idx_time_1: "at",
    idx_time_2: "day",
  },
};

const TEXTS = [
  null,
  "",
  " ",
  "Ada",
  "ada",
  "ADA",
  "Adam",
  "Ądam",
  "%",
  "a_b",
  "axb",
  "\\",
  "'",
  '"',
  "x,y",
  "😀",
  "\uffee",
];
const LONG = "x".repeat(255);

/** Few values of each type, so that many records are equal: blanks, limits, and one value in several notations. */
export const VALUES: Record<FieldType, Value[]> = {
  string: [...TEXTS, LONG],
  // These differ only after the first 255 characters, which are all that an index slot holds.
  text: [...TEXTS, LONG, `${LONG}a`, `${LONG}b`, `${LONG}ba`, `${LONG}😀`],
  integer: [null, 0, -1, 5, 7, 10, 2 ** 53 - 1, -(2 ** 53) + 1],
  number: [null, 0, -1.5, 0.1, 5, 1e21, 1e-7, -1e300],
  boolean: [null, true, false],
  datetime: [
    null,
    "2026-11-21T08:30:00Z",
    "2026-11-21T09:30:00+01:00",
    "2026-11-21T08:30:00.001Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999Z",
  ],
  date: [null, "2024-02-29", "2026-11-21", "0001-01-01", "9999-12-31"],
  time: [null, "08:30", "08:30:00", "08:30:01", "00:00", "23:59:59"],
};

const isBlank = (value: Value | undefined) => value === null || value === undefined || value === "";

/** Compares as for sorting: texts by code points, times by their meaning. A blank is the lowest value. */
function compare(type: FieldType, a: Value | undefined, b: Value | undefined): number {
  if (isBlank(a) || isBlank(b)) return Number(isBlank(b)) - Number(isBlank(a));
  if (type === "integer" || type === "number" || type === "boolean") return Number(a) - Number(b);
  if (type === "datetime") return Date.parse(`${a}`) - Date.parse(`${b}`);
  if (type === "time") {
    return `${a}:00`.slice(0, 8) < `${b}:00`.slice(0, 8) ? -1 : Number(`${a}:00`.slice(0, 8) > `${b}:00`.slice(0, 8));
  }
  const [left, right] = [[...`${a}`], [...`${b}`]];
  const at = left.findIndex((character, i) => character !== right[i]);
  return at === -1 ? left.length - right.length : (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
}

const fold = (text: Value | undefined) => `${text ?? ""}`.normalize("NFC").toLowerCase().replaceAll("ς", "σ");

/** A blank equals a blank, and is neither less nor greater than any value. */
export function holds(type: FieldType, value: Value | undefined, operator: string, values: Value[]): boolean {
  const [first = null] = values;
  const order = compare(type, value, first);
  const beside = !isBlank(value) && !isBlank(first);
  switch (operator) {
    case "ne":
      return order !== 0;
    case "gt":
      return beside && order > 0;
    case "gte":
      return beside && order >= 0;
    case "lt":
      return beside && order < 0;
    case "lte":
      return beside && order <= 0;
    case "in":
      return values.some((one) => compare(type, value, one) === 0);
    case "contains":
      return fold(value).includes(fold(first));
    default:
      return order === 0;
  }
}

/** @param sort a field, `id` or `created_at`, with a leading minus where descending */
export function listed<R extends Kept>(records: readonly R[], wanted: readonly Wanted[], sort = "-created_at"): R[] {
  const sign = sort.startsWith("-") ? -1 : 1;
  const field = sort.replace("-", "");
  const type = FIELDS[field];
  return records
    .filter(({ data }) =>
      wanted.every(({ field, operator, values }) => holds(FIELDS[field] ?? "string", data[field], operator, values))
    )
    .toSorted((a, b) => sign * ((type && compare(type, a.data[field], b.data[field])) || (a.id < b.id ? -1 : 1)));
}

/** Whether any string or text field contains it. */
export const hasText = ({ data }: Kept, q: string): boolean =>
  Object.entries(FIELDS).some(([name, type]) =>
    (type === "string" || type === "text") && fold(data[name]).includes(fold(q))
  );

const anyValue = (name: string) => fc.constantFrom(...VALUES[FIELDS[name] ?? "string"]);

/** Twin fields have the same value. */
export const anyData: fc.Arbitrary<Record<string, Value>> = fc
  .record(Object.fromEntries(Object.keys(TYPES).map((name) => [name, anyValue(name)])))
  .map((data) => ({ ...data, ...Object.fromEntries(INDEXED.map((name) => [twin(name), data[name] ?? null])) }));

const OPERATORS = ["eq", "ne", "gt", "gte", "lt", "lte", "in"];
export const operatorsOf = (field: string): string[] =>
  ["string", "text"].includes(FIELDS[field] ?? "") ? [...OPERATORS, "contains"] : OPERATORS;

export const anyWanted: fc.Arbitrary<Wanted> = fc.constantFrom(...Object.keys(FIELDS)).chain((field) =>
  fc.record({
    field: fc.constant(field),
    operator: fc.constantFrom(...operatorsOf(field)),
    values: fc.array(anyValue(field), { minLength: 1, maxLength: 3 }),
  })
).map(({ field, operator, values }) => ({ field, operator, values: operator === "in" ? values : values.slice(0, 1) }));

export const anySort: fc.Arbitrary<string> = fc.tuple(
  fc.constantFrom("", "-"),
  fc.constantFrom(...Object.keys(FIELDS), "id", "created_at"),
).map(([sign, field]) => sign + field);

/** Query parameters. Commas separate the values of `in`, so texts with a comma are sent as a list of parameters. */
export function parametersOf(wanted: readonly Wanted[]): [string, string][] {
  return wanted.flatMap(({ field, operator, values }): [string, string][] => {
    const texts = values.map((value) => value === null ? "" : `${value}`);
    if (operator === "eq") return [[`filter[${field}]`, texts[0] ?? ""]];
    if (operator !== "in") return [[`filter[${field}][${operator}]`, texts[0] ?? ""]];
    return texts.some((text) => text.includes(","))
      ? texts.map((text) => [`filter[${field}][in][]`, text])
      : [[`filter[${field}][in]`, texts.join(",")]];
  });
}
