/** SQL of API tokens. */
import type { Buffer } from "node:buffer";
import type { Viewer } from "../../viewer.ts";
import { containing, within } from "../../database/like.ts";
import type { Sql } from "../../database/pool.ts";
import { fold } from "../../input/shapes.ts";
import { listJson, slice } from "../../database/lists.ts";
import { relationOf, type Use } from "../../uses.ts";
import type { Token, TokenPage } from "./schema.ts";

const columns = (sql: Sql) =>
  sql`
    t.id, t.name, t.user_id as user_setting_id, t.scopes, iso(t.expires_at) as expires_at,
    iso(t.last_used_at) as last_used_at, iso(t.created_at) as created_at
  `;

/** The condition that the words are in the name or login of the token's user. */
const belongsTo = (sql: Sql, q: string) =>
  sql`exists (
    select
    from users u
    where u.id = t.user_id
      and (u.name ilike ${within(q)} or u.login_folded like ${containing(q)})
  )`;

/** @param user the owner of the tokens; null for the tokens of all users, from which the page may choose one */
export function listTokens(sql: Sql, account: number, user: number | null, page: TokenPage) {
  const { q, user_setting_id } = page;
  const whose = sql`
    t.account_id = ${account}
    ${user === null ? sql`` : sql`and t.user_id = ${user}`}
    ${user_setting_id === undefined ? sql`` : sql`and t.user_id = ${user_setting_id}`}
    ${
    q === undefined ? sql`` : sql`and (
      t.name_folded like ${containing(q)}
      ${user === null ? sql`or ${belongsTo(sql, q)}` : sql``}
    )`
  }
  `;
  const order = page.sort === "-id" ? sql`t.id desc` : sql`t.id`;
  return listJson<Token>(
    sql,
    sql`select ${columns(sql)} from tokens t where ${whose} order by ${order} ${slice(sql, page)}`,
    sql`select count(*) from tokens t where ${whose}`,
  );
}

export interface Row {
  account_id: number;
  user_id: number;
  name: string;
  hash: Buffer;
  scopes: string[] | null;
  expires_at: string | null;
  from_environment?: boolean;
}

/** Undefined if the account has no such user. */
export async function insertToken(sql: Sql, row: Row): Promise<Token | undefined> {
  const { account_id, user_id, name, hash, scopes, expires_at, from_environment = false } = row;
  const [token] = await sql<Token[]>`
    with t as (
      insert into tokens (account_id, user_id, name, name_folded, hash, scopes, expires_at, from_environment)
      select
        u.account_id, u.id, ${name}, ${fold(name)}, ${hash}, ${scopes}::text[], ${expires_at}::timestamptz,
        ${from_environment}
      from users u
      where u.id = ${user_id}
        and u.account_id = ${account_id}
      returning *
    )
    select ${columns(sql)} from t
  `;
  return token;
}

/** @param user deletes only a token of this user; null deletes any user's token */
export async function deleteToken(sql: Sql, account: number, user: number | null, id: number): Promise<boolean> {
  const { count } = await sql`
    delete from tokens
    where id = ${id}
      and account_id = ${account}
      and (${user}::int is null or user_id = ${user})
  `;
  return count > 0;
}

/**
 * The query of authentication, which uses an index. The token must be unexpired, and its user active.
 *
 * @param by the token's hash or id
 */
export async function findViewer(sql: Sql, by: Buffer | number): Promise<Viewer | undefined> {
  const [row] = await sql<Viewer[]>`
    select
      t.account_id, t.user_id, t.id as token_id, null as session_id, u.role, t.scopes, t.expires_at,
      a.departments_mode = 'restricted' as restricted, u.without_department,
      array(select d.department_id from department_users d where d.user_id = u.id) as department_ids
    from tokens t
    join users u on u.id = t.user_id
    join accounts a on a.id = t.account_id
    where ${typeof by === "number" ? sql`t.id = ${by}` : sql`t.hash = ${by}`}
      and u.active
      and (t.expires_at is null or t.expires_at > now())
  `;
  return row;
}

/** @param uses milliseconds since 1970 by token id */
export const touchTokens = (sql: Sql, uses: readonly Use[]) =>
  sql`
    update tokens t
    set last_used_at = to_timestamp(u.at / 1000.0)
    from ${relationOf(sql, uses)} u (id, account_id, at)
    where t.id = u.id
      and t.account_id = u.account_id
  `;
