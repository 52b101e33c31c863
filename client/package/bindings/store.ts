/** A value that components watch. It is alive while somebody watches it. */
export interface Store<State> {
  get(): State;
  /** Replaces the named parts by new ones. */
  set(parts: Partial<State>): void;
  /** @returns a function that ends the subscription */
  subscribe(changed: () => void): () => void;
}

/** @param open is called for the first subscriber. What it returns is called after the last one has left */
export function createStore<State extends object>(first: State, open: () => () => void): Store<State> {
  let state = first;
  let close: (() => void) | undefined;
  const watching = new Set<() => void>();
  return {
    get: () => state,
    set(parts) {
      state = { ...state, ...parts };
      for (const changed of [...watching]) changed();
    },
    subscribe(changed) {
      // Each subscription is one of its own, although the function may be the same.
      const own = () => changed();
      watching.add(own);
      close ??= open();
      return () => {
        if (!watching.delete(own) || watching.size > 0) return;
        close?.();
        close = undefined;
      };
    },
  };
}
