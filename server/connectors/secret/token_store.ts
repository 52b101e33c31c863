/** OAuth tokens of connectors in PostgreSQL, which all processes share. */
import type { Sql } from "../../database/pool.ts";
import type { Log } from "../../log.ts";
import { type Encrypted, type Keys, Unreadable } from "../../secrets/keys.ts";
import { decryptToken, encryptToken } from "./encryption.ts";
import type { OpenConnector } from "./open_connector.ts";

type Owner = Pick<OpenConnector, "id" | "account_id" | "lock_version">;

export interface StoredToken {
  token: string;
  /** Milliseconds since 1970. */
  expires_at: number;
}

interface Row {
  token: Uint8Array | null;
  token_key_id: string | null;
  expires_at: Date | string | null;
}

export interface TokenStore {
  /** @returns undefined if there is none that is valid, or if no key reads it */
  find(owner: Owner): Promise<StoredToken | undefined>;
  /** @returns false if another process requests a token */
  claim(owner: Owner, ms: number): Promise<boolean>;
  /** Ends the claim. */
  keep(owner: Owner, token: StoredToken): Promise<void>;
  release(owner: Owner): Promise<void>;
}

export function createTokenStore(sql: Sql, keys: Keys, log: Log): TokenStore {
  const opened = ({ id, account_id }: Owner, encrypted: Encrypted): string | undefined => {
    try {
      return decryptToken(keys, { id, account_id }, encrypted);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      // Another token is requested, for example after a rotation of the keys.
      log.info("a connector's token cannot be read", { connector: id, key: encrypted.key_id });
    }
  };
  return {
    async find(owner) {
      const [row] = await sql<Row[]>`
        select token, token_key_id, expires_at
        from connector_tokens
        where connector_id = ${owner.id}
          and account_id = ${owner.account_id}
          and lock_version = ${owner.lock_version}
          and expires_at > now()
      `;
      if (!row?.token || row.token_key_id === null || row.expires_at === null) return undefined;
      const token = opened(owner, { key_id: row.token_key_id, bytes: row.token });
      return token === undefined ? undefined : { token, expires_at: new Date(row.expires_at).getTime() };
    },
    async claim({ id, account_id, lock_version }, ms) {
      const { count } = await sql`
        insert into connector_tokens as t (connector_id, account_id, lock_version, claimed_until)
        select id, account_id, ${lock_version}, now() + make_interval(secs => ${ms / 1000})
        from connectors
        where id = ${id}
          and account_id = ${account_id}
        on conflict (connector_id) do update
        set claimed_until = excluded.claimed_until
        where t.claimed_until is null
          or t.claimed_until < now()
      `;
      return count > 0;
    },
    async keep(owner, { token, expires_at }) {
      const { key_id, bytes } = encryptToken(keys, owner, token);
      await sql`
        update connector_tokens
        set
          lock_version = ${owner.lock_version},
          token = ${bytes},
          token_key_id = ${key_id},
          expires_at = ${new Date(expires_at).toISOString()},
          claimed_until = null
        where connector_id = ${owner.id}
          and account_id = ${owner.account_id}
      `;
    },
    async release({ id, account_id }) {
      await sql`
        update connector_tokens
        set claimed_until = null
        where connector_id = ${id}
          and account_id = ${account_id}
      `;
    },
  };
}
