/** A transaction in the place of a pool: what begins a transaction of its own gets a savepoint. */
import type postgres from "postgres";
import type { Pool, Sql } from "./sql.ts";
import { silencing } from "./connection/connection_loss.ts";
import { TRANSACTION, type Transaction, withParts } from "./tagged.ts";

/** @param tx the handle that `begin` passes. Its savepoints follow each other; they must not overlap. */
export function nestedPool(tx: Sql): Pool {
  const savepoint = Reflect.get(tx, "savepoint") as postgres.TransactionSql["savepoint"];
  const begin = (options: string | Work, work?: Work) => {
    const chosen = typeof options === "string" ? work : options;
    const transaction = Reflect.get(tx, TRANSACTION) as Transaction | undefined;
    return chosen && savepoint((handle) =>
      silencing(transaction, () => {
        const inner = Object.assign(handle as unknown as Sql, { [TRANSACTION]: transaction });
        return chosen(nestedPool(withParts(inner)));
      })
    );
  };
  return new Proxy(tx, {
    get: (target, key) => key === "begin" ? begin : Reflect.get(target, key),
  }) as Pool;
}

type Work = (tx: Sql) => Promise<unknown>;
