/** Kept connections: one undici pool per origin, least recently used first out. */
import type { Pool } from "undici";
import { CONNECT_MS, MAX_HEADER_BYTES } from "./limits.ts";
import type { Reach } from "./reach.ts";

const MAX_POOLS = 256;
const MAX_CONNECTIONS = 128;

export interface ConnectionPools {
  poolFor(url: URL): Pool | Promise<Pool>;
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

  const use = (origin: string, pool: Pool): Pool => {
    pools.delete(origin);
    pools.set(origin, pool);
    return pool;
  };

  const addPool = async (url: URL): Promise<Pool> => {
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
    use(url.origin, pool);
    for (const [origin, oldest] of pools) {
      if (pools.size <= MAX_POOLS) break;
      pools.delete(origin);
      retire(oldest);
    }
    return pool;
  };

  return {
    poolFor(url) {
      const { origin } = url;
      const known = pools.get(origin);
      return known ? use(origin, known) : addPool(url);
    },
    async close() {
      for (const pool of pools.values()) closing.add(pool.destroy());
      pools.clear();
      await Promise.allSettled(closing);
    },
  };
}
