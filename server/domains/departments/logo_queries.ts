import { Buffer } from "node:buffer";
import type { Sql } from "../../database/pool.ts";

/** Content-addressed: storing the same logo twice is storing it once. */
export const insertLogo = (sql: Sql, file: string, content_type: string, body: Uint8Array) =>
  sql`
    insert into logos (file, content_type, body)
    values (${file}, ${content_type}, ${Buffer.from(body.buffer, body.byteOffset, body.byteLength)})
    on conflict (file) do nothing
  `;

export async function findLogo(sql: Sql, file: string) {
  const [logo] = await sql<{ content_type: string; body: Uint8Array }[]>`
    select content_type, body
    from logos
    where file = ${file}
  `;
  return logo;
}
