/** Hours, days and months as a time zone's clocks and calendars show them. */
import { zoneOffsets } from "./zone.ts";

export const PERIODS = ["hour", "day", "month"] as const;
export type Period = (typeof PERIODS)[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * The starts of the latest periods, the present one included, and the end of that one.
 *
 * @returns one moment more than `count`, in milliseconds since 1970
 * @throws {TimetableFault} if this machine does not know the zone
 */
export function latestPeriods(by: Period, timezone: string, now: Date, count: number): number[] {
  const offsetAt = zoneOffsets(timezone);
  const local = now.getTime() + offsetAt(now.getTime()) * MINUTE_MS;
  if (by === "hour") {
    const start = now.getTime() - local % HOUR_MS;
    return Array.from({ length: count + 1 }, (_, n) => start + (n - count + 1) * HOUR_MS);
  }
  const date = new Date(local);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return Array.from({ length: count + 1 }, (_, n) => {
    const back = count - 1 - n;
    const midnight = by === "day" ? Date.UTC(year, month, day - back) : Date.UTC(year, month - back, 1);
    return momentOf(midnight, offsetAt);
  });
}

/**
 * The moment at which clocks show a local time. A time that is skipped becomes one after the gap, at most an hour later.
 *
 * @param local as if it were UTC
 */
function momentOf(local: number, offsetAt: (moment: number) => number): number {
  const guess = local - offsetAt(local) * MINUTE_MS;
  return local - offsetAt(guess) * MINUTE_MS;
}
