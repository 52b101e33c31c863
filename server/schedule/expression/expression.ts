/** Expressions in their zones: when they come, and how often between two moments. croner does the daylight saving. */
import { Cron } from "croner";
import { type Fields, readFields, written } from "./fields.ts";
import { type Timetable, TimetableFault } from "../schedule.ts";
import { sentenceOf } from "./sentence.ts";

export interface Expression extends Timetable {
  /** The last `count` moments up to `until`, itself among them, in order of time. */
  last(until: Date, count: number): Date[];
  /** How many moments there are from one to the other, both counted. */
  count(from: Date, until: Date): number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Zones change their clocks at a quarter of an hour. */
const QUARTER_MS = 900_000;

const ZONE = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/** @throws {TimetableFault} */
export function readExpression(text: string, timezone: string): Expression {
  const fields = readFields(text);
  const offsetAt = offsets(timezone);
  const cron = parsed(written(fields), timezone);
  if (!cron.nextRun(new Date(0))) throw new TimetableFault("schedule", "names a day that never comes");
  const last = (until: Date, count: number) => cron.previousRuns(count, new Date(until.getTime() + 1)).toReversed();
  return {
    sentence: sentenceOf(fields),
    next: (from, count) => cron.nextRuns(count, from),
    last,
    count(from, until) {
      if (isOnceADay(fields)) return countOneByOne(cron, from, until);
      return countMinutes(fields, offsetAt, from.getTime(), until.getTime());
    },
  };
}

function parsed(text: string, timezone: string): Cron {
  try {
    return new Cron(text, { timezone, mode: "5-part", paused: true });
  } catch {
    throw new TimetableFault("schedule", "is not a cron expression");
  }
}

/** @returns minutes that the zone is ahead of UTC at a moment. @throws {TimetableFault} */
function offsets(timezone: string): (moment: number) => number {
  if (timezone.length > 100 || !ZONE.test(timezone)) throw unknownZone();
  try {
    const format = new Intl.DateTimeFormat("en", { timeZone: timezone, timeZoneName: "longOffset" });
    return (moment) => {
      const name = format.formatToParts(moment).find(({ type }) => type === "timeZoneName")?.value ?? "";
      const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
      return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
    };
  } catch {
    throw unknownZone();
  }
}

const unknownZone = () => new TimetableFault("timezone", "is not the name of a time zone, such as Europe/Warsaw");

/** What croner calls a fixed time: it comes once a day, whatever the zone's clock does. */
const isOnceADay = ({ minute, hour }: Fields) =>
  [minute, hour].every(({ items: [item, ...others] }) => item && item.from === item.to && others.length === 0);

function countOneByOne(cron: Cron, from: Date, until: Date): number {
  let count = 0;
  for (
    let next = cron.nextRun(new Date(from.getTime() - 1));
    next && next <= until;
    next = cron.nextRun(next)
  ) count++;
  return count;
}

/** By the minutes that the zone's clock shows, which is a hundred times as quick as one by one. */
function countMinutes(fields: Fields, offsetAt: (moment: number) => number, from: number, until: number): number {
  let count = 0;
  for (let start = from, length = DAY_MS; start <= until; start += length) {
    const offset = offsetAt(start);
    length = DAY_MS;
    if (offsetAt(Math.min(start + DAY_MS, until)) !== offset) length = QUARTER_MS - start % QUARTER_MS;
    const end = Math.min(start + length, until + 1);
    for (let moment = start; moment < end; moment += MINUTE_MS) {
      if (holds(fields, new Date(moment + offset * MINUTE_MS))) count++;
    }
  }
  return count;
}

/** @param shown what the zone's clock shows, as if it were UTC */
function holds({ minute, hour, day, month, weekday }: Fields, shown: Date): boolean {
  if (!minute.values.has(shown.getUTCMinutes()) || !hour.values.has(shown.getUTCHours())) return false;
  if (!month.values.has(shown.getUTCMonth() + 1)) return false;
  const by_day = day.values.has(shown.getUTCDate());
  const by_weekday = weekday.values.has(shown.getUTCDay());
  return day.every || weekday.every ? by_day && by_weekday : by_day || by_weekday;
}
