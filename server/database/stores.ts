/** Opens what a server keeps its data in: the database, migrated, and Deno KV, proven to belong to it. */
import { migrate } from "../../db/migrate.ts";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import { openKv } from "./kv/kv.ts";
import { proveSameStore } from "./kv/identity.ts";
import { createsDatabase, type Database, openDatabase } from "./pool.ts";

export { createsDatabase };

export interface Stores {
  database: Database;
  kv: Deno.Kv;
}

/**
 * A start opens them while the modules of the server are loaded, so this module imports little.
 *
 * @throws {DatabaseTooNew}
 * @throws {DatabaseTooOld}
 * @throws {DatabaseNotUnicode}
 * @throws {ConfigError} if Deno KV is missing or belongs to another database
 */
export async function openStores(config: Config, log: Log): Promise<Stores> {
  const database = await openDatabase(config, log);
  try {
    await migrated(database, log);
    const kv = await openKv(config);
    await proveSameStore(database.sql, kv).catch((error) => {
      kv.close();
      throw error;
    });
    return { database, kv };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function migrated({ sql, times }: Database, log: Log): Promise<void> {
  const began = performance.now();
  const applied = await migrate(sql);
  times.clear();
  if (applied.length === 0) return;
  const ms = Math.round(performance.now() - began);
  log.info("migrated", { count: applied.length, first: applied[0], last: applied.at(-1), ms });
}
