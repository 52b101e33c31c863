/** The secret addresses and signing keys of webhook triggers. An address is stored as a hash: often it is the only proof. */
import { Buffer } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import type { Context } from "../../../context.ts";
import type { Pool, Sql } from "../../../database/pool.ts";
import { invalid } from "../../../errors.ts";
import type { JsonObject } from "../../../input/json_value.ts";
import type { Keys } from "../../../secrets/keys.ts";
import { rotate, type Rotation, type Secrets } from "../../../secrets/rotation.ts";
import { WebhookSettings } from "./schema.ts";

export interface Address {
  url: string;
  hash: Uint8Array;
}

/** Characters of base64url. */
export const ADDRESS_SECRET = /^[\w-]{43}$/;

export const hashOf = (secret: string): Uint8Array => createHash("sha256").update(secret).digest();

export function newAddress({ config }: Pick<Context, "config">): Address {
  const secret = Buffer.from(randomBytes(32)).toString("base64url");
  return { url: `${config.base_url}/hooks/${secret}`, hash: hashOf(secret) };
}

const place = (account_id: number, id: number) => `${account_id}:${id}:webhook_secret`;

/** @param sql a transaction. @throws {Refusal} 422 if the trigger's signature needs a key */
export async function insertWebhook(
  ctx: Context,
  sql: Sql,
  id: number,
  { hash }: Address,
  secret: string | undefined,
): Promise<void> {
  await sql`insert into webhooks (id, account_id, address_hash) values (${id}, ${ctx.viewer.account_id}, ${hash})`;
  await changeSecret(ctx, sql, id, secret);
}

/** @param sql a transaction. @param secret undefined keeps the present one. @throws {Refusal} 422 */
export async function changeSecret(
  { keys, viewer: { account_id } }: Context,
  sql: Sql,
  id: number,
  secret: string | undefined,
): Promise<void> {
  if (secret !== undefined) {
    const { key_id, bytes } = keys.encrypt(place(account_id, id), secret);
    await sql`
      update webhooks
      set secret = ${bytes}, secret_key_id = ${key_id}
      where id = ${id}
        and account_id = ${account_id}
    `;
  }
  const [row] = await sql<{ settings: unknown; has_secret: boolean }[]>`
    select c.settings, w.secret is not null as has_secret
    from webhooks w
    join crons c on c.id = w.id
    where w.id = ${id}
      and w.account_id = ${account_id}
  `;
  if (row && !row.has_secret && WebhookSettings.parse(row.settings).signature !== "none") {
    throw invalid({ "webhook.secret": ["can't be blank with a signature"] });
  }
}

export async function changeAddress(
  { viewer }: Context,
  sql: Sql,
  id: number,
  { hash }: Address,
): Promise<void> {
  await sql`
    update webhooks
    set address_hash = ${hash}
    where id = ${id}
      and account_id = ${viewer.account_id}
  `;
}

export interface FoundWebhook {
  id: number;
  account_id: number;
  settings: WebhookSettings;
  input: JsonObject | null;
  /** Undefined without a signature. */
  secret: string | undefined;
}

interface Row {
  id: number;
  account_id: number;
  settings: unknown;
  input: JsonObject | null;
  secret: Uint8Array | null;
  secret_key_id: string | null;
}

/** The hash is looked up, so the time that this takes tells nothing about the secret. */
export async function findWebhook(sql: Sql, keys: Keys, secret: string): Promise<FoundWebhook | undefined> {
  const [row] = await sql<Row[]>`
    select w.id, w.account_id, c.settings, c.input, w.secret, w.secret_key_id
    from webhooks w
    join crons c on c.id = w.id
    where w.address_hash = ${hashOf(secret)}
  `;
  if (!row) return undefined;
  const { id, account_id, input, secret: bytes, secret_key_id: key_id } = row;
  const opened = bytes === null || key_id === null ? undefined : keys.decrypt(place(account_id, id), { key_id, bytes });
  return { id, account_id, settings: WebhookSettings.parse(row.settings), input, secret: opened };
}

type Rotated = { id: number; account_id: number; secret: Uint8Array; secret_key_id: string };

const SECRETS: Secrets<Rotated> = {
  lock: (sql, writing, after, limit) =>
    sql<Rotated[]>`
      select id, account_id, secret, secret_key_id
      from webhooks
      where id > ${after}
        and secret is not null
        and secret_key_id <> ${writing}
      order by id
      limit ${limit}
      for update
    `,
  decrypt: (keys, { id, account_id, secret, secret_key_id }) =>
    keys.decrypt(place(account_id, id), { key_id: secret_key_id, bytes: secret }),
  encrypt: (keys, { id, account_id }, secret) => keys.encrypt(place(account_id, id), secret),
  update: (sql, { id, account_id }, { key_id, bytes }) =>
    sql`
      update webhooks
      set secret = ${bytes}, secret_key_id = ${key_id}
      where id = ${id}
        and account_id = ${account_id}
    `,
};

/** `deno task rotate-secrets` for webhooks. */
export const rotateWebhookSecrets = (sql: Pool, keys: Keys): Promise<Rotation> => rotate(sql, keys, SECRETS);
