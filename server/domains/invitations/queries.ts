/** SQL of invitations. */
import type { Buffer } from "node:buffer";
import { containing } from "../../database/like.ts";
import { listJson, oneJson, slice } from "../../database/lists.ts";
import type { Sql } from "../../database/pool.ts";
import { fold } from "../../input/shapes.ts";
import type { Invitation, InvitationPage } from "./schema.ts";

export const VALID_DAYS = 7;

const columns = (sql: Sql) =>
  sql`
    i.id, i.email, i.name, i.role,
    array(select d.department_id from invitation_departments d where d.invitation_id = i.id order by 1)
      as department_ids,
    i.without_department, i.invited_by, iso(i.created_at) as created_at, iso(i.expires_at) as expires_at
  `;

export function listInvitations(sql: Sql, account: number, page: InvitationPage) {
  const { q } = page;
  const open = sql`
    from invitations i
    where i.account_id = ${account}
      and i.expires_at > now()
      ${
    q === undefined ? sql`` : sql`and (i.name_folded like ${containing(q)} or i.email_folded like ${containing(q)})`
  }
  `;
  return listJson<Invitation>(
    sql,
    sql`
      select ${columns(sql)}
      ${open}
      order by ${page.sort === "-id" ? sql`i.id desc` : sql`i.id`}
      ${slice(sql, page)}
    `,
    sql`select count(*) ${open}`,
  );
}

export const findInvitation = (sql: Sql, account: number, id: number) =>
  oneJson<Invitation>(
    sql,
    sql`select ${columns(sql)} from invitations i where i.id = ${id} and i.account_id = ${account}`,
  );

export interface Row {
  account_id: number;
  invited_by: number;
  email: string;
  email_folded: string;
  name: string;
  role: string;
  without_department: boolean;
  hash: Buffer;
}

/** An invitation of the same address that has expired gives way. @returns undefined if that address has an open one */
export async function insertInvitation(sql: Sql, row: Row, department_ids: number[]): Promise<number | undefined> {
  const { account_id, invited_by, email, email_folded, name, role, without_department, hash } = row;
  await sql`
    delete from invitations
    where account_id = ${account_id}
      and email_folded = ${email_folded}
      and expires_at <= now()
  `;
  const [invitation] = await sql<{ id: number }[]>`
    insert into invitations
      (account_id, invited_by, email, email_folded, name, name_folded, role, without_department, hash, expires_at)
    values (
      ${account_id}, ${invited_by}, ${email}, ${email_folded}, ${name}, ${
    fold(name)
  }, ${role}, ${without_department}, ${hash},
      now() + make_interval(days => ${VALID_DAYS})
    )
    on conflict (account_id, email_folded) do nothing
    returning id
  `;
  if (!invitation) return undefined;
  await sql`
    insert into invitation_departments (invitation_id, department_id)
    select ${invitation.id}, unnest(${department_ids}::int[])
  `;
  return invitation.id;
}

/** @param inviter only an invitation of this user; null any */
export async function deleteInvitation(sql: Sql, account: number, id: number, inviter: number | null) {
  const { count } = await sql`
    delete from invitations
    where id = ${id}
      and account_id = ${account}
      ${inviter === null ? sql`` : sql`and invited_by = ${inviter}`}
  `;
  return count > 0;
}

/** @returns those of the ids that are departments of the account */
export async function knownDepartments(sql: Sql, account: number, ids: number[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from departments where account_id = ${account} and id = any(${ids}::int[]) limit ${ids.length}
  `;
  return rows.map(({ id }) => id);
}

/** Whether the account has a user with this address or login. */
export async function isTaken(sql: Sql, account: number, email_folded: string): Promise<boolean> {
  const rows = await sql`
    select 1
    from users
    where account_id = ${account}
      and (email_folded = ${email_folded} or login_folded = ${email_folded})
    limit 1
  `;
  return rows.length > 0;
}

/** An invitation that can be accepted, as far as it does not depend on its inviter. */
export interface Stored {
  id: number;
  account_id: number;
  account: string;
  invited_by: number;
  email: string;
  name: string;
  role: string;
  without_department: boolean;
  department_ids: number[];
}

/** @param locks within a transaction: others who accept it wait, and then find none */
export async function findByHash(sql: Sql, hash: Buffer, locks: boolean): Promise<Stored | undefined> {
  const [row] = await sql<Stored[]>`
    select
      i.id, i.account_id, a.name as account, i.invited_by, i.email, i.name, i.role, i.without_department,
      array(select d.department_id from invitation_departments d where d.invitation_id = i.id) as department_ids
    from invitations i
    join accounts a on a.id = i.account_id
    where i.hash = ${hash}
      and i.expires_at > now()
    ${locks ? sql`for update of i` : sql``}
  `;
  return row;
}

/** Deletes invitations and password resets that have expired. @returns how many, at most `at_once` of each */
export async function deleteExpired(sql: Sql, at_once: number): Promise<number> {
  const invitations = await sql`
    delete from invitations i
    where i.ctid = any(array(select i.ctid from invitations i where i.expires_at <= now() limit ${at_once}))
  `;
  const resets = await sql`
    delete from password_resets r
    where r.ctid = any(array(select r.ctid from password_resets r where r.expires_at <= now() limit ${at_once}))
  `;
  return Math.max(invitations.count, resets.count);
}
