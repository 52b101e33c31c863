/** Who wants to know when an account's runs begin, come on or end in this process. */
export interface Watchers {
  /** @returns ends it */
  watch(account_id: number, listener: () => void): () => void;
  tell(account_id: number): void;
}

export function createWatchers(): Watchers {
  const listeners = new Map<number, Set<() => void>>();
  return {
    tell: (account_id) => listeners.get(account_id)?.forEach((listener) => listener()),
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
