/**
 * What was last pulled from a server or pushed to it: a copy of the folder in `.atrium/<server>/`, which Git ignores.
 * It tells changes on the server from changes here.
 */
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Files, readFiles, writeText } from "./folder.ts";

const ALL_IGNORED = "# What was last pulled from each server. Not shared: each working copy has its own.\n*\n";

export const hostOf = (url: string): string => URL.canParse(url) ? new URL(url).host : url;

const baseFolder = (folder: string, url: string) => join(folder, ".atrium", hostOf(url).replace(/[^\w.-]/g, "_"));

export const readBase = (folder: string, url: string): Promise<Files> => readFiles(baseFolder(folder, url));

/** Writes it as a whole. Only what has changed is written. */
export async function writeBase(folder: string, url: string, files: Files): Promise<void> {
  const root = baseFolder(folder, url);
  const known = await readFiles(root);
  for (const path of known.keys()) if (!files.has(path)) await rm(join(root, path), { force: true });
  for (const [path, text] of files) if (known.get(path) !== text) await writeText(root, path, text);
  const ignored = await stat(join(folder, ".atrium", ".gitignore")).then(() => true, () => false);
  if (!ignored) await writeText(folder, ".atrium/.gitignore", ALL_IGNORED);
}
