/** Kept connections: one undici pool per origin, least recently used first out. */
import type { Pool } from "undici";
import { CONNECT_MS, MAX_HEADER_BYTES } from "./limits.ts";
import type { Reach } from "./reach.ts";

const MAX_POOLS = 256;
const MAX_CONNECTIONS = 128;

export interface ConnectionPools {
  poolFor(url: URL): Promise<Pool>;
  /** Destroys all pools; requests in flight fail. */
  close(): Promise<void>;
}

export function createConnectionPools(reach: Reach): ConnectionPools {
  // In the order of their last use.
  const pools = new Map<string, Pool>();
  const closing = new Set<Promise<void>>();

  /** Requests in flight still complete. */
  const retire = (pool: Pool) => {
    const closed = pool.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };

  return {
    async poolFor(url) {
      // Loaded by the first call: it takes a tenth of the server's start.
      const { Pool } = await import("undici");
      const pool = pools.get(url.origin) ?? new Pool(url.origin, {
        connect: { lookup: reach.lookupFor(url), timeout: CONNECT_MS },
        connections: MAX_CONNECTIONS,
        allowH2: false,
        maxHeaderSize: MAX_HEADER_BYTES,
        // The call's deadline replaces both timeouts.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      pools.delete(url.origin);
      pools.set(url.origin, pool);
      for (const [origin, oldest] of pools) {
        if (pools.size <= MAX_POOLS) break;
        pools.delete(origin);
        retire(oldest);
      }
      return pool;
    },
    async close() {
      for (const pool of pools.values()) closing.add(pool.destroy());
      pools.clear();
      await Promise.allSettled(closing);
    },
  };
}
