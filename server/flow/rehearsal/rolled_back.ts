/** A pool whose transactions are rolled back when their work is done, so that a rehearsal sees their results only. */
import type { Pool, Sql } from "../../database/pool.ts";

class RolledBack extends Error {}

export function rolledBack(pool: Pool): Pool {
  const begin = async (work: (tx: Sql) => Promise<unknown>) => {
    let result: unknown;
    await pool.begin(async (tx) => {
      result = await work(tx);
      throw new RolledBack();
    }).catch((error) => {
      if (!(error instanceof RolledBack)) throw error;
    });
    return result;
  };
  return new Proxy(pool, { get: (target, key) => key === "begin" ? begin : Reflect.get(target, key) });
}
