/** What was used last, within a number of bytes. */
export interface Recent<Value> {
  get(key: string): Value | undefined;
  /** Keeps nothing that alone is beyond the limit. */
  set(key: string, value: Value, bytes: number): void;
}

export function createRecent<Value>(limit_bytes: number): Recent<Value> {
  // A Map iterates in the order of insertion, so the first key is the one unused for longest.
  const kept = new Map<string, { value: Value; bytes: number }>();
  let held = 0;

  function drop(key: string) {
    held -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  }

  return {
    get(key) {
      const entry = kept.get(key);
      if (!entry) return undefined;
      kept.delete(key);
      kept.set(key, entry);
      return entry.value;
    },
    set(key, value, bytes) {
      drop(key);
      if (bytes > limit_bytes) return;
      kept.set(key, { value, bytes });
      held += bytes;
      for (const oldest of kept.keys()) {
        if (held <= limit_bytes) break;
        drop(oldest);
      }
    },
  };
}
