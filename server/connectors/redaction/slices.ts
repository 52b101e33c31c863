/** Runs long computations in slices, so that the event loop can do other work between them. */

/** A computation that yields after every few thousand characters. */
export type Sliced<Result> = Generator<void, Result>;

export interface Pace {
  /** Milliseconds. */
  now(): number;
  /** Resolves after other work has had its turn. */
  pause(): Promise<void>;
}

export const EVENT_LOOP: Pace = {
  now: () => performance.now(),
  pause: () => new Promise((resolve) => setTimeout(resolve, 0)),
};

/** Characters between two yields: well below a millisecond of work. */
export const SLICE = 8 * 1024;

/** How long the event loop waits for a computation. */
const SLICE_MS = 10;

/** @throws the signal's reason, if that aborts during a pause */
export async function inSlices<Result>(work: Sliced<Result>, { now, pause }: Pace, signal?: AbortSignal) {
  for (let since = now();;) {
    const { done, value } = work.next();
    if (done) return value;
    if (now() - since < SLICE_MS) continue;
    await pause();
    signal?.throwIfAborted();
    since = now();
  }
}

/** For short inputs. */
export function atOnce<Result>(work: Sliced<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
