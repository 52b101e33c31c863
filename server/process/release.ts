/** Names the sources that run, so that a page can tell that the server has been replaced. */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import settings from "../../deno.json" with { type: "json" };
import type { Release } from "../context.ts";

const ROOT = new URL("../../", import.meta.url);
const SOURCES = ["main.ts", "deno.json", "deno.lock", "server/", "client/", "db/", "docs/"];
/** Built from the other sources. The prebuilt runtimes are named by their hashes. */
const BUILT = /^(client\/console\/dist|server\/packed\/dist)\//;
const NAMED = /^server\/compiler\/prebuilt\//;

/** The identity is computed when it is asked for the first time, in some 50 ms. */
export function createRelease(root: URL = ROOT): Release {
  const { version } = settings;
  let id: Promise<string> | undefined;
  return {
    version,
    // A packed server has no files to read.
    id: () => id ??= hashOf(fileURLToPath(root)).catch(() => version),
  };
}

async function hashOf(root: string): Promise<string> {
  const hash = createHash("sha256");
  const paths = SOURCES.flatMap((path) => path.endsWith("/") ? [...filesIn(root, path)] : [path]);
  for (const path of paths.toSorted()) {
    hash.update(`${path}\0`);
    if (!NAMED.test(path)) hash.update(await Deno.readFile(root + path)).update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}

function* filesIn(root: string, folder: string): Generator<string> {
  for (const { name, isDirectory, isFile } of Deno.readDirSync(root + folder)) {
    const path = folder + name + (isDirectory ? "/" : "");
    if (BUILT.test(path)) continue;
    if (isDirectory) yield* filesIn(root, path);
    else if (isFile) yield path;
  }
}
