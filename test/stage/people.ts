/** Creates callers: users of each role, and further accounts, which the API cannot create. */
import { createHash, randomBytes } from "node:crypto";
import type { Answer, Sent, TestServer } from "./harness.ts";

export type Method = "GET" | "HEAD" | "POST" | "PATCH" | "DELETE" | "PUT" | "OPTIONS";

/** Sends a request as one caller. The answers are checked against the route's schema. */
export type Ask = (method: Method, path: string, sent?: Sent) => Promise<Answer>;

export const ROLES = ["guest", "user", "manager", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** The reach of a user who sees everything. */
export const EVERYTHING = { role: "admin", restricted: false, department_ids: [], without_department: true };

export interface Person {
  id: number;
  token: string;
}

/** Returns the created object. @throws {Error} with the refusal */
export function made({ status, body }: Answer) {
  if (status !== 201) throw new Error(`not created: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** @param fields of the user besides its role */
export async function addPerson(ask: Ask, role: Role, fields: Record<string, unknown> = {}): Promise<Person> {
  const email = `${role}.${crypto.randomUUID()}@people.test`;
  const user = made(
    await ask("POST", "/account/user_settings.json", { json: { user_setting: { email, role, ...fields } } }),
  );
  return { id: user.id, token: await addToken(ask, { user_setting_id: user.id }) };
}

/** Makes departments, beyond which the account's members do not see. @returns the ids */
export async function restrictTo(ask: Ask, ...names: string[]): Promise<number[]> {
  const ids: number[] = [];
  for (const name of names) {
    ids.push(made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id);
  }
  await ask("PATCH", "/account.json", { json: { account: { departments: { mode: "restricted" } } } });
  return ids;
}

/** @returns the secret */
export async function addToken(ask: Ask, fields: Record<string, unknown>, token?: string): Promise<string> {
  const json = { token: { name: "Test", ...fields } };
  return made(await ask("POST", "/account/tokens.json", { json, token })).token;
}

/** Returns `ask` with another default token. */
export const as = (ask: Ask, token: string): Ask => (method, path, sent = {}) =>
  ask(method, path, { ...sent, token: sent.token === undefined ? token : sent.token });

export interface Stranger extends Person {
  account_id: number;
}

/** Inserts another account with an admin. Returns the admin. */
export async function addAccount({ sql }: TestServer, host: string | null = null): Promise<Stranger> {
  const token = `stranger-${crypto.randomUUID()}`;
  const email = `${token}@strangers.test`;
  const hash = createHash("sha256").update(token).digest();
  return await sql.begin(async (sql) => {
    const [account] = await sql<{ id: number }[]>`
      insert into accounts (name, host) values ('Strangers', ${host}) returning id
    `;
    const account_id = account?.id ?? 0;
    const [user] = await sql<{ id: number }[]>`
      insert into users (account_id, login, login_folded, email, email_folded, name, role)
      values (${account_id}, ${email}, ${email}, ${email}, ${email}, 'Stranger', 'admin')
      returning id
    `;
    const id = user?.id ?? 0;
    await sql`
      insert into tokens (account_id, user_id, name, hash) values (${account_id}, ${id}, 'Test', ${hash})
    `;
    return { id, token, account_id };
  });
}

/** Starts a session without a sign-in. @returns its id, and the cookie that proves it */
export async function addSession({ sql }: TestServer, user_id: number): Promise<{ id: number; cookie: string }> {
  const secret = randomBytes(32).toString("base64url");
  const hash = createHash("sha256").update(secret).digest();
  const [session] = await sql<{ id: number }[]>`
    insert into sessions (account_id, user_id, hash, device, address)
    select account_id, id, ${hash}, 'Test', '127.0.0.1' from users where id = ${user_id}
    returning id
  `;
  return { id: session?.id ?? 0, cookie: `session=${secret}` };
}

/** Inserts a passkey that signs nobody in. @returns its id */
export async function addPasskey({ sql }: Pick<TestServer, "sql">, user_id: number): Promise<number> {
  const [passkey] = await sql<{ id: number }[]>`
    insert into passkeys (account_id, user_id, name, credential_id, public_key, counter, transports, user_handle)
    select account_id, id, 'Test', ${crypto.randomUUID()}, '', 0, '{}', 'x' from users where id = ${user_id}
    returning id
  `;
  return passkey?.id ?? 0;
}

/** Inserts an identity at an OpenID provider. @returns its id */
export async function addIdentity(
  { sql }: Pick<TestServer, "sql">,
  user_id: number,
  issuer = "https://login.example.com",
  subject: string = crypto.randomUUID(),
): Promise<number> {
  const [identity] = await sql<{ id: number }[]>`
    insert into identities (account_id, user_id, issuer, subject)
    select account_id, id, ${issuer}, ${subject} from users where id = ${user_id}
    returning id
  `;
  return identity?.id ?? 0;
}
