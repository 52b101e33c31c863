/** `deno task rotate-secrets`: encrypts secrets that an old key encrypted again with the first of `SECRET_KEYS`. */
import type { Pool, Sql } from "../../database/pool.ts";
import { type Keys, Unreadable } from "../../secrets/keys.ts";
import { decryptSecret, encryptSecret } from "./encryption.ts";

const BATCH = 100;

export interface Rotation {
  rotated: number;
  /** Ids of connectors whose secret no key decrypts. They are left unchanged. */
  unreadable: number[];
}

interface Row {
  id: number;
  account_id: number;
  secret_token: Uint8Array;
  secret_key_id: string;
}

/** Covers all accounts. Servers may keep running: each batch is a transaction that locks only its own rows. */
export async function rotateSecrets(sql: Pool, keys: Keys): Promise<Rotation> {
  const total: Rotation = { rotated: 0, unreadable: [] };
  for (let after: number | undefined = 0; after !== undefined;) {
    const step = await sql.begin((tx) => rotateBatch(tx, keys, after ?? 0));
    total.rotated += step.rotated;
    total.unreadable.push(...step.unreadable);
    after = step.last;
  }
  return total;
}

async function rotateBatch(sql: Sql, keys: Keys, after: number): Promise<Rotation & { last: number | undefined }> {
  const rows = await sql<Row[]>`
    select id, account_id, secret_token, secret_key_id
    from connectors
    where id > ${after}
      and secret_token is not null
      and secret_key_id <> ${keys.writing}
    order by id
    limit ${BATCH}
    for update
  `;
  const unreadable: number[] = [];
  for (const row of rows) {
    const secret = decrypted(keys, row);
    if (secret === undefined) {
      unreadable.push(row.id);
      continue;
    }
    const { key_id, bytes } = encryptSecret(keys, row, secret);
    await sql`
      update connectors
      set
        secret_token = ${bytes},
        secret_key_id = ${key_id}
      where id = ${row.id}
        and account_id = ${row.account_id}
    `;
  }
  return { rotated: rows.length - unreadable.length, unreadable, last: rows.at(-1)?.id };
}

function decrypted(keys: Keys, row: Row): string | undefined {
  try {
    return decryptSecret(keys, row, { key_id: row.secret_key_id, bytes: row.secret_token });
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
