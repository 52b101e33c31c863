/** `deno task rotate-secrets` for embedding keys. */
import type { Pool } from "../../database/pool.ts";
import type { Keys } from "../../secrets/keys.ts";
import { rotate, type Rotation, type Secrets } from "../../secrets/rotation.ts";
import { decryptKeySecret, encryptKeySecret } from "./key_secret.ts";
import type { StoredKey } from "./vouched_queries.ts";

const SECRETS: Secrets<StoredKey> = {
  lock: (sql, writing, after, limit) =>
    sql<StoredKey[]>`
      select id, account_id, secret, secret_key_id
      from embedding_keys
      where id > ${after}
        and secret_key_id <> ${writing}
      order by id
      limit ${limit}
      for update
    `,
  decrypt: (keys, row) => decryptKeySecret(keys, row, { key_id: row.secret_key_id, bytes: row.secret }),
  encrypt: encryptKeySecret,
  update: (sql, { id, account_id }, { key_id, bytes }) =>
    sql`
      update embedding_keys
      set
        secret = ${bytes},
        secret_key_id = ${key_id}
      where id = ${id}
        and account_id = ${account_id}
    `,
};

export const rotateEmbeddingKeys = (sql: Pool, keys: Keys): Promise<Rotation> => rotate(sql, keys, SECRETS);
