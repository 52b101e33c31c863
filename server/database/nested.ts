/** A transaction in the place of a pool: what begins a transaction of its own gets a savepoint. */
import type postgres from "postgres";
import type { Pool, Sql } from "./sql.ts";
import { withParts } from "./tagged.ts";

/** @param tx the handle that `begin` passes. Its savepoints follow each other; they must not overlap. */
export function nestedPool(tx: Sql): Pool {
  const savepoint = Reflect.get(tx, "savepoint") as postgres.TransactionSql["savepoint"];
  const begin = (options: string | Work, work?: Work) => {
    const chosen = typeof options === "string" ? work : options;
    return chosen && savepoint((handle) => chosen(nestedPool(withParts(handle as unknown as Sql))));
  };
  return new Proxy(tx, {
    get: (target, key) => key === "begin" ? begin : Reflect.get(target, key),
  }) as Pool;
}

type Work = (tx: Sql) => Promise<unknown>;
