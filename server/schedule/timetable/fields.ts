/**
 * Parses the five fields of an expression: minute, hour, day of the month, month, day of the week. croner's extensions
 * (seconds, years, `L`, `W`, `#`, `?`, `+`, `@daily`) are refused.
 */
import { TimetableFault } from "./timetable.ts";

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

interface Kind {
  name: string;
  first: number;
  last: number;
  names: readonly string[];
}

const KINDS: readonly Kind[] = [
  { name: "minute", first: 0, last: 59, names: [] },
  { name: "hour", first: 0, last: 23, names: [] },
  { name: "day of the month", first: 1, last: 31, names: [] },
  { name: "month", first: 1, last: 12, names: MONTHS },
  { name: "day of the week", first: 0, last: 7, names: DAYS },
];

/** One item of a field's comma-separated list. */
export interface Item {
  from: number;
  to: number;
  step: number;
  /** Whether it is written as `*`. */
  star: boolean;
}

export interface Field {
  /** Empty if the field is `*`. */
  items: readonly Item[];
  /** All values of the items; Sunday is 0. */
  values: ReadonlySet<number>;
  /** Whether the field is `*`. Then only the other one of the two day fields restricts the days. */
  every: boolean;
}

export interface Fields {
  minute: Field;
  hour: Field;
  day: Field;
  month: Field;
  weekday: Field;
}

const ITEM = /^(?:\*|([a-z]{3}|\d{1,2})(?:-([a-z]{3}|\d{1,2}))?)(?:\/(\d{1,3}))?$/i;

const refused = (message: string) => new TimetableFault("schedule", message);

/** @throws {TimetableFault} */
export function readFields(text: string): Fields {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== KINDS.length) {
    throw refused("must have five fields: minute, hour, day of the month, month, day of the week");
  }
  const fields = KINDS.map((kind, index) => readField(kind, parts[index] ?? ""));
  const [minute, hour, day, month, weekday] = fields;
  if (!minute || !hour || !day || !month || !weekday) throw refused("must have five fields");
  return { minute, hour, day, month, weekday };
}

function readField(kind: Kind, text: string): Field {
  const items = text.split(",").map((item) => readItem(kind, item));
  const values = new Set(items.flatMap(valuesOf).map((value) => kind.names === DAYS ? value % 7 : value));
  const every = items.some(({ star, step }) => star && step === 1);
  return { items: every ? [] : items, values, every };
}

const withArticle = (name: string) => name === "hour" ? "an hour" : `a ${name}`;

function readItem(kind: Kind, text: string): Item {
  const match = ITEM.exec(text);
  if (!match) throw refused(`has ${withArticle(kind.name)} that cannot be read: ${text.slice(0, 50) || "nothing"}`);
  const [, low, high, steps] = match;
  const step = steps === undefined ? 1 : Number(steps);
  const star = low === undefined;
  const from = star ? kind.first : readValue(kind, low);
  // `*` ends with Saturday, so that Sunday is not included twice, as 0 and as 7.
  const to = star ? kind.names === DAYS ? 6 : kind.last : high === undefined ? from : readValue(kind, high, from);
  if (to < from) throw refused(`has ${withArticle(kind.name)} that runs backwards: ${text}`);
  if (steps !== undefined && !star && high === undefined) {
    throw refused(`has ${withArticle(kind.name)} with a step that needs * or a range: ${text}`);
  }
  const most = kind.last - kind.first + (kind.names === DAYS ? 0 : 1);
  if (step < 1 || step > most) {
    throw refused(`has ${withArticle(kind.name)} with a step that is not 1 to ${most}: ${text}`);
  }
  return { from, to, step, star };
}

/** @param after the start of the range if the value ends one: SUN then means 7 */
function readValue({ name, first, last, names }: Kind, text: string, after?: number): number {
  if (!/^\d/.test(text)) {
    const index = names.indexOf(text.toUpperCase());
    if (index === -1) throw refused(`has ${withArticle(name)} that cannot be read: ${text}`);
    return names === DAYS && index === 0 && after ? 7 : index + first;
  }
  const value = Number(text);
  if (value < first || value > last) throw refused(`has ${withArticle(name)} that is not ${first} to ${last}: ${text}`);
  return value;
}

export function valuesOf({ from, to, step }: Item): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

/** The expression with numbers only, for croner. */
export const written = ({ minute, hour, day, month, weekday }: Fields): string =>
  [minute, hour, day, month, weekday].map(writtenField).join(" ");

const writtenField = ({ items, every }: Field) => every ? "*" : items.map(writtenItem).join(",");

function writtenItem({ from, to, step, star }: Item): string {
  const range = star ? "*" : to === from ? `${from}` : `${from}-${to}`;
  return step === 1 && !star || from === to ? range : `${range}/${step}`;
}
