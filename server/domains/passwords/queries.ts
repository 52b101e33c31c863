/** SQL of passwords. */
import type { Buffer } from "node:buffer";
import type { Sql } from "../../database/pool.ts";
import type { Names } from "./new_password.ts";

/** What a new password of a user is compared with. */
export interface Credentials extends Names {
  password_hash: string | null;
}

export async function findCredentials(sql: Sql, account: number, user: number): Promise<Credentials | undefined> {
  const [row] = await sql<Credentials[]>`
    select login, email, name, password_hash
    from users
    where id = ${user}
      and account_id = ${account}
  `;
  return row;
}

/**
 * Links to reset the password end with it.
 *
 * @returns false if the user's password is no longer the one with the hash `known`, or the user is not active
 */
export async function replacePassword(
  sql: Sql,
  account: number,
  user: number,
  known: string | null,
  password_hash: string,
): Promise<boolean> {
  const { count } = await sql`
    update users
    set
      password_hash = ${password_hash},
      lock_version = lock_version + 1,
      updated_at = now()
    where id = ${user}
      and account_id = ${account}
      and active
      and password_hash is not distinct from ${known}
  `;
  if (count > 0) await deleteReset(sql, account, user);
  return count > 0;
}

export const deleteReset = (sql: Sql, account: number, user: number) =>
  sql`delete from password_resets where user_id = ${user} and account_id = ${account}`;

export const RESET_HOURS = 24;

/** A link replaces the user's link before. @returns when it expires; undefined if the user is gone or not active */
export async function insertReset(sql: Sql, account: number, user: number, hash: Buffer): Promise<string | undefined> {
  const [row] = await sql<{ expires_at: string }[]>`
    insert into password_resets (account_id, user_id, hash, expires_at)
    select account_id, id, ${hash}, now() + make_interval(hours => ${RESET_HOURS})
    from users
    where id = ${user}
      and account_id = ${account}
      and active
    on conflict (user_id) do update set hash = excluded.hash, expires_at = excluded.expires_at
    returning iso(expires_at) as expires_at
  `;
  return row?.expires_at;
}

/** A link that can be used now. */
export interface Reset {
  account_id: number;
  account: string;
  user_id: number;
  login: string;
  email: string;
  name: string;
  password_hash: string | null;
}

/** A use replaces the password that the link found, so that a second use at the same time fails. */
export async function findReset(sql: Sql, hash: Buffer): Promise<Reset | undefined> {
  const [row] = await sql<Reset[]>`
    select r.account_id, a.name as account, r.user_id, u.login, u.email, u.name, u.password_hash
    from password_resets r
    join users u on u.id = r.user_id
    join accounts a on a.id = r.account_id
    where r.hash = ${hash}
      and r.expires_at > now()
      and u.active
  `;
  return row;
}
