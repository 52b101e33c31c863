/** The data folder of the embedded database: made whole or not at all, and never over something else. */
import { Backend } from "./backend.ts";

/** Stands in a folder while it is filled. One that still has it was cut off there, and holds nobody's data. */
const UNFINISHED = "unfinished";
const VERSION = "PG_VERSION";

/**
 * Opens the database of a folder, or makes one there. Whoever calls holds the folder's lock.
 *
 * @param load what to fill a folder with that has no database yet; without it, an empty database
 * @throws {Error} where the folder holds a database and `load` is given, or other things
 * @throws {BackendStopped}
 */
export async function openFolder(folder: string, load?: Blob): Promise<Backend> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const names = new Set((await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name));
  if (names.has(VERSION) && !names.has(UNFINISHED)) {
    if (load) throw new Error(`The folder ${folder} already holds a database`);
    return await Backend.open(folder);
  }
  if (names.size > 0 && !names.has(UNFINISHED)) {
    throw new Error(`The folder ${folder} holds no database, but other things: it must be empty, or not exist`);
  }
  await Promise.all([...names].filter((name) => name !== UNFINISHED).map((name) => remove(`${folder}/${name}`)));
  await Deno.writeTextFile(`${folder}/${UNFINISHED}`, "");
  const backend = await Backend.open(folder, load ?? await emptyDatabase());
  await Deno.remove(`${folder}/${UNFINISHED}`);
  return backend;
}

/** Made in memory and then loaded: a second sooner than where PGlite makes it in the folder. */
async function emptyDatabase(): Promise<Blob> {
  const backend = await Backend.open(null);
  try {
    backend.select("checkpoint");
    return await backend.dump();
  } finally {
    await backend.close();
  }
}

const remove = (path: string) => Deno.remove(path, { recursive: true });
