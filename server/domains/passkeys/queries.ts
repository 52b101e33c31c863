/** SQL of passkeys. */
import type { Buffer } from "node:buffer";
import { listJson, oneJson, slice } from "../../database/lists.ts";
import type { Sql } from "../../database/pool.ts";
import type { Passkey, PasskeyPage } from "./schema.ts";

const columns = (sql: Sql) =>
  sql`p.id, p.user_id, p.name, iso(p.last_used_at) as last_used_at, iso(p.created_at) as created_at`;

export function listPasskeys(sql: Sql, account: number, user: number, page: PasskeyPage) {
  const chosen = sql`from passkeys p where p.account_id = ${account} and p.user_id = ${user}`;
  const order = page.sort === "-id" ? sql`p.id desc` : sql`p.id`;
  return listJson<Passkey>(
    sql,
    sql`select ${columns(sql)} ${chosen} order by ${order} ${slice(sql, page)}`,
    sql`select count(*) ${chosen}`,
  );
}

export async function hasPasskeys(sql: Sql, account: number): Promise<boolean> {
  const rows = await sql`select 1 from passkeys where account_id = ${account} limit 1`;
  return rows.length > 0;
}

/** A user who registers a passkey. */
export interface Registrant {
  account_name: string;
  login: string;
  name: string;
  /** Of the user's passkeys, if there are any. */
  user_handle: string | null;
  credentials: { id: string; transports: string[] }[];
}

export async function findRegistrant(sql: Sql, account: number, user: number): Promise<Registrant | undefined> {
  const [row] = await sql<Registrant[]>`
    select
      a.name as account_name, u.login, u.name,
      (select p.user_handle from passkeys p where p.user_id = u.id order by p.id limit 1) as user_handle,
      coalesce(
        (
          select jsonb_agg(jsonb_build_object('id', p.credential_id, 'transports', p.transports) order by p.id)
          from passkeys p
          where p.user_id = u.id
        ),
        '[]'
      ) as credentials
    from users u
    join accounts a on a.id = u.account_id
    where u.id = ${user}
      and u.account_id = ${account}
  `;
  return row;
}

export interface Row {
  account_id: number;
  user_id: number;
  name: string;
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
  user_handle: string;
}

/** Undefined where the user is gone, or has `most` passkeys. */
export const insertPasskey = (sql: Sql, row: Row, most: number) =>
  oneJson<Passkey>(
    sql,
    sql`select ${columns(sql)} from p`,
    sql`
      with p as (
        insert into passkeys (account_id, user_id, name, credential_id, public_key, counter, transports, user_handle)
        select
          u.account_id, u.id, ${row.name}, ${row.credential_id}, ${row.public_key}, ${row.counter},
          ${row.transports}::text[], ${row.user_handle}
        from users u
        where u.id = ${row.user_id}
          and u.account_id = ${row.account_id}
          and (select count(*) from passkeys known where known.user_id = u.id) < ${most}
        returning *
      )
    `,
  );

export const updatePasskey = (sql: Sql, account: number, user: number, id: number, name: string | undefined) =>
  oneJson<Passkey>(
    sql,
    sql`select ${columns(sql)} from p`,
    sql`
      with p as (
        update passkeys
        set name = coalesce(${name ?? null}, name)
        where id = ${id}
          and account_id = ${account}
          and user_id = ${user}
        returning *
      )
    `,
  );

/** @param user deletes only a passkey of this user; null deletes any user's */
export async function deletePasskey(sql: Sql, account: number, user: number | null, id: number): Promise<boolean> {
  const { count } = await sql`
    delete from passkeys
    where id = ${id}
      and account_id = ${account}
      and (${user}::int is null or user_id = ${user})
  `;
  return count > 0;
}

/** What the check of a signature needs. */
export interface Credential {
  id: number;
  account_id: number;
  user_id: number;
  public_key: Buffer;
  counter: number;
  user_handle: string;
}

export async function findCredential(
  sql: Sql,
  account: number,
  credential_id: string,
): Promise<Credential | undefined> {
  const [row] = await sql<Credential[]>`
    select p.id, p.account_id, p.user_id, p.public_key, p.counter::float8 as counter, p.user_handle
    from passkeys p
    join users u on u.id = p.user_id
    where p.credential_id = ${credential_id}
      and p.account_id = ${account}
      and u.active
  `;
  return row;
}

/**
 * Records a use. @returns false where the counter has not grown since the credential was read: then two answers use the
 * same count. An authenticator that does not count always sends 0.
 */
export async function touchPasskey(sql: Sql, account: number, id: number, counter: number): Promise<boolean> {
  const { count } = await sql`
    update passkeys
    set counter = ${counter},
        last_used_at = now()
    where id = ${id}
      and account_id = ${account}
      and (counter < ${counter} or counter = 0 and ${counter}::bigint = 0)
  `;
  return count > 0;
}
