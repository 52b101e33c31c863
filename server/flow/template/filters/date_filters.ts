/**
 * The filters `date` and `add`. A text with an offset, and a number of milliseconds, is a moment. A text without an
 * offset is the time of a clock in the filter's zone. A date without a time stays a date.
 */
import type { JsonValue } from "../../../input/json_value.ts";
import { clockAt, type ClockTime, daysIn, isZone, momentOf, offsetText } from "./clock.ts";
import { type Filter, FilterFault, textOf } from "./filter.ts";

const UTC = "UTC";

const WRITTEN = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** A clock's time, and the moment if the value says which one it is. */
interface ReadDate {
  clock: ClockTime;
  moment: number | undefined;
  is_date: boolean;
}

/** The moments that have four digits of a year in every zone. */
const EARLIEST = Date.parse("0001-01-02T00:00:00Z");
const LATEST = Date.parse("9999-12-30T00:00:00Z");

function inRange(moment: number): number {
  if (moment >= EARLIEST && moment <= LATEST) return moment;
  throw new FilterFault("needs a date in the years 1 to 9999");
}

function readDate(value: JsonValue, zone: string): ReadDate {
  if (typeof value === "number") {
    const moment = inRange(Math.trunc(value));
    return { clock: clockAt(moment, zone), moment, is_date: false };
  }
  const text = textOf(value).trim();
  const parts = WRITTEN.exec(text.slice(0, 50));
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] =
    parts?.slice(1, 7).map((part) => Number(part ?? 0)) ?? [];
  const is_real = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) && hour < 24 && minute < 60 &&
    second < 60 && year >= 1;
  if (!parts || text.length > 50 || !is_real) {
    throw new FilterFault(`needs a date such as 2026-03-29T10:00:00Z, not ${JSON.stringify(text.slice(0, 60))}`);
  }
  const millisecond = Number(`${parts[7] ?? ""}000`.slice(0, 3));
  const clock = { year, month, day, hour, minute, second, millisecond };
  const offset = parts[8];
  if (offset === undefined) return { clock, moment: undefined, is_date: parts[4] === undefined };
  const moment = inRange(momentOf(clock, UTC) - minutesOf(offset) * 60_000);
  return { clock: clockAt(moment, zone), moment, is_date: false };
}

function minutesOf(offset: string): number {
  if (offset === "Z") return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2));
  return offset.startsWith("-") ? -minutes : minutes;
}

function zoneOf(zone: JsonValue | undefined): string {
  if (zone === undefined || zone === null) return UTC;
  if (typeof zone === "string" && isZone(zone)) return zone;
  throw new FilterFault(`needs a time zone such as "Europe/Warsaw", not ${JSON.stringify(zone).slice(0, 60)}`);
}

const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

const two = (number: number) => String(number).padStart(2, "0");
const monthOf = ({ month }: ClockTime) => MONTHS[month - 1] ?? "";
const dayOf = (clock: ClockTime) => DAYS[new Date(momentOf({ ...clock, hour: 12 }, UTC)).getUTCDay()] ?? "";
const twelve = (hour: number) => hour % 12 === 0 ? 12 : hour % 12;

type Write = (clock: ClockTime, offset: () => string) => string;

const PARTS: Readonly<Record<string, Write>> = {
  yyyy: ({ year }) => String(year).padStart(4, "0"),
  yy: ({ year }) => two(year % 100),
  MMMM: monthOf,
  MMM: (clock) => monthOf(clock).slice(0, 3),
  MM: ({ month }) => two(month),
  M: ({ month }) => String(month),
  dd: ({ day }) => two(day),
  d: ({ day }) => String(day),
  EEEE: dayOf,
  EEE: (clock) => dayOf(clock).slice(0, 3),
  HH: ({ hour }) => two(hour),
  H: ({ hour }) => String(hour),
  hh: ({ hour }) => two(twelve(hour)),
  h: ({ hour }) => String(twelve(hour)),
  a: ({ hour }) => hour < 12 ? "AM" : "PM",
  mm: ({ minute }) => two(minute),
  m: ({ minute }) => String(minute),
  ss: ({ second }) => two(second),
  s: ({ second }) => String(second),
  SSS: ({ millisecond }) => String(millisecond).padStart(3, "0"),
  XXX: (_, offset) => offset(),
};

const LONGEST_FORMAT = 200;
/** A text in quotes, a run of one letter, or anything else. */
const FORMAT = /'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+/y;

