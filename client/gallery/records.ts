/** Records of examples, which depend on the day on which they are loaded. */

export type Row = Record<string, unknown>;

/**
 * The records of each database, by its code, the oldest first. A function is given the ids of the databases before it,
 * in the order of their records.
 */
export type Records = (
  today: Date,
) => Record<string, readonly Row[] | ((ids: Record<string, readonly string[]>) => readonly Row[])>;

/** @returns the UTC day, such as `2026-11-24` */
export const dayAfter = (today: Date, days: number): string =>
  new Date(today.getTime() + days * 86_400_000).toISOString().slice(0, 10);
