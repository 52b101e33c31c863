/** Counts the writes of callers without a login, in PostgreSQL for all processes together. */
import ipaddr from "ipaddr.js";
import type { Sql } from "../../database/pool.ts";

/**
 * The unit in which writes are counted: an IPv4 address or an IPv6 /64 network, because the owner of one address in
 * such a network controls all 2^64 of them.
 */
export function countedAs(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const known = ipaddr.process(address);
  if (known instanceof ipaddr.IPv4) return known.toString();
  return `${new ipaddr.IPv6([...known.parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}

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
