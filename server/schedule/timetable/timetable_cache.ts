/** Caches parsed expressions, the least recently used first out. Parsing takes as long as ten database queries. */
import { bounded } from "../../remembered.ts";
import { readExpression } from "./expression.ts";
import type { Timetable } from "./timetable.ts";

const MAX_ENTRIES = 2_000;

/** @throws {TimetableFault} */
export type ReadTimetable = (schedule: string, timezone: string) => Timetable;

export function createTimetableCache(): ReadTimetable {
  const timetables = bounded<string, Timetable>(MAX_ENTRIES);
  return (schedule, timezone) => {
    const key = `${timezone} ${schedule}`;
    const cached = timetables.get(key);
    if (cached) return cached;
    const timetable = readExpression(schedule, timezone);
    timetables.set(key, timetable);
    return timetable;
  };
}
