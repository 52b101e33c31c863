/** Creates the default account and its admin on the first start, and stores `ADMIN_TOKEN`. */
import { randomBytes } from "node:crypto";
import type { Config } from "../../config.ts";
import type { Pool, Sql } from "../../database/pool.ts";
import type { Passwords } from "../../secrets/passwords.ts";
import { insertToken } from "../tokens/queries.ts";
import { hashOf, newSecret } from "../tokens/secret.ts";
import { insertAccount } from "./accounts.ts";

/** The generated credentials. They are printed once and never stored in plain text. */
export interface Generated {
  email: string;
  token?: string;
  password?: string;
}

/** What the first admin signs in with. */
interface Credentials {
  password: string;
  token: string;
  /** Pending, because it takes a third of a second of another thread. */
  password_hash: Promise<string>;
}

interface Admin {
  id: number;
  account_id: number;
  email: string;
}

/** The first active admin of the default account, which is the oldest one. */
export async function findFirstAdmin(sql: Sql): Promise<Admin | undefined> {
  const [admin] = await sql<Admin[]>`
    select u.id, u.account_id, u.email
    from users u
    where u.account_id = (select min(id) from accounts)
      and u.role = 'admin'
      and u.active
    order by u.id
    limit 1
  `;
  return admin;
}

/** Generates what is not given, and begins to hash the password. */
export function makeCredentials(passwords: Passwords, given: Config["admin"]): Credentials {
  const password = given.password ?? newPassword();
  return { password, token: given.token ?? newSecret(), password_hash: passwords.hash(password) };
}

/**
 * Creates the account and its admin if there are none, and makes `ADMIN_TOKEN` valid. Several processes may do this at
 * the same time. It must be the last step of a start: generated credentials are printed once, so no later step may
 * fail.
 *
 * @param credentials called only if there are none
 */
export async function prepareAccount(
  sql: Pool,
  given: Config["admin"],
  credentials: () => Credentials,
): Promise<Generated | undefined> {
  const generated = await findFirstAdmin(sql) ? undefined : await createAccount(sql, given, credentials());
  if (given.token) await storeEnvironmentToken(sql, given.token);
  return generated;
}

async function createAccount(
  sql: Pool,
  given: Config["admin"],
  { password, token, ...pending }: Credentials,
): Promise<Generated | undefined> {
  const password_hash = await pending.password_hash;
  const made = await sql.begin(async (sql) => {
    // A second process waits here until the first has created the account.
    await sql`lock table accounts in share row exclusive mode`;
    const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`select count(*)::int as count from accounts`;
    if (count > 0) return false;
    await insertAccount(sql, {
      name: "Main account",
      host: null,
      email: given.email,
      password_hash,
      token: given.token ? undefined : token,
    });
    return true;
  });
  if (!made) return;
  return {
    email: given.email,
    ...(!given.token && { token }),
    ...(!given.password && { password }),
  };
}

/** Stores `ADMIN_TOKEN` as a token of the first admin. A changed value replaces the previous one. */
async function storeEnvironmentToken(sql: Pool, secret: string): Promise<void> {
  const admin = await findFirstAdmin(sql);
  if (!admin) return;
  const hash = hashOf(secret);
  const known = await sql`select 1 from tokens where hash = ${hash}`;
  if (known.length > 0) return;
  await sql.begin(async (sql) => {
    await sql`lock table tokens in share row exclusive mode`;
    const known = await sql`select 1 from tokens where hash = ${hash}`;
    if (known.length > 0) return;
    await sql`delete from tokens where account_id = ${admin.account_id} and from_environment`;
    await insertToken(sql, {
      account_id: admin.account_id,
      user_id: admin.id,
      name: "ADMIN_TOKEN",
      hash,
      scopes: null,
      expires_at: null,
      from_environment: true,
    });
  });
}

/** A random password of 96 bits, in base64url. */
export const newPassword = () => randomBytes(12).toString("base64url");
