/** SQL of the proof of viewers that hosts vouch for. A JWT names its key, which names the account. */
import type { Sql } from "../../database/pool.ts";
import { fold } from "../../input/shapes.ts";
import type { Viewer } from "../../viewer.ts";

export interface StoredKey {
  id: number;
  account_id: number;
  secret: Uint8Array;
  secret_key_id: string;
}

export async function findKey(sql: Sql, id: number): Promise<StoredKey | undefined> {
  const [key] = await sql<
    StoredKey[]
  >`select id, account_id, secret, secret_key_id from embedding_keys where id = ${id}`;
  return key;
}

/** The id of the user whom a JWT names, active or not. @param name login or e-mail address; a login goes first */
export async function findNamed(sql: Sql, account: number, name: string): Promise<number | undefined> {
  const folded = fold(name);
  const [user] = await sql<{ id: number }[]>`
    select id
    from users
    where account_id = ${account}
      and (login_folded = ${folded} or email_folded = ${folded})
    order by login_folded = ${folded} desc
    limit 1
  `;
  return user?.id;
}

export async function createsGuests(sql: Sql, account: number): Promise<boolean> {
  const rows = await sql`select 1 from accounts where id = ${account} and embedding_unknown_users = 'create_guest'`;
  return rows.length > 0;
}

/** Does nothing where another request has created the user in the meantime. */
export const insertGuest = (sql: Sql, account: number, email: string, name: string) =>
  sql`
    insert into users (account_id, login, login_folded, email, email_folded, name, role)
    values (${account}, ${email}, ${fold(email)}, ${email}, ${fold(email)}, ${name}, 'guest')
    on conflict do nothing
  `;

/** An active user of the key's account, while there is such a key. */
export async function findVouched(sql: Sql, key: number, user: number): Promise<Viewer | undefined> {
  const [viewer] = await sql<Viewer[]>`
    select
      u.account_id, u.id as user_id, null as token_id, null as session_id, u.role, null as scopes, null as expires_at,
      a.departments_mode = 'restricted' as restricted, u.without_department,
      array(select d.department_id from department_users d where d.user_id = u.id) as department_ids
    from embedding_keys k
    join users u on u.account_id = k.account_id
    join accounts a on a.id = k.account_id
    where k.id = ${key}
      and u.id = ${user}
      and u.active
  `;
  return viewer;
}
