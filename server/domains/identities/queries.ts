/** SQL of identities. Each lookup is by issuer and subject, never by an e-mail address. */
import { listJson, slice } from "../../database/lists.ts";
import type { Sql } from "../../database/pool.ts";
import type { Identity as Named } from "../../secrets/identity_provider.ts";
import type { Identity, IdentityPage } from "./schema.ts";

export function listIdentities(sql: Sql, account: number, user: number, page: IdentityPage) {
  const chosen = sql`from identities i where i.account_id = ${account} and i.user_id = ${user}`;
  return listJson<Identity>(
    sql,
    sql`
      select
        i.id, i.user_id, i.issuer, i.subject, i.email, iso(i.last_used_at) as last_used_at,
        iso(i.created_at) as created_at
      ${chosen}
      order by ${page.sort === "-id" ? sql`i.id desc` : sql`i.id`}
      ${slice(sql, page)}
    `,
    sql`select count(*) ${chosen}`,
  );
}

/** @param user deletes only an identity of this user; null deletes any user's */
export async function deleteIdentity(sql: Sql, account: number, user: number | null, id: number): Promise<boolean> {
  const { count } = await sql`
    delete from identities
    where id = ${id}
      and account_id = ${account}
      and (${user}::int is null or user_id = ${user})
  `;
  return count > 0;
}

/** The user of an identity, active or not. */
export async function findIdentityUser(
  sql: Sql,
  account: number,
  { issuer, subject }: Named,
): Promise<{ account_id: number; user_id: number } | undefined> {
  const [row] = await sql<{ account_id: number; user_id: number }[]>`
    select account_id, user_id
    from identities
    where account_id = ${account}
      and issuer = ${issuer}
      and subject = ${subject}
  `;
  return row;
}

/** @returns false where the identity has a user already, or the user is gone or switched off */
export async function insertIdentity(sql: Sql, account: number, user: number, named: Named): Promise<boolean> {
  const { count } = await sql`
    insert into identities (account_id, user_id, issuer, subject, email)
    select u.account_id, u.id, ${named.issuer}, ${named.subject}, ${named.email ?? null}
    from users u
    where u.id = ${user}
      and u.account_id = ${account}
      and u.active
    on conflict do nothing
  `;
  return count > 0;
}

/** Records a sign-in, and the e-mail address as it is now. */
export const touchIdentity = (sql: Sql, account: number, { issuer, subject, email }: Named) =>
  sql`
    update identities
    set last_used_at = now(),
        email = ${email ?? null}
    where account_id = ${account}
      and issuer = ${issuer}
      and subject = ${subject}
  `;

/** Whether a user has an identity of this issuer. */
export async function isLinked(sql: Sql, account: number, user: number, issuer: string): Promise<boolean> {
  const rows = await sql`
    select 1
    from identities
    where account_id = ${account}
      and user_id = ${user}
      and issuer = ${issuer}
    limit 1
  `;
  return rows.length > 0;
}

/** Whether a user has this login or e-mail address. */
export async function isTaken(sql: Sql, account: number, folded: readonly string[]): Promise<boolean> {
  const rows = await sql`
    select 1
    from users
    where account_id = ${account}
      and (login_folded = any(${[...folded]}::text[]) or email_folded = any(${[...folded]}::text[]))
    limit 1
  `;
  return rows.length > 0;
}

/** Whether an active admin has signed in with this issuer. */
export async function hasSignedInAdmin(sql: Sql, account: number, issuer: string): Promise<boolean> {
  const rows = await sql`
    select 1
    from identities i
    join users u on u.id = i.user_id
    where i.account_id = ${account}
      and i.issuer = ${issuer}
      and i.last_used_at is not null
      and u.role = 'admin'
      and u.active
    limit 1
  `;
  return rows.length > 0;
}
