/**
 * The random id that PostgreSQL and Deno KV share. Processes on one database must share one Deno KV store: with different
 * stores, runs with an idempotency key would be executed twice, and pending runs would not be found.
 */
import { ConfigError } from "../../config.ts";
import type { Pool, Sql } from "../pool.ts";

const KEY: Deno.KvKey = ["kv_identity"];

interface Identity {
  id: string;
  bound: boolean;
}

/** Binds the first store that is used with the database. @throws {ConfigError} if this is another store */
export async function proveSameStore(sql: Pool, kv: Deno.Kv): Promise<void> {
  const [known] = await sql<Identity[]>`select id, bound from kv_identity`;
  const { value } = await kv.get<string>(KEY);
  if (known?.bound && value === known.id) return;
  // The row is locked, so that of two processes with different stores only one binds its own.
  await sql.begin(async (tx) => {
    const { id, bound } = await lockIdentity(tx);
    const { value } = await kv.get<string>(KEY);
    if (value !== null && value !== id) throw foreign("belongs to another database");
    if (value === null && bound) throw foreign("is not the one that this database's runs are in");
    if (value === null) await kv.set(KEY, id);
    await tx`update kv_identity set bound = true`;
  });
}

/** Makes this store the database's own, after the old one was lost. */
export async function adoptStore(sql: Pool, kv: Deno.Kv): Promise<void> {
  await sql.begin(async (tx) => {
    // A new id, so that processes that still have the old store do not start again.
    await tx`update kv_identity set id = gen_random_uuid(), bound = true`;
    const { id } = await lockIdentity(tx);
    await kv.set(KEY, id);
  });
}

async function lockIdentity(tx: Sql): Promise<Identity> {
  const [identity] = await tx<Identity[]>`select id, bound from kv_identity for update`;
  if (!identity) throw new Error("the table kv_identity is empty");
  return identity;
}

const foreign = (what: string) =>
  new ConfigError([
    `KV_URL (without it, DATA_DIR) names a Deno KV store that ${what}. Set it to the store that the other processes ` +
    "of this database use. If that store is lost, run `deno task adopt-kv` once with the new one",
  ]);
