/** Clock times in time zones, by Intl. */

/** The time that a clock shows. Months count from 1. */
export interface ClockTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  millisecond: number;
}

/** Formatters by zone: making one takes longer than using it. There are 600 zones, and unknown ones are not kept. */
const FORMATTERS = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = FORMATTERS.get(zone);
  if (known) return known;
  const formatter = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    calendar: "iso8601",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  // Spellings differ in case, so there are more of them than zones.
  if (FORMATTERS.size >= 1_000) FORMATTERS.clear();
  FORMATTERS.set(zone, formatter);
  return formatter;
}

/** Names such as Europe/Warsaw, and UTC. Offsets such as +02:00 are no zones. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,59}$/.test(name)) return false;
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}

const DAY_MS = 86_400_000;

/** Date.UTC reads the years 0 to 99 as 1900 to 1999. */
function utcOf({ year, month, day, hour, minute, second, millisecond }: ClockTime): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, millisecond);
  return date.getTime();
}

const utcClock = (date: Date): ClockTime => ({
  year: date.getUTCFullYear(),
  month: date.getUTCMonth() + 1,
  day: date.getUTCDate(),
  hour: date.getUTCHours(),
  minute: date.getUTCMinutes(),
  second: date.getUTCSeconds(),
  millisecond: date.getUTCMilliseconds(),
});

/** Milliseconds by which clocks of the zone are ahead of UTC. */
function offsetAt(moment: number, zone: string): number {
  if (zone === "UTC") return 0;
  const parts = new Map(formatterOf(zone).formatToParts(moment).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type) ?? 0);
  const shown = utcOf({
    year: part("year"),
    month: part("month"),
    day: part("day"),
    hour: part("hour"),
    minute: part("minute"),
    second: part("second"),
    millisecond: 0,
  });
  return shown - Math.floor(moment / 1000) * 1000;
}

/** What a clock of the zone shows at a moment, in milliseconds since 1970. */
export const clockAt = (moment: number, zone: string): ClockTime => utcClock(new Date(moment + offsetAt(moment, zone)));

/**
 * The moment at which a clock of the zone shows this time. Of a time that occurs twice, the first; a time that is
 * skipped is as much later as the clocks were moved.
 */
export function momentOf(clock: ClockTime, zone: string): number {
  const utc = utcOf(clock);
  const [before, after] = [offsetAt(utc - DAY_MS, zone), offsetAt(utc + DAY_MS, zone)];
  if (before === after || offsetAt(utc - before, zone) === before) return utc - before;
  return offsetAt(utc - after, zone) === after ? utc - after : utc - before;
}

/** `+02:00` */
export function offsetText(moment: number, zone: string): string {
  const minutes = Math.round(offsetAt(moment, zone) / 60_000);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}

export const daysIn = (year: number, month: number): number => {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
};
