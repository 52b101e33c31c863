/** Leases of server processes, in Deno KV. A lease exists before the first run that it owns. */
import type { Commits } from "./group_commit.ts";
import { leaseKey, LEASES } from "./kv_keys.ts";

export interface Lease {
  name: string;
  /** Changes with each heartbeat. */
  versionstamp: string;
}

export type LeaseStore = ReturnType<typeof createLeaseStore>;

export const createLeaseStore = (kv: Deno.Kv, { commit }: Commits) => ({
  /**
   * Writes a heartbeat.
   *
   * @param versionstamp of the previous heartbeat; null creates the lease
   * @returns undefined if a peer has deleted the lease meanwhile
   */
  renew: (name: string, versionstamp: string | null): Promise<string | undefined> =>
    commit({ checks: [{ key: leaseKey(name), versionstamp }], sets: [{ key: leaseKey(name), value: Date.now() }] }),

  /** A lease that was deleted never exists again: a process that lost it takes a new name. */
  exists: async (name: string): Promise<boolean> => (await kv.get(leaseKey(name))).versionstamp !== null,

  async list(): Promise<Lease[]> {
    const leases: Lease[] = [];
    for await (const { key, versionstamp } of kv.list({ prefix: LEASES })) {
      leases.push({ name: String(key[1]), versionstamp });
    }
    return leases;
  },

  /** Declares a process dead. @returns false if it has written a heartbeat meanwhile */
  remove: async ({ name, versionstamp }: Lease): Promise<boolean> =>
    await commit({ checks: [{ key: leaseKey(name), versionstamp }], deletes: [leaseKey(name)] }) !== undefined,
});
