/** The data folder of the embedded database: created completely or not at all, and never over other files. */
import { existsSync } from "node:fs";
import { Backend, BackendStopped } from "./backend.ts";
import { unpack } from "./tarball.ts";
import { FORGET_UNUSED, makeDatabase, readTemplate, RENEW, UNUSED_FOLDERS } from "./template.ts";

/** This empty file marks a folder that is being filled. A folder that still has it was interrupted and holds no user data. */
const UNFINISHED = "unfinished";
const VERSION = "PG_VERSION";

/**
 * Opens the database in a folder, or creates one there. The caller holds the folder's lock.
 *
 * @param load a tarball that `dump` returned, to fill a folder that has no database yet; default: the template
 * @param template reads what a new folder begins with; a backend that refuses it makes its own with `initdb`
 * @throws {Error} if `load` is given and the folder already holds a database, or if the folder holds other files
 * @throws {BackendStopped}
 */
export async function openFolder(folder: string, load?: Uint8Array, template = readTemplate): Promise<Backend> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const names = await namesIn(folder);
  // A file of that name that has a content was not written by this module.
  const is_unfinished = names.includes(UNFINISHED) && (await Deno.stat(`${folder}/${UNFINISHED}`)).size === 0;
  if (names.includes(VERSION) && !is_unfinished) {
    if (load) throw new Error(`The folder ${folder} already holds a database`);
    return await Backend.open(folder);
  }
  if (names.length > 0 && !is_unfinished) {
    throw new Error(`The folder ${folder} holds no database, but other things: it must be empty, or not exist`);
  }
  await Deno.writeTextFile(`${folder}/${UNFINISHED}`, "");
  const backend = load ? await fill(folder, load) : await create(folder, template);
  await Deno.remove(`${folder}/${UNFINISHED}`);
  return backend;
}

async function create(folder: string, template: () => Promise<Uint8Array>): Promise<Backend> {
  try {
    const backend = await fill(folder, await template());
    backend.select(RENEW);
    return backend;
  } catch (error) {
    // The template was made by an older release of PGlite, which a later one may refuse.
    if (!(error instanceof BackendStopped)) throw error;
    const backend = await fill(folder, await makeDatabase(), UNUSED_FOLDERS);
    backend.select(FORGET_UNUSED);
    return backend;
  }
}

async function fill(folder: string, tarball: Uint8Array, left_out?: readonly string[]): Promise<Backend> {
  const old = (await namesIn(folder)).filter((name) => name !== UNFINISHED);
  await Promise.all(old.map((name) => Deno.remove(`${folder}/${name}`, { recursive: true })));
  await unpack(tarball, folder, left_out);
  return await Backend.open(folder);
}

/** Whether a database was created there, as opposed to one that is still to be. */
export function isCreated(folder: string): boolean {
  return existsSync(`${folder}/${VERSION}`) && !existsSync(`${folder}/${UNFINISHED}`);
}

const namesIn = async (folder: string) => (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
