/**
 * The lease of this process: a name under which it owns runs, renewed by heartbeats. A peer that sees no heartbeat for
 * a whole lease declares this process dead and takes over its runs. A process that was only slow finds its lease gone
 * and takes a new name.
 */
import type { LeaseStore } from "../storage/lease_store.ts";

export interface Heartbeat {
  /** The name of a lease that no peer may have deleted yet. @throws {Refusal} 503 if a heartbeat cannot be written */
  prove(): Promise<string>;
  /** Ends the lease, so that peers may claim its runs at once. */
  end(): Promise<void>;
}

interface Listeners {
  /** A peer has declared this process dead. */
  lost(): void;
  /** A heartbeat could not be written. */
  failed(error: unknown): void;
}

/** @param lease_ms the time that peers wait for another heartbeat; one is written every third of it */
export function createHeartbeat(
  store: Pick<LeaseStore, "renew" | "remove">,
  lease_ms: number,
  { lost, failed }: Listeners,
): Heartbeat {
  let name = crypto.randomUUID();
  let versionstamp: string | null = null;
  /** By the monotonic clock. */
  let valid_until = -Infinity;
  let renewing: Promise<void> | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;

  const beat = async () => {
    const asked = performance.now();
    const renewed = await store.renew(name, versionstamp);
    if (renewed === undefined) {
      // A peer owns the runs of the old name now.
      lost();
      name = crypto.randomUUID();
      versionstamp = null;
      return await beat();
    }
    versionstamp = renewed;
    // A sixth of the lease is left for writes that are in flight when it ends.
    valid_until = asked + lease_ms * 5 / 6;
  };

  const renew = () => renewing ??= beat().finally(() => renewing = undefined);

  return {
    async prove() {
      timer ??= setInterval(() => void renew().catch(failed), lease_ms / 3);
      if (performance.now() < valid_until) return name;
      await renew();
      return name;
    },
    async end() {
      clearInterval(timer);
      await renewing?.catch(() => {});
      valid_until = -Infinity;
      if (versionstamp !== null) await store.remove({ name, versionstamp }).catch(() => false);
    },
  };
}
