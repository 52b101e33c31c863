/** The users and mailboxes that are assigned to a department. */
import type postgres from "postgres";
import type { Sql } from "../../database/pool.ts";

/** Replaces the users of a department. @returns ids that the account does not have; then nothing is changed */
export const replaceUsers = (sql: Sql, account: number, department: number, ids: number[]) =>
  replaceAssigned(sql, ids, {
    known: sql`select id from users where account_id = ${account} and id = any(${ids}::int[])`,
    cleared: sql`
      delete from department_users
      where department_id = (${own(sql, account, department)})
        and user_id <> all(${ids}::int[])
    `,
    added: sql`
      insert into department_users (department_id, user_id)
      select (${own(sql, account, department)}), unnest(${ids}::int[])
      on conflict do nothing
    `,
  });

/** Replaces the mailboxes of a department. @returns ids that the account does not have; then nothing is changed */
export const replaceMailboxes = (sql: Sql, account: number, department: number, ids: number[]) =>
  replaceAssigned(sql, ids, {
    known: sql`select id from mailboxes where account_id = ${account} and id = any(${ids}::int[])`,
    cleared: sql`
      delete from department_mailboxes
      where department_id = (${own(sql, account, department)})
        and mailbox_id <> all(${ids}::int[])
    `,
    added: sql`
      insert into department_mailboxes (department_id, mailbox_id)
      select (${own(sql, account, department)}), unnest(${ids}::int[])
      on conflict do nothing
    `,
  });

/** The department's id, if it belongs to the account. */
const own = (sql: Sql, account: number, department: number) =>
  sql`select id from departments where id = ${department} and account_id = ${account}`;

async function replaceAssigned(
  sql: Sql,
  ids: number[],
  { known, cleared, added }: Record<"known" | "cleared" | "added", postgres.PendingQuery<postgres.Row[]>>,
): Promise<number[]> {
  const found = new Set((await sql<{ id: number }[]>`${known}`).map(({ id }) => id));
  const unknown = ids.filter((id) => !found.has(id));
  if (unknown.length > 0) return unknown;
  await sql`${cleared}`;
  await sql`${added}`;
  return [];
}
