/** What a change would lose beside what its caller sees. */
import type { Sql } from "../../database/pool.ts";

/** Whether a table has records, also such as the caller does not see. @param table_name empty in a database with one */
export async function hasRecords(sql: Sql, account_id: number, db_id: number, table_name: string): Promise<boolean> {
  const [row] = await sql`
    select
    from db_tables t
    join dbs d on d.id = t.db_id
    where d.id = ${db_id}
      and d.account_id = ${account_id}
      and t.name = ${table_name}
      and exists (select from records r where r.table_id = t.id)
  `;
  return row !== undefined;
}
