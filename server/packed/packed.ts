/**
 * The packed server: all modules of a server in a few files in `server/packed/dist/`. `deno task build` writes them, and so
 * does a server that was started from its sources (`process/packing.ts`). A start from them loads 20 files instead of 740.
 * They are used only if the sources are those that they were made of.
 */
import { fileURLToPath } from "node:url";

export const PACKED = new URL("dist/", import.meta.url);
const ROOT = new URL("../../", import.meta.url);

/** `manifest.json` in `server/packed/dist/`. */
export interface PackedManifest {
  /** The file beside it with the exports of `server/process/start.ts`. */
  entry: string;
  /** The names of all files of the packed server. Older versions did not list them. */
  files?: string[];
  /** The files that the packed server was made of, relative to the project's root, sorted. */
  sources: string[];
  /** The hash of all of them. */
  hash: string;
  /** See `stampsOf`. */
  stamps: string;
}

/** SHA-256 of the files' names, lengths and contents, in hexadecimal. 740 files take 25 ms. */
export async function hashOfSources(sources: readonly string[], root = ROOT): Promise<string> {
  const encoder = new TextEncoder();
  const parts = sources.flatMap((path) => {
    const content = Deno.readFileSync(new URL(path, root));
    return [encoder.encode(`${path}\0${content.length}\0`), content];
  });
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", all)).toHex();
}

/** Archives that give all files one time use one before this, in seconds: it says nothing about their content. */
const FIRST_TRUE_TIME = 1e9;

/**
 * The size of each file and the second of its last change. A start looks at them first, because 740 files take 7 ms instead
 * of 25.
 *
 * @returns undefined if they cannot prove that the contents are the same
 */
export function stampsOf(sources: readonly string[], root = ROOT): string | undefined {
  const folder = fileURLToPath(root);
  const stamps: string[] = [];
  for (const path of sources) {
    const { size, mtime } = Deno.statSync(folder + path);
    const second = Math.floor((mtime?.getTime() ?? 0) / 1000);
    if (second < FIRST_TRUE_TIME) return undefined;
    stamps.push(`${size} ${second}`);
  }
  return stamps.join();
}

/** Where the packed server is, or why a server starts from its sources. */
export type Packed = { entry: string } | { entry: undefined; reason: "none" | "outdated" };

/** `outdated`: the sources have changed since it was made. */
export async function findPacked(folder = PACKED, root = ROOT): Promise<Packed> {
  const manifest = readManifest(folder);
  if (!manifest) return { entry: undefined, reason: "none" };
  return await isMadeOf(manifest, root)
    ? { entry: new URL(manifest.entry, folder).href }
    : { entry: undefined, reason: "outdated" };
}

/** The hash decides where the stamps differ: a host may copy the files after the build. */
async function isMadeOf({ sources, stamps, hash }: PackedManifest, root: URL): Promise<boolean> {
  try {
    const found = stampsOf(sources, root);
    return found !== undefined && found === stamps || await hashOfSources(sources, root) === hash;
  } catch (error) {
    ignoreMissing(error);
    return false;
  }
}

export function readManifest(folder: URL): PackedManifest | undefined {
  try {
    return JSON.parse(Deno.readTextFileSync(new URL("manifest.json", folder)));
  } catch (error) {
    return ignoreMissing(error);
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
