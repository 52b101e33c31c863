import type { Sql } from "../../database/pool.ts";
import { listJson, oneJson, slice } from "../../database/lists.ts";
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

export const listEntries = <T extends Entry>(sql: Sql, directory: Directory, account: number, page: EntryPage) =>
  listJson<T>(
    sql,
    sql`
      select ${columns(sql, directory)}
      from ${sql(directory)}
      where account_id = ${account}
      order by ${orders(sql)[page.sort ?? "name"]}
      ${slice(sql, page)}
    `,
    sql`select count(*) from ${sql(directory)} where account_id = ${account}`,
  );

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
