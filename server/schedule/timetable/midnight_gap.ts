/**
 * Gaps of daylight saving that end at midnight, such as 23:00 to 24:00 in America/Nuuk. croner leaves out a fixed time in
 * such a gap, because the first minute after it belongs to the next day.
 */
import { matches } from "./count.ts";
import type { Fields } from "./fields.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Gaps are an hour long, and rarely two. */
const FIRST_HOUR = 22;

/**
 * @param offsetAt minutes that the zone is ahead of UTC
 * @returns the first moments after gaps that contain the fixed time of the expression, between two moments, both included
 */
export function timesAfterGaps(fields: Fields, offsetAt: (moment: number) => number) {
  const [hour = 0] = fields.hour.values;
  const [minute = 0] = fields.minute.values;
  const years = new Map<number, number[]>();

  function timesOf(year: number): number[] {
    const known = years.get(year);
    if (known) return known;
    const times: number[] = [];
    for (let day = Date.UTC(year, 0, 1); day < Date.UTC(year + 1, 0, 1); day += DAY_MS) {
      const [before, after] = [offsetAt(day), offsetAt(day + DAY_MS)];
      if (after <= before) continue;
      const end = transition(day, before);
      const local_end = end + after * MINUTE_MS;
      const local = local_end - DAY_MS + (hour * 60 + minute) * MINUTE_MS;
      const is_skipped = local_end % DAY_MS === 0 && local >= end + before * MINUTE_MS;
      if (is_skipped && matches(fields, new Date(local))) times.push(end);
    }
    years.set(year, times);
    return times;
  }

  /** The first minute of a day in UTC with another offset. */
  function transition(day: number, before: number): number {
    let [low, high] = [0, DAY_MS / MINUTE_MS];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (offsetAt(day + middle * MINUTE_MS) === before) low = middle + 1;
      else high = middle;
    }
    return day + low * MINUTE_MS;
  }

  return (from: Date, until: Date): Date[] => {
    if (hour < FIRST_HOUR) return [];
    const times: number[] = [];
    for (let year = from.getUTCFullYear(); year <= until.getUTCFullYear(); year++) times.push(...timesOf(year));
    return times.filter((time) => time >= from.getTime() && time <= until.getTime()).map((time) => new Date(time));
  };
}
