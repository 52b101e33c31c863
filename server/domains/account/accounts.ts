/** Creates, lists and deletes whole accounts. The API cannot: each of its callers belongs to one account. */
import type { Pool, Sql } from "../../database/pool.ts";
import { fold } from "../../input/shapes.ts";
import { insertToken } from "../tokens/queries.ts";
import { hashOf } from "../tokens/secret.ts";
import { insertUserSetting } from "../user_settings/queries.ts";

export interface NewAccount {
  name: string;
  host: string | null;
  email: string;
  password_hash: string;
  /** The secret of the admin's first token; undefined creates none. */
  token: string | undefined;
}

/** Inserts an account with its first admin. @returns its id */
export async function insertAccount(
  sql: Sql,
  { name, host, email, password_hash, token }: NewAccount,
): Promise<number> {
  const [account] = await sql<{ id: number }[]>`
    insert into accounts (name, host)
    values (${name}, ${host})
    returning id
  `;
  if (!account) throw new Error("an insert returned no row");
  const account_id = account.id;
  const login = email.slice(0, email.indexOf("@"));
  const user_id = await insertUserSetting(sql, account_id, {
    login,
    login_folded: fold(login),
    email,
    email_folded: fold(email),
    name: "Admin",
    role: "admin",
    without_department: true,
    active: true,
    password_hash,
  });
  if (token !== undefined) {
    const hash = hashOf(token);
    await insertToken(sql, { account_id, user_id, name: "First start", hash, scopes: null, expires_at: null });
  }
  return account_id;
}

interface ListedAccount {
  id: number;
  name: string;
  host: string | null;
  users: number;
}

const MOST_LISTED = 1_000;

/** The oldest first. */
export const listAccounts = (sql: Sql) =>
  sql<ListedAccount[]>`
    select a.id, a.name, a.host, (select count(*)::int from users u where u.account_id = a.id) as users
    from accounts a
    order by a.id
    limit ${MOST_LISTED}
  `;

/**
 * Deletes an account with everything in it.
 *
 * @param name must be the account's
 * @returns "default" if it is the default account, which is the oldest one; "missing" if there is none with this name
 */
export const deleteAccount = (sql: Pool, id: number, name: string): Promise<"deleted" | "default" | "missing"> =>
  sql.begin(async (sql) => {
    const [found] = await sql<{ is_default: boolean }[]>`
      select id = (select min(id) from accounts) as is_default
      from accounts
      where id = ${id}
        and name = ${name}
      for update
    `;
    if (!found) return "missing";
    if (found.is_default) return "default";
    // Its runs, and its records in departments, may be millions of rows.
    await sql`select set_config('statement_timeout', '0', true)`;
    await sql`delete from accounts where id = ${id}`;
    return "deleted";
  }) as Promise<"deleted" | "default" | "missing">;
