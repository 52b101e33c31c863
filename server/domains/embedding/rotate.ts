/** `deno task rotate-secrets` for embedding keys: encrypts their secrets again with the first of `SECRET_KEYS`. */
import type { Pool, Sql } from "../../database/pool.ts";
import { type Keys, Unreadable } from "../../secrets/keys.ts";
import { decryptKeySecret, encryptKeySecret } from "./key_secret.ts";
import type { StoredKey } from "./vouched_queries.ts";

const BATCH = 100;

interface Rotation {
  rotated: number;
  /** Ids of keys whose secret no key decrypts. They are left unchanged. */
  unreadable: number[];
}

/** Covers all accounts. Servers may keep running: each batch is a transaction that locks only its own rows. */
export async function rotateEmbeddingKeys(sql: Pool, keys: Keys): Promise<Rotation> {
  const total: Rotation = { rotated: 0, unreadable: [] };
  for (let after: number | undefined = 0; after !== undefined;) {
    after = await sql.begin((tx) => rotateBatch(tx, keys, after ?? 0, total));
  }
  return total;
}

/** @returns the id of the last key of the batch; undefined where there is none */
async function rotateBatch(sql: Sql, keys: Keys, after: number, total: Rotation): Promise<number | undefined> {
  const rows = await sql<StoredKey[]>`
    select id, account_id, secret, secret_key_id
    from embedding_keys
    where id > ${after}
      and secret_key_id <> ${keys.writing}
    order by id
    limit ${BATCH}
    for update
  `;
  for (const row of rows) {
    const secret = decrypted(keys, row);
    if (secret === undefined) {
      total.unreadable.push(row.id);
      continue;
    }
    const { key_id, bytes } = encryptKeySecret(keys, row, secret);
    await sql`
      update embedding_keys
      set
        secret = ${bytes},
        secret_key_id = ${key_id}
      where id = ${row.id}
        and account_id = ${row.account_id}
    `;
    total.rotated++;
  }
  return rows.at(-1)?.id;
}

function decrypted(keys: Keys, row: StoredKey): string | undefined {
  try {
    return decryptKeySecret(keys, row, { key_id: row.secret_key_id, bytes: row.secret });
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