/** Splits a format into texts and functions. @throws {FilterFault} */
function readFormat(format: JsonValue): (string | Write)[] {
  if (typeof format !== "string" || format.length > LONGEST_FORMAT) {
    throw new FilterFault(`needs a format such as "yyyy-MM-dd" of at most ${LONGEST_FORMAT} characters`);
  }
  const parts: (string | Write)[] = [];
  for (let at = 0; at < format.length;) {
    FORMAT.lastIndex = at;
    const found = FORMAT.exec(format);
    if (!found) throw new FilterFault("has a format with a ' that is never closed");
    const [text, quoted, letter] = found;
    const write = letter === undefined ? undefined : Object.hasOwn(PARTS, text) ? PARTS[text] : undefined;
    if (letter !== undefined && !write) {
      throw new FilterFault(`has a format with ${text}; known are ${Object.keys(PARTS).join(", ")}, and texts in '…'`);
    }
    parts.push(write ?? (quoted === undefined ? text : quoted || "'"));
    at = FORMAT.lastIndex;
  }
  return parts;
}

const UNITS = ["year", "month", "week", "day", "hour", "minute", "second"] as const;
type Unit = (typeof UNITS)[number];
/** `-1 day`, `2 hours 30 minutes`. */
const AMOUNT = /\s*([+-]?)\s?(\d{1,9})\s?(year|month|week|day|hour|minute|second)s?(?![a-z])/y;
const LONGEST_AMOUNT = 100;

function readAmount(amount: JsonValue): Record<Unit, number> {
  const sums: Record<Unit, number> = { year: 0, month: 0, week: 0, day: 0, hour: 0, minute: 0, second: 0 };
  const text = typeof amount === "string" ? amount.trimEnd() : "";
  const fault = () => new FilterFault(`needs an amount such as "-1 day" or "2 hours 30 minutes"`);
  if (text === "" || text.length > LONGEST_AMOUNT) throw fault();
  for (let at = 0; at < text.length;) {
    AMOUNT.lastIndex = at;
    const found = AMOUNT.exec(text);
    const unit = UNITS.find((known) => known === found?.[3]);
    if (!found || !unit) throw fault();
    sums[unit] += Number(`${found[1]}${found[2]}`);
    at = AMOUNT.lastIndex;
  }
  return sums;
}

/** Days and longer units move the clock's date and keep its time; shorter units move the moment. */
function add(value: JsonValue, amount: JsonValue, zone: string): string {
  const { year, month, week, day, hour, minute, second } = readAmount(amount);
  const { clock, moment, is_date } = readDate(value, zone);
  const later_ms = (hour * 3_600 + minute * 60 + second) * 1_000;
  const moved = movedDate(clock, year * 12 + month, week * 7 + day);
  if (is_date && later_ms === 0) return `${PARTS.yyyy?.(moved, String)}-${two(moved.month)}-${two(moved.day)}`;
  const is_same_date = year * 12 + month === 0 && week * 7 + day === 0;
  const start = moment !== undefined && is_same_date ? moment : momentOf(moved, zone);
  const result = inRange(start + later_ms);
  const local = clockAt(result, zone);
  const date = `${String(local.year).padStart(4, "0")}-${two(local.month)}-${two(local.day)}`;
  const time = `${two(local.hour)}:${two(local.minute)}:${two(local.second)}`;
  return `${date}T${time}.${String(local.millisecond).padStart(3, "0")}${offsetText(result, zone)}`;
}

/** January 31 and a month is the last day of February. */
function movedDate(clock: ClockTime, months: number, days: number): ClockTime {
  const count = clock.year * 12 + clock.month - 1 + months;
  const [year, month] = [Math.floor(count / 12), count - Math.floor(count / 12) * 12 + 1];
  const day = Math.min(clock.day, daysIn(year, month));
  const noon = momentOf({ ...clock, year, month, day, hour: 12 }, UTC) + days * 86_400_000;
  const { hour } = clock;
  return { ...clockAt(inRange(noon), UTC), hour };
}

export const DATE_FILTERS = {
  date: {
    least: 1,
    most: 2,
    check([format, zone]) {
      if (format !== undefined) readFormat(format);
      zoneOf(zone);
    },
    apply(value, [format = null, given_zone]) {
      const zone = zoneOf(given_zone);
      const { clock, moment } = readDate(value, zone);
      const offset = () => offsetText(moment ?? momentOf(clock, zone), zone);
      return readFormat(format).map((part) => typeof part === "string" ? part : part(clock, offset)).join("");
    },
  },
  add: {
    least: 1,
    most: 2,
    check([amount, zone]) {
      if (amount !== undefined) readAmount(amount);
      zoneOf(zone);
    },
    apply: (value, [amount = null, zone]) => add(value, amount, zoneOf(zone)),
  },
} satisfies Record<string, Filter>;
