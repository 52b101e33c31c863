import type { Sql } from "../../database/pool.ts";
import { listJson, oneJson, slice } from "../../database/lists.ts";
import { containing, within } from "../../database/like.ts";
import { fold } from "../../input/shapes.ts";
import type { Entry, EntryPage } from "./schema.ts";

/** Tables with the same columns: an account, a name, times. Only mailboxes have an e-mail address, too. */
export type Directory = "teams" | "groups" | "mailboxes";

export interface Values {
  name?: string;
  email?: string | null;
}

const columns = (sql: Sql, directory: Directory) =>
  sql`
    id, name, ${directory === "mailboxes" ? sql`email,` : sql``}
    lock_version, iso(created_at) as created_at, iso(updated_at) as updated_at
  `;

const orders = (sql: Sql) => ({
  name: sql`name_folded`,
  "-name": sql`name_folded desc`,
  id: sql`id`,
  "-id": sql`id desc`,
});

/** What only lists have: of a row `e`. */
const MORE: Record<Directory, (sql: Sql) => ReturnType<Sql>> = {
  teams: (sql) => sql`(select count(*) from team_users m where m.team_id = e.id)::int as user_count`,
  groups: (sql) => sql`(select count(*) from group_users m where m.group_id = e.id)::int as user_count`,
  mailboxes: (sql) =>
    sql`
      coalesce(
        (
          select json_agg(json_build_object('id', d.id, 'name', d.name) order by d.name_folded)
          from department_mailboxes m
          join departments d on d.id = m.department_id
          where m.mailbox_id = e.id
        ),
        '[]'
      ) as departments
    `,
};

export function listEntries<T extends Entry>(sql: Sql, directory: Directory, account: number, page: EntryPage) {
  const { q, id, sort = "name" } = page;
  const found = q === undefined
    ? sql``
    : directory === "mailboxes"
    ? sql`and (name_folded like ${containing(q)} or email ilike ${within(q)})`
    : sql`and name_folded like ${containing(q)}`;
  const chosen = sql`
    from ${sql(directory)} e
    where account_id = ${account}
      ${id === undefined ? sql`` : sql`and id = ${id}`}
      ${found}
  `;
  return listJson<T>(
    sql,
    sql`
      select ${columns(sql, directory)}, ${MORE[directory](sql)}
      ${chosen}
      order by ${orders(sql)[sort]}
      ${slice(sql, page)}
    `,
    sql`select count(*) ${chosen}`,
  );
}

const withName = ({ name, ...rest }: Values) => name === undefined ? rest : { ...rest, name, name_folded: fold(name) };

export const insertEntry = <T extends Entry>(sql: Sql, directory: Directory, account: number, values: Values) =>
  oneJson<T>(
    sql,
    sql`select ${columns(sql, directory)} from inserted`,
    sql`
      with inserted as (
        insert into ${sql(directory)} ${sql({ account_id: account, ...withName(values) })}
        returning *
      )
    `,
  );

export const findEntry = <T extends Entry>(sql: Sql, directory: Directory, account: number, id: number) =>
  oneJson<T>(
    sql,
    sql`select ${columns(sql, directory)} from ${sql(directory)} where id = ${id} and account_id = ${account}`,
  );

/**
 * @param lock_version the version that the caller has read; undefined skips the check
 * @returns undefined if there is no such entry, or not in this version
 */
export const updateEntry = <T extends Entry>(
  sql: Sql,
  directory: Directory,
  account: number,
  id: number,
  values: Values,
  lock_version: number | undefined,
) =>
  oneJson<T>(
    sql,
    sql`select ${columns(sql, directory)} from updated`,
    sql`
      with updated as (
        update ${sql(directory)}
        set ${sql({ ...withName(values), updated_at: new Date() })}, lock_version = lock_version + 1
        where id = ${id}
          and account_id = ${account}
          ${lock_version === undefined ? sql`` : sql`and lock_version = ${lock_version}`}
        returning *
      )
    `,
  );

export async function deleteEntry(sql: Sql, directory: Directory, account: number, id: number): Promise<boolean> {
  const { count } = await sql`delete from ${sql(directory)} where id = ${id} and account_id = ${account}`;
  return count > 0;
}
