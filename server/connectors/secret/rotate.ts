/** `deno task rotate-secrets` for connectors. */
import type { Pool } from "../../database/pool.ts";
import type { Keys } from "../../secrets/keys.ts";
import { rotate, type Rotation, type Secrets } from "../../secrets/rotation.ts";
import { decryptSecret, encryptSecret } from "./encryption.ts";

interface Row {
  id: number;
  account_id: number;
  secret_token: Uint8Array;
  secret_key_id: string;
}

const SECRETS: Secrets<Row> = {
  lock: (sql, writing, after, limit) =>
    sql<Row[]>`
      select id, account_id, secret_token, secret_key_id
      from connectors
      where id > ${after}
        and secret_token is not null
        and secret_key_id <> ${writing}
      order by id
      limit ${limit}
      for update
    `,
  decrypt: (keys, row) => decryptSecret(keys, row, { key_id: row.secret_key_id, bytes: row.secret_token }),
  encrypt: encryptSecret,
  update: (sql, { id, account_id }, { key_id, bytes }) =>
    sql`
      update connectors
      set
        secret_token = ${bytes},
        secret_key_id = ${key_id}
      where id = ${id}
        and account_id = ${account_id}
    `,
};

export const rotateSecrets = (sql: Pool, keys: Keys): Promise<Rotation> => rotate(sql, keys, SECRETS);
