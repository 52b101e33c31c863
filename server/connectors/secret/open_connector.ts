/** A connector with its secret decrypted and a redactor for it, ready to be called. */
import type { Log } from "../../log.ts";
import { type Keys, Unreadable } from "../../secrets/keys.ts";
import { ConnectorFault } from "../call/fault.ts";
import { ConnectorFields } from "../definition/fields.ts";
import { createRedactor, type Redactor } from "../redaction/redact.ts";
import { decryptSecret } from "./encryption.ts";

export interface OpenConnector {
  id: number;
  account_id: number;
  lock_version: number;
  department_id: number | null;
  code: string;
  url: string;
  fields: ConnectorFields;
  secret: string | undefined;
  redactor: Redactor;
}

/** A row of `connectors`, as far as a call needs it. */
export interface ConnectorRow {
  id: number;
  account_id: number;
  lock_version: number;
  department_id: number | null;
  code: string;
  url: string;
  fields: unknown;
  secret_token: Uint8Array | null;
  secret_key_id: string | null;
}

/** @throws {ConnectorFault} `invalid` if none of the server's keys decrypts the secret */
export function openConnector(keys: Keys, row: ConnectorRow, log: Log): OpenConnector {
  const fields = ConnectorFields.parse(row.fields);
  const secret = decryptedSecret(keys, row, log);
  const { id, account_id, lock_version, department_id, code, url } = row;
  const redactor = createRedactor(secretsOf({ fields, secret }));
  return { id, account_id, lock_version, department_id, code, url, fields, secret, redactor };
}

/** The secret, and what a request makes of it. */
export function secretsOf({ fields: { auth }, secret }: Pick<OpenConnector, "fields" | "secret">): string[] {
  if (secret === undefined) return [];
  if (auth?.type === "basic") return [secret, `${auth.username}:${secret}`];
  if (auth?.type !== "oauth2_client_credentials") return [secret];
  const [id, value] = [auth.client_id, secret].map((text) => new URLSearchParams([["", text]]).toString().slice(1));
  return [secret, `${id}:${value}`];
}

function decryptedSecret(keys: Keys, { id, account_id, code, secret_token, secret_key_id }: ConnectorRow, log: Log) {
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
