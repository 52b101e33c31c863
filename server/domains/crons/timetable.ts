/** Timetables of triggers in requests and responses. */
import type { Context } from "../../context.ts";
import { Json } from "../../database/json.ts";
import { type Fields, invalid } from "../../errors.ts";
import { type Timetable, TimetableFault } from "../../schedule/schedule.ts";
import type { Cron, ListedCron } from "./schema.ts";

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
  const next = cron.active && cron.schedule !== null
    ? schedules.read(cron.schedule, cron.timezone).next(clock.now(), NEXT_TIMES)
    : [];
  const next_times = next.map((time) => time.toISOString().replace("Z", "+00:00"));
  return new Json(JSON.stringify({ ...cron, webhook_url, next_times }));
}
