/** Decides what a claim writes for one due trigger: its ledger rows and its next state. Pure: no SQL. */
import { v7 } from "uuid";
import { pausedReason } from "../ledger/reasons.ts";
import type { ReadTimetable } from "../timetable/timetable_cache.ts";
import { TimetableFault } from "../timetable/timetable.ts";
import type { DueTrigger } from "./circumstances.ts";
import { type DueTimes, dueTimesSince, entriesOf, type LedgerEntry } from "./due_times.ts";

/** A trigger's columns after the claim. */
export interface NextState {
  id: number;
  next_run_at: Date | null;
  failures: number;
  paused_reason: string | null;
  /** Of the run that is about to start; null leaves the trigger's last run. */
  run_id: string | null;
  /** The flow could not be started. */
  skipped: boolean;
}

export interface NewLedgerRow extends LedgerEntry {
  cron_id: number;
  account_id: number;
  /** The id of the run, which exists only once it is started. */
  flow_process_id: string | null;
}

export interface Decision {
  next: NextState;
  rows: NewLedgerRow[];
}

/** Due times by expression, time zone and first due time, computed once for all triggers that share these. */
export type DueTimesCache = Map<string, DueTimes>;

export function decide(trigger: DueTrigger, now: Date, read: ReadTimetable, cache: DueTimesCache): Decision {
  let due: DueTimes;
  try {
    due = dueTimesOf(trigger, now, read, cache);
  } catch (error) {
    // The expression was valid when it was saved, so this machine does not know the time zone.
    if (error instanceof TimetableFault) return unreadable(trigger, `${error.field} ${error.message}`);
    throw error;
  }
  const { paused_reason, failures, catch_up: catch_up_s } = trigger;
  const obstacle = paused_reason ?? flowObstacle(trigger);
  const rows = entriesOf(due, now, { ...trigger, catch_up_s, obstacle }).map((entry) => rowOf(trigger, entry));
  if (paused_reason !== null) return { next: paused(trigger, paused_reason), rows };
  const last = rows.at(-1);
  // A missing flow is a failure; a deactivated one is not, because its author knows of it.
  const failed = trigger.flow_active === null && last?.state === "skipped";
  const next: NextState = {
    id: trigger.id,
    next_run_at: due.next ?? null,
    failures: failures + (failed ? 1 : 0),
    paused_reason: null,
    run_id: last?.state === "ran" || last?.state === "late" ? last.flow_process_id : null,
    skipped: obstacle !== undefined && last?.state === "skipped",
  };
  const is_over = failed && trigger.max_failures !== null && next.failures >= trigger.max_failures;
  return { next: is_over ? { ...next, paused_reason: pausedReason(next.failures, last?.reason ?? "") } : next, rows };
}

const paused = ({ id, failures }: DueTrigger, paused_reason: string): NextState => ({
  id,
  next_run_at: null,
  failures,
  paused_reason,
  run_id: null,
  skipped: false,
});

function unreadable(trigger: DueTrigger, reason: string): Decision {
  const due_at = new Date(trigger.next_run_at);
  const entry: LedgerEntry = { due_at, due_until: null, slots: 1, state: "skipped", reason };
  return { next: paused(trigger, reason), rows: [rowOf(trigger, entry)] };
}

const rowOf = ({ id, account_id }: DueTrigger, entry: LedgerEntry): NewLedgerRow => ({
  ...entry,
  cron_id: id,
  account_id,
  flow_process_id: ["ran", "late", "queued"].includes(entry.state) ? v7() : null,
});

function dueTimesOf(
  { schedule, timezone, next_run_at }: DueTrigger,
  now: Date,
  read: ReadTimetable,
  cache: DueTimesCache,
): DueTimes {
  const key = `${next_run_at} ${timezone} ${schedule}`;
  const cached = cache.get(key);
  if (cached) return cached;
  const due = dueTimesSince(read(schedule, timezone), new Date(next_run_at), now);
  cache.set(key, due);
  return due;
}

/** Why a trigger cannot start its flow. */
export function flowObstacle(
  { flow_active, target_code }: Pick<DueTrigger, "flow_active" | "target_code">,
): string | undefined {
  if (flow_active === null) return `there is no flow ${target_code}`;
  return flow_active ? undefined : `the flow ${target_code} is not active`;
}
