/** Vendor files in PostgreSQL: all server processes share them, and old ones stay available after an upgrade. */
import { Buffer } from "node:buffer";
import type { Sql } from "../../database/pool.ts";
import type { VendorFile } from "../compiler.ts";
import type { VendorStore } from "./vendor.ts";

export function createVendorFiles(sql: Sql): VendorStore {
  return {
    async get(file) {
      const [row] = await sql<VendorFile[]>`
        select content_type, body, brotli, gzip
        from vendor_files
        where file = ${file}
      `;
      if (!row) return undefined;
      const { content_type, body, brotli, gzip } = row;
      return {
        content_type,
        body: new Uint8Array(body),
        brotli: new Uint8Array(brotli),
        gzip: new Uint8Array(gzip),
      };
    },
    async put(file, { content_type, body, brotli, gzip }) {
      await sql`
        insert into vendor_files (file, content_type, body, brotli, gzip)
        values (${file}, ${content_type}, ${Buffer.from(body)}, ${Buffer.from(brotli)}, ${Buffer.from(gzip)})
        on conflict (file) do nothing
      `;
    },
  };
}
