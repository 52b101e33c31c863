/**
 * Waits for the server's own stores. A fault of PostgreSQL or of Deno KV is never the fault of a step or a run: what
 * failed is repeated until it succeeds, the time of the run is over, or a peer has taken the run.
 */
import { isOutage } from "../../../database/pg_errors.ts";
import { Interrupted, pause, RunFault } from "./interruption.ts";

/** Waits between attempts. The last one repeats. */
const PAUSES_MS = [50, 100, 300, 1_000, 2_000];

export interface Patience {
  /** Ends the waiting: aborted with a `RunFault` or an `Interrupted`. */
  signal: AbortSignal;
  /** Called before the first wait. */
  waits(error: unknown): void;
  /** Executes work that only waits, without a slot. */
  idle<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * For work that may also fail for other reasons.
 *
 * @throws the error of the work, unless a store of the server was unavailable; also the signal's reason
 */
export const untilAvailable = <T>(patience: Patience, work: () => Promise<T>): Promise<T> =>
  repeat(patience, work, isOutage);

/**
 * For reads and writes of the engine's own stores, which have no other reason to fail.
 *
 * @throws {RunFault | Interrupted}
 */
export const untilStored = <T>(patience: Patience, work: () => Promise<T>): Promise<T> =>
  repeat(patience, work, (error) => !(error instanceof RunFault || error instanceof Interrupted));

/** Repeats work as long as it fails for a passing reason. @throws its other errors, and the signal's reason */
export async function repeat<T>(
  { signal, waits, idle }: Patience,
  work: () => Promise<T>,
  isPassing: (error: unknown) => boolean,
): Promise<T> {
  for (let attempt = 0;; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (attempt === 0) waits(error);
    }
    await idle(() => pause(PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] ?? 0, signal));
  }
}
