/**
 * What the rest of the server knows of scheduled triggers.
 *
 * A **trigger** (the API's cron) starts a flow at the moments that its expression names in its zone. Such a moment is a
 * **slot**. `Deno.cron` only ticks; PostgreSQL decides what is due, and the **ledger** (`cron_runs`) accounts for every
 * slot, whether a run came of it or not.
 */

/** What becomes of a slot while the run before still goes on. `queue`: one waits, the others are skipped. */
export const OVERLAPS = ["skip", "allow", "queue"] as const;
export type Overlap = (typeof OVERLAPS)[number];

/**
 * What became of a slot. `ran`: started within a minute. `late`: started after that. `queued`: waits for the run before,
 * then becomes `late`. `skipped`: somebody was there and did not start it. `missed`: nobody was there in time.
 */
export const SLOT_STATES = ["ran", "late", "queued", "skipped", "missed"] as const;
export type SlotState = (typeof SLOT_STATES)[number];

/** Of a run that has ended. */
export const OUTCOMES = ["finished", "error", "cancelled"] as const;
export type RunOutcome = (typeof OUTCOMES)[number];

export const CATCH_UP_S = 3_600;
export const MAX_FAILURES = 10;

/** An expression in its zone. */
export interface Timetable {
  /** In words, in English, by 24 hours. */
  sentence: string;
  /** The next moments after `from`; fewer where there are no more before the year 3000. */
  next(from: Date, count: number): Date[];
  /** The latest until a moment, in order of time. */
  last(until: Date, count: number): Date[];
  /** How many from the one to the other, both included. */
  count(from: Date, until: Date): number;
}

/** What is wrong with an expression or a zone, as a 422 says it. */
export class TimetableFault extends Error {
  override name = "TimetableFault";
  constructor(readonly field: "schedule" | "timezone", message: string) {
    super(message);
  }
}

export interface Firing {
  account_id: number;
  cron_id: number;
  target_code: string;
}

/** What one tick did, for the log. */
export interface Ticked {
  /** Triggers that were due. */
  claimed: number;
  /** Runs that the engine has for good. */
  started: number;
  /** Runs whose end was noted. */
  settled: number;
}

export interface Schedules {
  /** @throws {TimetableFault} */
  read(expression: string, timezone: string): Timetable;
  /**
   * Starts a trigger's flow at once, whatever else is going on, and notes it in the ledger.
   *
   * @throws {Refusal} 422 on `flow_code` where there is no active flow of that code; 503 where too many wait; the ledger
   * has either as skipped
   */
  fire(firing: Firing): Promise<{ id: string }>;
  /** A run of the trigger has ended: how it did is counted in a moment. */
  noteEnd(cron_id: number): void;
  /** What is due. In one process one after the other: a call while one is at work is one more round after it. */
  tick(): Promise<Ticked>;
  /** Takes old rows out of the ledger. Once a minute. */
  sweep(): Promise<void>;
  /** Lets a tick end early: what it leaves, others do. */
  close(): Promise<void>;
}
