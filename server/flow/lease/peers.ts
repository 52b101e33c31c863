/**
 * What this process knows of the others. It goes by its own clock, which nobody sets, and by whether there is another
 * word of them: two clocks that differ, or one that jumps, declare nobody dead.
 */
import type { RunStore } from "../storage/run_store.ts";

export interface Others {
  /**
   * Declares dead of whom nothing has been heard for a lease.
   *
   * @param own this process's name
   * @returns in how many milliseconds the next may be found silent; undefined where nobody else is known
   */
  bury(own: string): Promise<number | undefined>;
  /** Whether it has not been declared dead, by whomever. */
  isStanding(name: string): Promise<boolean>;
}

type Names = Pick<RunStore, "listOwners" | "bury" | "isStanding">;

/** @param clock milliseconds from any moment on, which never go back */
export function createOthers(store: Names, lease_ms: number, clock = () => performance.now()): Others {
  /** By name: its last word, and when that was first read. */
  const heard = new Map<string, { versionstamp: string; at: number }>();

  /** As found since the last look at all of them. */
  const standing = new Set<string>();

  return {
    async bury(own) {
      standing.clear();
      const owners = (await store.listOwners()).filter(({ name }) => name !== own);
      const now = clock();
      for (const name of heard.keys()) if (!owners.some((one) => one.name === name)) heard.delete(name);
      const silences = owners.map(({ name, versionstamp }) => {
        const last = heard.get(name);
        if (last?.versionstamp === versionstamp) return now - last.at;
        heard.set(name, { versionstamp, at: now });
        return 0;
      });
      await Promise.all(owners.map((one, i) => (silences[i] ?? 0) >= lease_ms && store.bury(one)));
      const left = silences.filter((silence) => silence < lease_ms);
      return left.length === 0 ? undefined : lease_ms - Math.max(...left);
    },
    async isStanding(name) {
      if (!standing.has(name) && await store.isStanding(name)) standing.add(name);
      return standing.has(name);
    },
  };
}
