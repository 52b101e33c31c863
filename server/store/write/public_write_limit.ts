/** Counts the writes of callers without a login, in PostgreSQL for all processes together. */
import type { Sql } from "../../database/pool.ts";
import { countedAs } from "../../fairness/counted_as.ts";

/** @returns the number of writes in this minute, including this one */
export async function countPublicWrite(sql: Sql, db_id: number, address: string, now: Date): Promise<number> {
  const minute = Math.floor(now.getTime() / 60_000);
  const [row] = await sql<{ count: number }[]>`
    insert into public_writes (db_id, address, minute, count)
    values (${db_id}, ${countedAs(address)}, ${minute}, 1)
    on conflict (db_id, address) do update set
      count = case when public_writes.minute = excluded.minute then public_writes.count + 1 else 1 end,
      minute = excluded.minute
    returning count
  `;
  return row?.count ?? 1;
}

/** @returns the number of deleted rows */
export async function sweepPublicWrites(sql: Sql, now: Date, at_most: number): Promise<number> {
  const { count } = await sql`
    delete from public_writes
    where ctid = any(array(
      select ctid
      from public_writes
      where minute < ${Math.floor(now.getTime() / 60_000) - 1}
      limit ${at_most}
      for update skip locked
    ))
  `;
  return count;
}
