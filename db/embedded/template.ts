/** The empty database with which a data folder begins. */
import { Backend } from "./backend.ts";

/**
 * Reads a database that the publisher of PGlite initialised. It replaces `initdb`, which doubles the CPU time of a first
 * start and needs 560 MB of memory instead of 240 MB. A test compares its catalogs with those that `initdb` makes.
 *
 * @returns a gzipped tarball
 */
export async function readTemplate(): Promise<Blob> {
  // Imported here, so that a process with a PostgreSQL server never loads it.
  const { dataDir } = await import("@electric-sql/pglite-prepopulatedfs");
  return await dataDir();
}

/** Runs `initdb` in memory. @returns a tarball */
export async function makeDatabase(): Promise<Blob> {
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
 * creates a further database in a data folder, so these are not unpacked. The numbers are fixed in PostgreSQL.
 */
export const UNUSED_FOLDERS = ["base/1", "base/4"];

/** Removes the databases of {@linkcode UNUSED_FOLDERS} from the catalog. */
export function forgetUnused(backend: Backend): void {
  backend.select(`
    delete from pg_shdescription
    where classoid = 'pg_database'::regclass
      and objoid in (select oid from pg_database where datname in ('template0', 'template1'))
  `);
  backend.select("delete from pg_database where datname in ('template0', 'template1')");
}
