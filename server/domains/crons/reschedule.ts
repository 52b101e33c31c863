/** What a change of a trigger means for its due times. */
import type { Context } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { insertSkipped } from "../../schedule/schedule.ts";
import type { Values, WrittenCron } from "./queries.ts";
import type { CronChanges } from "./schema.ts";
import { readTimetable } from "./timetable.ts";

const REASON = "the trigger was changed before the run started";

/**
 * The columns that follow from a change. Due times that are open and will not be claimed any more are written to the
 * ledger as skipped.
 *
 * @param cron as it was before the change, locked
 * @param resumed the change is a resume: failures start at zero even if the trigger is active
 */
export async function reschedule(
  ctx: Context,
  tx: Sql,
  cron: WrittenCron,
  changes: CronChanges,
  resumed: boolean,
  now: Date,
): Promise<Values> {
  const { schedule = cron.schedule, timezone = cron.timezone, active = cron.active } = changes;
  const activated = active && !cron.active;
  const anew = {
    ...(activated || resumed) && { failures: 0 },
    // A trigger that a person stops is no longer one that failures have paused: deliveries that wait are then skipped.
    ...(activated || resumed || changes.active === false) && { paused_reason: null },
  };
  // An event has no due time.
  if (schedule === null || cron.schedule === null) return anew;
  const timetable = readTimetable(ctx, schedule, timezone);
  const is_new = schedule !== cron.schedule || timezone !== cron.timezone;
  const drops_due_times = cron.active && (is_new || !active);
  if (drops_due_times && cron.next_run_at !== null && new Date(cron.next_run_at) <= now) {
    await insertSkipped(tx, skippedTimes(ctx, cron, cron.schedule, new Date(cron.next_run_at), now));
  }
  return {
    sentence: timetable.sentence,
    ...(active && (is_new || activated) && { next_run_at: timetable.next(now, 1)[0] }),
    ...(!active && { next_run_at: null }),
    ...anew,
  };
}

/** Usually one due time; several if no process was running. */
function skippedTimes(ctx: Context, cron: WrittenCron, schedule: string, first: Date, now: Date) {
  const timetable = readTimetable(ctx, schedule, cron.timezone);
  const slots = Math.max(1, timetable.count(first, now));
  return {
    account_id: ctx.viewer.account_id,
    cron_id: cron.id,
    due_at: first,
    due_until: slots > 1 ? timetable.last(now, 1)[0] ?? null : null,
    slots,
    reason: REASON,
  };
}
