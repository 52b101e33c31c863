/** A cron expression in its time zone. */
export interface Timetable {
  /** The expression in English, with 24-hour times. */
  sentence: string;
  /** The next times after `from`, in order; fewer if there are no more before the year 3000. */
  next(from: Date, count: number): Date[];
  /** The latest times up to and including `until`, in order. */
  last(until: Date, count: number): Date[];
  /** Counts the times between two moments, both included. */
  count(from: Date, until: Date): number;
  /** The times between two moments, both included, in milliseconds since 1970 and in order. */
  between(from: Date, until: Date): number[];
}

/** An invalid expression or time zone. The message fits a 422 on `field`. */
export class TimetableFault extends Error {
  override name = "TimetableFault";
  constructor(readonly field: "schedule" | "timezone", message: string) {
    super(message);
  }
}
