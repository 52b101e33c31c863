/**
 * The peers of this process. A peer is dead if its lease has had no new heartbeat for as long as a lease lasts, by the
 * monotonic clock of this process: clocks that differ or jump declare no peer dead.
 */
import type { LeaseStore } from "../storage/lease_store.ts";

export interface Peers {
  /**
   * Deletes the leases of dead peers.
   *
   * @param own the lease of this process
   * @returns milliseconds until the next peer may be found dead; undefined without other peers
   */
  declareDead(own: string): Promise<number | undefined>;
  /** Whether the lease exists. */
  isAlive(lease: string): Promise<boolean>;
}

/**
 * @param clock a monotonic clock, in milliseconds
 * @param alone no other process can be alive, because this one has locked the data folder: other leases are of dead ones
 */
export function createPeers(
  store: Pick<LeaseStore, "list" | "remove" | "exists">,
  lease_ms: number,
  clock = () => performance.now(),
  alone = false,
): Peers {
  /** By lease: the versionstamp of the latest heartbeat, and when this process read it first. */
  const seen = new Map<string, { versionstamp: string; at: number }>();

  /** Leases that were found to exist since the latest `declareDead`. */
  const alive = new Set<string>();

  return {
    async declareDead(own) {
      alive.clear();
      const leases = (await store.list()).filter(({ name }) => name !== own);
      const now = clock();
      for (const name of seen.keys()) if (!leases.some((lease) => lease.name === name)) seen.delete(name);
      const silences = leases.map(({ name, versionstamp }) => {
        if (alone) return lease_ms;
        const last = seen.get(name);
        if (last?.versionstamp === versionstamp) return now - last.at;
        seen.set(name, { versionstamp, at: now });
        return 0;
      });
      await Promise.all(leases.map((lease, i) => (silences[i] ?? 0) >= lease_ms && store.remove(lease)));
      const shorter = silences.filter((silence) => silence < lease_ms);
      return shorter.length === 0 ? undefined : lease_ms - Math.max(...shorter);
    },
    async isAlive(lease) {
      if (!alive.has(lease) && await store.exists(lease)) alive.add(lease);
      return alive.has(lease);
    },
  };
}
