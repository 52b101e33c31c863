/** SQL of the tables of one database. Every statement takes the database with its account. */
import type { Sql } from "../../database/pool.ts";

/** A database that the transaction has locked or created. */
export interface OwnDb {
  id: number;
  account_id: number;
}

export interface StoredTable {
  id: number;
  name: string;
  searched: string[];
}

const own = (sql: Sql, { id, account_id }: OwnDb) =>
  sql`(select id from dbs where id = ${id} and account_id = ${account_id})`;

export const listTables = (sql: Sql, db: OwnDb): Promise<StoredTable[]> =>
  sql<StoredTable[]>`
    select id, name, searched
    from db_tables
    where db_id = ${own(sql, db)}
    order by id
  `;

export async function insertTable(sql: Sql, db: OwnDb, name: string, searched: string[]): Promise<void> {
  await sql`
    insert into db_tables (db_id, name, searched)
    values (${own(sql, db)}, ${name}, ${searched})
  `;
}

export async function updateTable(sql: Sql, db: OwnDb, id: number, name: string, searched: string[]): Promise<void> {
  await sql`
    update db_tables
    set
      name = ${name},
      searched = ${searched}
    where id = ${id}
      and db_id = ${own(sql, db)}
  `;
}

/** Takes the table out of its database. Its records are deleted later, in small batches. */
export async function dropTable(sql: Sql, db: OwnDb, id: number): Promise<void> {
  await sql`
    update db_tables
    set db_id = null
    where id = ${id}
      and db_id = ${own(sql, db)}
  `;
}

/** @returns the number of records, or `limit` if there are more */
export async function countRecords(sql: Sql, db: OwnDb, table_id: number, limit: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from (
      select
      from records
      where table_id = (select id from db_tables where id = ${table_id} and db_id = ${own(sql, db)})
      limit ${limit}
    ) r
  `;
  return row?.count ?? 0;
}
