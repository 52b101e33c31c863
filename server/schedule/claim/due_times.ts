/** Decides what happens to the due times of one trigger since its last claim. Pure: no SQL. */
import type { LedgerState, Overlap } from "../ledger/states.ts";
import { WAITS } from "../ledger/reasons.ts";
import type { Timetable } from "../timetable/timetable.ts";

/**
 * Due times of one trigger that get a ledger row each in one claim; all older ones share one row. For a trigger that
 * runs every minute these are more than three hours.
 */
export const MAX_ROWS = 200;

/** `Deno.cron` fires within milliseconds of a minute, so an older due time was not claimed in its own minute. */
const ON_TIME_MS = 60_000;

/** A ledger row to be written. */
export interface LedgerEntry {
  due_at: Date;
  /** The last due time of a row for several; otherwise null. */
  due_until: Date | null;
  /** How many due times the row stands for. */
  slots: number;
  state: LedgerState;
  reason: string | null;
}

/** The same for all triggers with the same expression, time zone and first due time. */
export interface DueTimes {
  /** The newest ones in order; at least one. */
  recent: readonly Date[];
  /** All before them. */
  older: { from: Date; until: Date; count: number } | undefined;
  /** The first one after now; undefined if there is none before the year 3000. */
  next: Date | undefined;
}

/** @param first the first due time that the ledger does not contain; not after `now` */
export function dueTimesSince(timetable: Timetable, first: Date, now: Date): DueTimes {
  const [next] = timetable.next(now, 1);
  const [second] = timetable.next(first, 1);
  if (!second || second > now) return { recent: [first], older: undefined, next };
  const recent = timetable.last(now, MAX_ROWS).filter((time) => time >= first);
  const [oldest = first] = recent;
  if (oldest <= first) return { recent, older: undefined, next };
  const until = new Date(oldest.getTime() - 1);
  const [before = first] = timetable.last(until, 1);
  return { recent, older: { from: first, until: before, count: timetable.count(first, before) }, next };
}

export interface Circumstances {
  overlap: Overlap;
  catch_up_s: number;
  /** A run of the trigger has not ended. */
  running: boolean;
  /** A due time of the trigger is `queued`. */
  waiting: boolean;
  /** The reason why its flow cannot be started. */
  obstacle: string | undefined;
}

/** @returns rows in order of time. Only the latest due time may be started, and it is the last row */
export function entriesOf({ recent, older }: DueTimes, now: Date, circumstances: Circumstances): LedgerEntry[] {
  const rows = recent.map((time, index) =>
    index < recent.length - 1 || isExpired(time, now, circumstances)
      ? missed(time, now, circumstances)
      : latest(time, now, circumstances)
  );
  if (!older) return rows;
  const reason = `not started in time; ${older.count} in a row`;
  return [{ due_at: older.from, due_until: older.until, slots: older.count, state: "missed", reason }, ...rows];
}

const ageOf = (time: Date, now: Date) => now.getTime() - time.getTime();

function isExpired(time: Date, now: Date, { catch_up_s }: Circumstances): boolean {
  const age = ageOf(time, now);
  return age >= ON_TIME_MS && age > catch_up_s * 1_000;
}

const windowOf = ({ catch_up_s }: Circumstances) => `the catch-up window of ${duration(catch_up_s)}`;

const missed = (time: Date, now: Date, circumstances: Circumstances): LedgerEntry =>
  entry(
    time,
    "missed",
    isExpired(time, now, circumstances)
      ? `not started in time, and older than ${windowOf(circumstances)}`
      : "not started in time; of several only the latest runs",
  );

function latest(time: Date, now: Date, circumstances: Circumstances): LedgerEntry {
  const { obstacle, running, waiting, overlap } = circumstances;
  if (obstacle !== undefined) return entry(time, "skipped", obstacle);
  if (running && overlap === "skip") return entry(time, "skipped", "the run before has not ended");
  if (running && overlap === "queue") {
    return waiting ? entry(time, "skipped", "one already waits for the run before") : entry(time, "queued", WAITS);
  }
  return ageOf(time, now) < ON_TIME_MS
    ? entry(time, "ran", null)
    : entry(time, "late", `not started in time, but within ${windowOf(circumstances)}`);
}

const entry = (due_at: Date, state: LedgerState, reason: string | null): LedgerEntry => ({
  due_at,
  due_until: null,
  slots: 1,
  state,
  reason,
});

/** `90 seconds`, `60 minutes`. */
function duration(seconds: number): string {
  const [count, unit] = seconds % 60 === 0 && seconds > 0 ? [seconds / 60, "minute"] : [seconds, "second"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
