/** Listeners for changes of an account's runs in this process. */
export interface Watchers {
  /** @returns stops the listener */
  watch(account_id: number, listener: () => void): () => void;
  /** Calls the listeners of an account: one of its runs has begun, advanced or ended. */
  notify(account_id: number): void;
}

export function createWatchers(): Watchers {
  const listeners = new Map<number, Set<() => void>>();
  return {
    notify: (account_id) => listeners.get(account_id)?.forEach((listener) => listener()),
    watch(account_id, listener) {
      const known = listeners.get(account_id) ?? new Set();
      listeners.set(account_id, known.add(listener));
      return () => {
        known.delete(listener);
        if (known.size === 0) listeners.delete(account_id);
      };
    },
  };
}
