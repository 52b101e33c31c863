/** The database with which a data folder begins: it has the tables of this version, and no data. */
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { Backend } from "./backend.ts";

/** `deno task build:database` writes it. */
export const TEMPLATE = new URL("./template.tar.br", import.meta.url);
/** More than the template has, so that it is written once, in one piece. What it does not fill takes no memory. */
const CHUNK_BYTES = 64 << 20;

/**
 * Reads the template. Without it a first start runs `initdb`, which needs 560 MB of memory instead of 240 MB, and all
 * migrations, which take 2 s. Migrations that are newer than the template are applied as after an upgrade. A test compares
 * its catalogs with those that `initdb` and the migrations make.
 *
 * @returns a tarball
 */
export async function readTemplate(): Promise<Uint8Array> {
  return await promisify(brotliDecompress)(await Deno.readFile(TEMPLATE), { chunkSize: CHUNK_BYTES });
}

/** Runs `initdb` in memory. @returns a tarball */
export async function makeDatabase(): Promise<Uint8Array> {
  const backend = await Backend.open(null);
  try {
    backend.select("checkpoint");
    return await backend.dump();
  } finally {
    await backend.close();
  }
}

/**
 * Folders of `template0` and `template1`, which `create database` copies: most of the files of an empty database. Nothing
 * creates a further database in a data folder, so `initdb` makes them in vain. The numbers are fixed in PostgreSQL.
 */
export const UNUSED_FOLDERS = ["base/1", "base/4"];

/** Statements that remove the databases of {@linkcode UNUSED_FOLDERS} from the catalog. */
export const FORGET_UNUSED = `
  delete from pg_shdescription
  where classoid = 'pg_database'::regclass
    and objoid in (select oid from pg_database where datname in ('template0', 'template1'));
  delete from pg_database where datname in ('template0', 'template1')
`;

/** Statements that write anew what migrations have written once for each database. */
export const RENEW = `
  update migrations set applied_at = default;
  update readiness set checked_at = default;
  update kv_identity set id = default
`;
