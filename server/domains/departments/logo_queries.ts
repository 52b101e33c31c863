import { Buffer } from "node:buffer";
import type { Sql } from "../../database/pool.ts";

/** The name is the hash of the content, so a logo that is uploaded twice is stored once. */
export const insertLogo = (sql: Sql, file: string, content_type: string, body: Uint8Array) =>
  sql`
    insert into logos (file, content_type, body)
    values (${file}, ${content_type}, ${Buffer.from(body.buffer, body.byteOffset, body.byteLength)})
    on conflict (file) do nothing
  `;

/** Logos are public and belong to no account: mails of any age refer to them. */
export async function findLogo(sql: Sql, file: string) {
  const [logo] = await sql<{ content_type: string; body: Uint8Array }[]>`
    select content_type, body
    from logos
    where file = ${file}
  `;
  return logo;
}
