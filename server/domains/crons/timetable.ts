/** Timetables of triggers in requests and responses. */
import type { Context } from "../../context.ts";
import { Json } from "../../database/json.ts";
import { type Fields, invalid } from "../../errors.ts";
import { type Timetable, TimetableFault } from "../../schedule/schedule.ts";
import { isoOf } from "../../database/iso_time.ts";
import type { Cron, ListedCron, ReadSchedule, ScheduleQuery } from "./schema.ts";

const NEXT_TIMES = 5;

/** @throws {Refusal} 422 */
export function readTimetable({ schedules }: Context, schedule: string, timezone: string): Timetable {
  try {
    return schedules.read(schedule, timezone);
  } catch (error) {
    if (error instanceof TimetableFault) throw invalid({ [error.field]: [error.message] });
    throw error;
  }
}

/** The faults of both, each on its own. */
export const timetableFaults = ({ schedules }: Context, schedule: string, timezone: string): Fields => ({
  ...faultIn(() => schedules.read(schedule, "UTC")),
  ...faultIn(() => schedules.read("* * * * *", timezone)),
});

function faultIn(read: () => Timetable): Fields {
  try {
    read();
    return {};
  } catch (error) {
    if (error instanceof TimetableFault) return { [error.field]: [error.message] };
    throw error;
  }
}

/** Adds the next times of an active trigger. */
export function withNextTimes({ schedules, clock }: Context, cron: ListedCron, webhook_url: string | null): Json<Cron> {
  const next_times = nextTimes({ schedules, clock }, cron);
  return new Json(JSON.stringify({ ...cron, webhook_url, next_times }));
}

/** Of an active trigger. */
export const nextTimes = (
  { schedules, clock }: Pick<Context, "schedules" | "clock">,
  { active, schedule, timezone }: Pick<ListedCron, "active" | "schedule" | "timezone">,
): string[] =>
  active && schedule !== null
    ? schedules.read(schedule, timezone).next(clock.now(), NEXT_TIMES).map((time) => isoOf(time.getTime()))
    : [];

const QUARTER_MS = 900_000;
const QUARTERS = 96;

/** The due times of an active trigger in each quarter of an hour of the next 24 hours, the first of which starts now. */
export function dayAhead(
  { schedules, clock }: Pick<Context, "schedules" | "clock">,
  { active, schedule, timezone }: Pick<ListedCron, "active" | "schedule" | "timezone">,
): number[] {
  if (!active || schedule === null) return [];
  // A time that is due at this moment has been claimed or is about to be.
  const from = clock.now().getTime() + 1;
  const counts = new Array<number>(QUARTERS).fill(0);
  const until = new Date(from + QUARTERS * QUARTER_MS - 1);
  for (const time of schedules.read(schedule, timezone).between(new Date(from), until)) {
    const quarter = Math.floor((time - from) / QUARTER_MS);
    counts[quarter] = (counts[quarter] ?? 0) + 1;
  }
  return counts;
}

/** @throws {Refusal} 422 */
export function readSchedule(ctx: Context, { schedule, timezone, count, from }: ScheduleQuery): ReadSchedule {
  const faults = timetableFaults(ctx, schedule, timezone);
  if (Object.keys(faults).length > 0) throw invalid(faults);
  const timetable = readTimetable(ctx, schedule, timezone);
  const next = timetable.next(from === undefined ? ctx.clock.now() : new Date(from), count);
  return { sentence: timetable.sentence, next_times: next.map((time) => isoOf(time.getTime())) };
}
