/**
 * The packed server: all modules of a server in a few files, which `deno task build` writes to `server/packed/dist/`. A start
 * from it loads four files instead of 650. It is used only if the sources are those that it was made of.
 */

export const PACKED = new URL("dist/", import.meta.url);
const ROOT = new URL("../../", import.meta.url);

/** `manifest.json` in `server/packed/dist/`. */
export interface PackedManifest {
  /** The file beside it with the exports of `server/process/start.ts`. */
  entry: string;
  /** The files that the packed server was made of, relative to the project's root, sorted. */
  sources: string[];
  /** The hash of all of them. */
  hash: string;
}

/** SHA-256 of the files' names, lengths and contents, in hexadecimal. 650 files take some 20 ms. */
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

/** @returns the packed server's entry; undefined if there is none, or the sources have changed since */
export async function findPacked(folder = PACKED, root = ROOT): Promise<string | undefined> {
  try {
    const manifest: PackedManifest = JSON.parse(Deno.readTextFileSync(new URL("manifest.json", folder)));
    const is_current = await hashOfSources(manifest.sources, root) === manifest.hash;
    return is_current ? new URL(manifest.entry, folder).href : undefined;
  } catch (error) {
    // There is no packed server, or one of its sources has been removed since.
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
