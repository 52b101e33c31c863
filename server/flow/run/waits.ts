/** Callers that wait for the end of a run, with a timeout. A shutdown ends every wait. */
import { setDeadline } from "../../fairness/deadlines.ts";
import { createLine } from "../../fairness/in_flight.ts";

export interface Waits {
  /** @returns the promise's value; null at the timeout, and when waits are ended */
  within<T>(promise: Promise<T>, ms: number): Promise<T | null>;
  /** Aborted by `end`. */
  readonly ended: AbortSignal;
  end(): void;
}

export function createWaits(): Waits {
  const over = new AbortController();
  // Removing one of thousands of listeners from a signal would search a list.
  const waiting = createLine<() => void>();
  return {
    ended: over.signal,
    async within(promise, ms) {
      if (over.signal.aborted || ms <= 0) return await Promise.race([promise, null]);
      const end = Promise.withResolvers<null>();
      const stop = () => end.resolve(null);
      const takeBack = setDeadline(ms, stop);
      const leave = waiting.add(stop);
      try {
        return await Promise.race([promise, end.promise]);
      } finally {
        takeBack();
        leave();
      }
    },
    end() {
      over.abort();
      for (const stop of waiting.items()) stop();
    },
  };
}
