/** Those who wait for the ends of runs. A stop lets them all go. */
export interface Waits {
  /** What it gives; null where the time is over, or the waiting, before. */
  within<T>(promise: Promise<T>, ms: number): Promise<T | null>;
  /** Aborted by `end`. */
  readonly ended: AbortSignal;
  end(): void;
}

export function createWaits(): Waits {
  const over = new AbortController();
  // Not the signal's listeners, which are a list: there may be thousands who wait.
  const waiting = new Set<() => void>();
  return {
    ended: over.signal,
    async within(promise, ms) {
      if (over.signal.aborted || ms <= 0) return await Promise.race([promise, null]);
      const end = Promise.withResolvers<null>();
      const stop = () => end.resolve(null);
      const timer = setTimeout(stop, ms);
      waiting.add(stop);
      try {
        return await Promise.race([promise, end.promise]);
      } finally {
        clearTimeout(timer);
        waiting.delete(stop);
      }
    },
    end() {
      over.abort();
      for (const stop of waiting) stop();
    },
  };
}
