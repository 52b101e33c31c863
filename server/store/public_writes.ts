/** Writes of callers without login, counted for all processes together. */
import type { Sql } from "../database.ts";

/** @returns how many this address has made in this minute, this one included */
export async function countPublicWrite(sql: Sql, db_id: number, address: string, now: Date): Promise<number> {
  const minute = Math.floor(now.getTime() / 60_000);
  const [row] = await sql<{ count: number }[]>`
    insert into public_writes (db_id, address, minute, count)
    values (${db_id}, ${address}, ${minute}, 1)
    on conflict (db_id, address) do update set
      count = case when public_writes.minute = excluded.minute then public_writes.count + 1 else 1 end,
      minute = excluded.minute
    returning count
  `;
  return row?.count ?? 1;
}

/** @returns how many it dropped */
export async function sweepPublicWrites(sql: Sql, now: Date, at_most: number): Promise<number> {
  const { count } = await sql`
    delete from public_writes
    where (db_id, address) in (
      select db_id, address
      from public_writes
      where minute < ${Math.floor(now.getTime() / 60_000) - 1}
      limit ${at_most}
    )
  `;
  return count;
}
