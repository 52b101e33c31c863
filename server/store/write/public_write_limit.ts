/** Writes of callers without login, counted for all processes together. */
import ipaddr from "ipaddr.js";
import type { Sql } from "../../database/pool.ts";

/**
 * Whose writes are counted together: an IPv4 address, of IPv6 the 64 bits that name a network, because whoever has one
 * address of it has all 2^64.
 */
export function countedAs(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const known = ipaddr.process(address);
  if (known instanceof ipaddr.IPv4) return known.toString();
  return `${new ipaddr.IPv6([...known.parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}

/** @returns how many this address has made in this minute, this one included */
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
