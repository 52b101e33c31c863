/** SQL of passwords. */
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

/** @returns false if the user's password is no longer the one with the hash `known`, or the user is not active */
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
  return count > 0;
}
