/** Connectors with their secrets opened, in memory for a moment, so that a busy flow's calls need no query each. */
import type { Pool, Sql } from "../database/pool.ts";
import { type Keys, Unreadable } from "../secrets/keys.ts";
import type { Log } from "../log.ts";
import { accountKey, readAccountKey, remember } from "../remembered.ts";
import { ConnectorFault } from "./connectors.ts";
import { ConnectorFields } from "./definition.ts";
import { createRedactor, type Redactor } from "./redaction/redact.ts";
import { decryptSecret } from "./secret.ts";

/** How long a connector is believed where no notification comes. */
const BELIEVED_MS = 5_000;
const REMEMBERED = 2_000;

export interface KnownConnector {
  id: number;
  code: string;
  url: string;
  fields: ConnectorFields;
  secret: string | undefined;
  redactor: Redactor;
}

export interface KnownConnectors {
  /** @throws {ConnectorFault} `invalid` where no key reads its secret */
  find(account_id: number, code: string): Promise<KnownConnector | undefined>;
  forget(id: number): void;
  close(): Promise<void>;
}

interface Row {
  id: number;
  account_id: number;
  code: string;
  url: string;
  fields: unknown;
  secret_token: Uint8Array | null;
  secret_key_id: string | null;
}

export function createKnownConnectors(sql: Pool, keys: Keys, log: Log): KnownConnectors {
  const known = remember<string, KnownConnector>({
    async load(key) {
      const row = await findRow(sql, ...readAccountKey(key));
      return row && opened(keys, row, log);
    },
    believed_ms: BELIEVED_MS,
    limit: REMEMBERED,
    notified: { sql, log, channel: "connector_changed", matches: ({ id }, payload) => id === Number(payload) },
  });
  return {
    forget: (id) => known.forgetWhere((connector) => connector.id === id),
    find: (account_id, code) => known.find(accountKey(account_id, code)),
    async close() {
      known.forgetAll();
      await known.close();
    },
  };
}

async function findRow(sql: Sql, account_id: number, code: string): Promise<Row | undefined> {
  const [row] = await sql<Row[]>`
    select id, account_id, code, url, fields, secret_token, secret_key_id
    from connectors
    where account_id = ${account_id}
      and code = ${code}
  `;
  return row;
}

function opened(keys: Keys, row: Row, log: Log): KnownConnector {
  const fields = ConnectorFields.parse(row.fields);
  const secret = secretOf(keys, row, log);
  const username = fields.auth?.type === "basic" ? fields.auth.username : undefined;
  const secrets = secret === undefined ? [] : [secret, ...username === undefined ? [] : [`${username}:${secret}`]];
  return { id: row.id, code: row.code, url: row.url, fields, secret, redactor: createRedactor(secrets) };
}

function secretOf(keys: Keys, { id, account_id, code, secret_token, secret_key_id }: Row, log: Log) {
  if (secret_token === null || secret_key_id === null) return undefined;
  try {
    return decryptSecret(keys, { id, account_id }, { key_id: secret_key_id, bytes: secret_token });
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    log.error("a connector's secret cannot be read", { connector: id, key: secret_key_id });
    const sentence = `the secret of ${code} cannot be read: it was written with the key ${secret_key_id}`;
    throw new ConnectorFault("invalid", `${sentence}, which SECRET_KEYS does not have; set the secret anew`);
  }
}
