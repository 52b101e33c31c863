/** Reads cron expressions. croner computes the times, daylight saving included. */
import { Cron } from "croner";
import { countTimes, walkTimes } from "./count.ts";
import { type Fields, readFields, written } from "./fields.ts";
import { timesAfterGaps } from "./midnight_gap.ts";
import { sentenceOf } from "./sentence.ts";
import { type Timetable, TimetableFault } from "./timetable.ts";
import { zoneOffsets } from "./zone.ts";

const MINUTE_MS = 60_000;

/** @throws {TimetableFault} */
export function readExpression(text: string, timezone: string): Timetable {
  const fields = readFields(text);
  const offsetAt = zoneOffsets(timezone);
  const cron = parsed(written(fields), timezone);
  if (!cron.nextRun(new Date(0))) throw new TimetableFault("schedule", "names a day that never comes");
  const afterGaps = isOnceADay(fields) ? timesAfterGaps(fields, offsetAt) : () => [];
  return {
    sentence: sentenceOf(fields),
    next(from, count) {
      const times = cron.nextRuns(count, from);
      const until = times.at(-1);
      if (!until) return times;
      return inOrder([...times, ...afterGaps(new Date(from.getTime() + 1), until)]).slice(0, count);
    },
    last(until, count) {
      const times = cron.previousRuns(count, new Date(until.getTime() + 1));
      const from = times.at(-1);
      return from ? inOrder([...times, ...afterGaps(from, until)]).slice(-count) : [];
    },
    count: (from, until) =>
      isOnceADay(fields)
        ? oneByOne(cron, from, until).length + afterGaps(from, until).length
        : countTimes(fields, offsetAt, from.getTime(), until.getTime()),
    between(from, until) {
      if (isOnceADay(fields)) {
        return inOrder([...oneByOne(cron, from, until), ...afterGaps(from, until)]).map((time) => time.getTime());
      }
      const times: number[] = [];
      const whole_minute = Math.ceil(from.getTime() / MINUTE_MS) * MINUTE_MS;
      walkTimes(fields, offsetAt, whole_minute, until.getTime(), (moment) => times.push(moment));
      return times;
    },
  };
}

const inOrder = (times: readonly Date[]) => times.toSorted((a, b) => a.getTime() - b.getTime());

function parsed(text: string, timezone: string): Cron {
  try {
    return new Cron(text, { timezone, mode: "5-part", paused: true });
  } catch {
    throw new TimetableFault("schedule", "is not a cron expression");
  }
}

/**
 * croner treats a single minute and hour as a fixed time, which comes once a day even if clocks change. `2-2` and `2,2` are
 * single values, too.
 */
const isOnceADay = ({ minute, hour }: Fields) =>
  [minute, hour].every(({ items, values }) => values.size === 1 && items.every(({ from, to }) => from === to));

function oneByOne(cron: Cron, from: Date, until: Date): Date[] {
  const times: Date[] = [];
  for (
    let next = cron.nextRun(new Date(from.getTime() - 1));
    next && next <= until;
    next = cron.nextRun(next)
  ) times.push(next);
  return times;
}
