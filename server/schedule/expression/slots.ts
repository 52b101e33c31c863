/** What becomes of the slots that have come since a trigger was last claimed. Pure: the ledger's rows, without the SQL. */
import type { Expression } from "./expression.ts";
import type { Overlap, SlotState } from "../schedule.ts";

/** Slots of one trigger that get a row each at one claim; the older ones share one. Three hours of a minutely trigger. */
export const MOST_ROWS = 200;

/** `Deno.cron` wakes within milliseconds of a minute: what is older was not claimed in its own one. */
const ON_TIME_MS = 60_000;

export interface Row {
  due_at: Date;
  /** Of a row for several: the last one. */
  due_until: Date | null;
  slots: number;
  state: SlotState;
  reason: string | null;
}

/** Of the same for all triggers of an expression, a zone and a first slot. */
export interface Due {
  /** The newest, in order of time; at least one. */
  slots: readonly Date[];
  /** Those before them. */
  older: { from: Date; until: Date; count: number } | undefined;
  /** The first slot after now; undefined where none comes before the year 3000. */
  next: Date | undefined;
}

/** @param first the first slot that the ledger does not have, not after `now` */
export function dueSince(expression: Expression, first: Date, now: Date): Due {
  const [next] = expression.next(now, 1);
  const [second] = expression.next(first, 1);
  if (!second || second > now) return { slots: [first], older: undefined, next };
  const slots = expression.last(now, MOST_ROWS).filter((slot) => slot >= first);
  const [oldest = first] = slots;
  if (oldest <= first) return { slots, older: undefined, next };
  const until = new Date(oldest.getTime() - 1);
  const [before = first] = expression.last(until, 1);
  return { slots, older: { from: first, until: before, count: expression.count(first, before) }, next };
}

export interface Circumstances {
  overlap: Overlap;
  catch_up_s: number;
  /** A run of the trigger has not ended. */
  running: boolean;
  /** One waits for that. */
  waiting: boolean;
  /** Why its flow cannot be started. */
  obstacle: string | undefined;
}

/** In order of time. Of all slots only the latest may run: it is the last row. */
export function rowsOf({ slots, older }: Due, now: Date, how: Circumstances): Row[] {
  const window = `the catch-up window of ${duration(how.catch_up_s)}`;
  const age = (slot: Date) => now.getTime() - slot.getTime();
  const isOld = (slot: Date) => age(slot) > ON_TIME_MS && age(slot) > how.catch_up_s * 1_000;
  const missed = (slot: Date): Row =>
    one(
      slot,
      "missed",
      isOld(slot)
        ? `not started in time, and older than ${window}`
        : "not started in time; of several only the latest runs",
    );
  const rows = slots.map((slot, index): Row => {
    if (index < slots.length - 1 || isOld(slot)) return missed(slot);
    if (how.obstacle !== undefined) return one(slot, "skipped", how.obstacle);
    if (how.running && how.overlap === "skip") return one(slot, "skipped", "the run before has not ended");
    if (how.running && how.overlap === "queue") {
      return how.waiting ? one(slot, "skipped", "one already waits for the run before") : one(slot, "queued", WAITS);
    }
    return age(slot) < ON_TIME_MS
      ? one(slot, "ran", null)
      : one(slot, "late", `not started in time, but within ${window}`);
  });
  if (!older) return rows;
  const reason = `not started in time; ${older.count} in a row`;
  return [{ due_at: older.from, due_until: older.until, slots: older.count, state: "missed", reason }, ...rows];
}

export const WAITS = "waits for the run before";

const one = (due_at: Date, state: SlotState, reason: string | null): Row => ({
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
