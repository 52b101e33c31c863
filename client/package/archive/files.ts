/**
 * The files of an account's folder on disk. Symbolic links are refused: with one, a folder from a stranger could send
 * other files to the server, or let the server's answer replace them.
 */
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Texts by path, such as `apps/counter.json`. */
export type Files = Map<string, string>;

/** What a user can mend. Printed without a stack. */
export class Fault extends Error {}

/** The folders of each kind of thing. */
export const FOLDERS: ReadonlyMap<string, string> = new Map([
  ["department", "departments"],
  ["connector", "connectors"],
  ["db", "dbs"],
  ["flow", "flows"],
  ["app", "apps"],
  ["trigger", "triggers"],
]);

/** The extensions of sources by engine: the usual one, then that of a source with TypeScript. */
export const EXTENSIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["svelte", ["svelte"]],
  ["vue", ["vue"]],
  ["react", ["jsx", "tsx"]],
  ["js", ["js"]],
  ["kaboom", ["js"]],
  ["phaser", ["js"]],
  ["html", ["html"]],
]);
export const SOURCES: readonly string[] = [...new Set([...EXTENSIONS.values()].flat())];

/**
 * The files of things.
 *
 * @param below a path inside of the folder
 * @returns by their paths below that; none where there is no such folder
 */
export async function readFiles(root: string, below = ""): Promise<Files> {
  const files: Files = new Map();
  for (const folder of FOLDERS.values()) {
    await proveNoLink(root, join(below, folder));
    const entries = await readdir(join(root, below, folder), { withFileTypes: true }).catch(missing);
    for (const entry of entries?.toSorted((a, b) => a.name < b.name ? -1 : 1) ?? []) {
      const { name } = entry;
      const extension = name.slice(name.lastIndexOf(".") + 1);
      const is_source = folder === "apps" && SOURCES.includes(extension);
      if (name.startsWith(".") || extension !== "json" && !is_source) continue;
      if (!entry.isFile()) throw new Fault(`${join(below, folder, name)} is no file, and links are not followed`);
      files.set(
        `${folder}/${name}`,
        decoded(await readFile(join(root, below, folder, name)), join(below, folder, name)),
      );
    }
  }
  return files;
}

/** Git on Windows ends lines with CR LF. To no engine that makes a difference, so it is no change either. */
export const withPlainLines = (text: string): string => text.replaceAll("\r\n", "\n");

/** Bytes of another encoding would become replacement characters, which a push would publish. @throws {Fault} */
function decoded(bytes: Uint8Array, path: string): string {
  try {
    return withPlainLines(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new Fault(`${path} is not in UTF-8: save it in that encoding`);
  }
}

/** Replaces the file as a whole. A failed write, for example on a full disk, leaves the previous content. */
export async function writeText(root: string, path: string, text: string): Promise<void> {
  const place = await placeFor(root, path);
  // A pull and a push leave out names that begin with a dot.
  const part = join(dirname(place), `.${basename(place)}.part`);
  try {
    // What an interrupted command has left, or a link.
    await rm(part, { force: true });
    await writeFile(part, text, { flag: "wx" });
    await rename(part, place);
  } catch (error) {
    await rm(part, { force: true });
    throw new Fault(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Makes the folders of a file that is to be written. @returns the file's path */
export async function placeFor(root: string, path: string): Promise<string> {
  await proveNoLink(root, path);
  const place = join(root, path);
  await mkdir(dirname(place), { recursive: true });
  return place;
}

export async function removeFile(root: string, path: string): Promise<void> {
  await proveNoLink(root, dirname(path));
  await rm(join(root, path), { force: true });
}

/** @throws {Fault} where the path, or a folder on the way to it, is a symbolic link */
async function proveNoLink(root: string, path: string): Promise<void> {
  let at = "";
  for (const part of path.split(/[\\/]/).filter(Boolean)) {
    at = join(at, part);
    const found = await lstat(join(root, at)).catch(missing);
    if (found?.isSymbolicLink()) throw new Fault(`${at} is a symbolic link, which is not followed`);
  }
}

function missing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return;
  throw error;
}
