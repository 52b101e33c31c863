import type { Sql } from "../../database/pool.ts";
import type { Json } from "../../database/json.ts";
import { oneJson } from "../../database/lists.ts";
import { notFound } from "../../errors.ts";
import type { Account, AccountChanges, SignInSettings } from "./schema.ts";

export const accountColumns = (sql: Sql) =>
  sql`id, name, host, main_department_id, jsonb_build_object('mode', departments_mode) as departments,
    jsonb_build_object('oidc_creates_users', oidc_creates_users, 'oidc_only', oidc_only) as sign_in,
    rate_limits`;

export const findAccount = (sql: Sql, account: number) =>
  oneJson<Account>(sql, sql`select ${accountColumns(sql)} from accounts where id = ${account}`);

/** @throws {Refusal} 404 if the account was deleted after the caller was authenticated */
export async function readAccount(sql: Sql, account: number): Promise<Json<Account>> {
  const found = await findAccount(sql, account);
  if (!found) throw notFound("Account");
  return found;
}

/**
 * Locks the account's row until the transaction ends. Every change of the main department, of the mode and of the last
 * admin takes this lock first. `for update` would also stop every insert of a row that names the account, and wait for
 * transactions that have inserted one: a deadlock, where these wait for the department or user that is changed.
 */
export const lockAccount = (sql: Sql, account: number) =>
  sql`
    select 1
    from accounts
    where id = ${account}
    for no key update
  `;

/** A change of the mode also records that an admin chose it. The second department then no longer changes the mode. */
export const updateAccount = (
  sql: Sql,
  account: number,
  { name, host, departments, rate_limits, sign_in }: AccountChanges,
) =>
  oneJson<Account>(
    sql,
    sql`select ${accountColumns(sql)} from updated`,
    sql`
      with updated as (
        update accounts
        set
          name = coalesce(${name ?? null}, name),
          host = case when ${host !== undefined} then ${host ?? null} else host end,
          departments_mode = coalesce(${departments?.mode ?? null}, departments_mode),
          oidc_creates_users = coalesce(${sign_in?.oidc_creates_users ?? null}, oidc_creates_users),
          oidc_only = coalesce(${sign_in?.oidc_only ?? null}, oidc_only),
          departments_mode_chosen = departments_mode_chosen or ${departments !== undefined},
          rate_limits = coalesce(${
      rate_limits === undefined ? null : JSON.stringify(rate_limits)
    }::text::jsonb, rate_limits),
          updated_at = now()
        where id = ${account}
        returning *
      )
    `,
  );

/**
 * The account of a request without a login: the account with this host, otherwise the oldest one.
 *
 * @param host as sent: in any case, perhaps with the dot of a fully qualified name, and with or without a port
 */
export async function findAccountOfHost(sql: Sql, host: string): Promise<number | undefined> {
  const name = host.toLowerCase().replace(/\.(?=:\d+$|$)/, "");
  const spellings = [name, name.replace(/:\d+$/, "")];
  const [account] = await sql<{ id: number }[]>`
    select id
    from accounts
    where host = any(${spellings})
      or id = (select min(id) from accounts)
    order by coalesce(host = any(${spellings}), false) desc, id
    limit 1
  `;
  return account?.id;
}

/** What the sign-in page says of an account. */
export async function findSignInPage(
  sql: Sql,
  account: number,
): Promise<{ name: string; oidc_only: boolean } | undefined> {
  const [row] = await sql<{ name: string; oidc_only: boolean }[]>`
    select name, oidc_only from accounts where id = ${account}
  `;
  return row;
}

/** Undefined where there is no account. */
export async function findSignInSettings(sql: Sql, account: number): Promise<SignInSettings | undefined> {
  const [row] = await sql<SignInSettings[]>`select oidc_creates_users, oidc_only from accounts where id = ${account}`;
  return row;
}

/** Lets members sign in with passwords and passkeys again. @returns whether they could not before */
export async function leaveOidcOnly(sql: Sql, account: number): Promise<boolean> {
  const { count } = await sql`update accounts set oidc_only = false where id = ${account} and oidc_only`;
  return count > 0;
}

/** What links and mails of an account name: its own host, if it has one, and its name. */
export async function findAccountSite(sql: Sql, account: number) {
  const [row] = await sql<
    { name: string; host: string | null }[]
  >`select name, host from accounts where id = ${account}`;
  return row;
}
