/**
 * What was last pulled from a server or pushed to it: a copy of the folder in `.atrium/<server>/`, which Git ignores.
 * It tells changes on the server from changes here.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Files, readFiles, removeFile, writeText } from "./files.ts";

const ALL_IGNORED = "# What was last pulled from each server. Not shared: each working copy has its own.\n*\n";

export const hostOf = (url: string): string => URL.canParse(url) ? new URL(url).host : url;

const below = (url: string) => join(".atrium", hostOf(url).replace(/[^\w.-]/g, "_").replace(/^\.+$/, "_"));

export const readBase = (folder: string, url: string): Promise<Files> => readFiles(folder, below(url));

/** Writes it as a whole. Only what has changed is written. */
export async function writeBase(folder: string, url: string, files: Files): Promise<void> {
  const known = await readBase(folder, url);
  for (const path of known.keys()) if (!files.has(path)) await removeFile(folder, join(below(url), path));
  for (const [path, text] of files) {
    if (known.get(path) !== text) await writeText(folder, join(below(url), path), text);
  }
  const ignored = await stat(join(folder, ".atrium", ".gitignore")).then(() => true, () => false);
  if (!ignored) await writeText(folder, ".atrium/.gitignore", ALL_IGNORED);
}
