import type { Sql } from "../../database/pool.ts";
import { oneJson } from "../../database/lists.ts";
import type { Account, AccountChanges } from "./schema.ts";

const columns = (sql: Sql) =>
  sql`id, name, host, main_department_id, jsonb_build_object('mode', departments_mode) as departments`;

export const findAccount = (sql: Sql, account: number) =>
  oneJson<Account>(sql, sql`select ${columns(sql)} from accounts where id = ${account}`);

/** Choosing the mode marks it as chosen by an admin: the second department then leaves it alone. */
export const updateAccount = (sql: Sql, account: number, { name, host, departments }: AccountChanges) =>
  oneJson<Account>(
    sql,
    sql`select ${columns(sql)} from updated`,
    sql`
      with updated as (
        update accounts
        set
          name = coalesce(${name ?? null}, name),
          host = case when ${host !== undefined} then ${host ?? null} else host end,
          departments_mode = coalesce(${departments?.mode ?? null}, departments_mode),
          departments_mode_chosen = departments_mode_chosen or ${departments !== undefined},
          updated_at = now()
        where id = ${account}
        returning *
      )
    `,
  );

/** The account that a request without a login belongs to: that of its host, else the default (oldest) one. */
export async function findAccountOfHost(sql: Sql, host: string): Promise<number | undefined> {
  const [account] = await sql<{ id: number }[]>`
    select id
    from accounts
    where host = any(${[host, host.replace(/:\d+$/, "")]})
      or id = (select min(id) from accounts)
    order by coalesce(host = any(${[host, host.replace(/:\d+$/, "")]}), false) desc, id
    limit 1
  `;
  return account?.id;
}
