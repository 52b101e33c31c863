/** The latest runs of a flow as bars, and how long they take. */
import type { Run } from "./runs.ts";

export interface Durations {
  middle: number;
  /** One run in twenty takes longer. */
  high: number;
}

/** Of the runs that have finished; undefined if there are fewer than five. */
export function durationsOf(runs: readonly Pick<Run, "status" | "ms">[]): Durations | undefined {
  const sorted = runs.flatMap(({ status, ms }) => (status === "finished" && ms !== null ? [ms] : []))
    .toSorted((a, b) => a - b);
  if (sorted.length < 5) return undefined;
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return { middle: at(0.5), high: at(0.95) };
}

/** The height of a run's bar in percent: by its duration, on a scale whose top is the longest run. */
export const heightOf = (ms: number | null, longest: number): number =>
  Math.max(12, Math.round((100 * Math.sqrt(ms ?? 0)) / Math.sqrt(Math.max(1, longest))));
