/** Caches connectors with their decrypted secrets, so that a busy flow does not query PostgreSQL for every call. */
import type { Pool, Sql } from "../../database/pool.ts";
import type { Log } from "../../log.ts";
import { accountKey, readAccountKey, remember } from "../../remembered.ts";
import type { Keys } from "../../secrets/keys.ts";
import { type ConnectorRow, type OpenConnector, openConnector } from "../secret/open_connector.ts";

/** Maximum age of an entry if a change notification is lost. */
const MAX_AGE_MS = 5_000;
const MAX_ENTRIES = 2_000;

export interface ConnectorCache {
  /** @throws {ConnectorFault} `invalid` if none of the server's keys decrypts the secret */
  find(account_id: number, code: string): Promise<OpenConnector | undefined>;
  forget(id: number): void;
  close(): Promise<void>;
}

export function createConnectorCache(sql: Pool, keys: Keys, log: Log): ConnectorCache {
  const connectors = remember<string, OpenConnector>({
    async load(key) {
      const row = await findRow(sql, ...readAccountKey(key));
      return row && openConnector(keys, row, log);
    },
    believed_ms: MAX_AGE_MS,
    limit: MAX_ENTRIES,
    notified: { sql, log, channel: "connector_changed", matches: ({ id }, payload) => id === Number(payload) },
  });
  return {
    forget: (id) => connectors.forgetWhere((connector) => connector.id === id),
    find: (account_id, code) => connectors.find(accountKey(account_id, code)),
    async close() {
      connectors.forgetAll();
      await connectors.close();
    },
  };
}

async function findRow(sql: Sql, account_id: number, code: string): Promise<ConnectorRow | undefined> {
  const [row] = await sql<ConnectorRow[]>`
    select id, account_id, lock_version, department_id, code, url, fields, secret_token, secret_key_id
    from connectors
    where account_id = ${account_id}
      and code = ${code}
  `;
  return row;
}
