/** Names the sources that a build of the console is made of, so that a stale build is not served. */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { CHAPTERS } from "../console/docs/manuscript.ts";

export const CONSOLE = new URL("../../../client/console/", import.meta.url);
/** The build that ships, which `deno task build` writes. */
export const DIST = new URL("dist/", CONSOLE);
/** The build of `deno task dev`, which removes the folder when it ends. */
export const DEV_DIST = new URL("../.console_dev/", CONSOLE);
const ROOT = fileURLToPath(CONSOLE);
/** Outside of the folder: the typed client, the builder, the versions of packages, and the documentation. */
const OTHERS = [
  "../mod.ts",
  "../../deno.json",
  "../../server/compiler/console/bundle.ts",
  "../../server/compiler/console/names.ts",
  "../../server/compiler/console/svelte_plugin.ts",
  "../../server/compiler/console/docs/docs_plugin.ts",
  "../../server/compiler/console/docs/manuscript.ts",
  "../../server/compiler/console/docs/render.ts",
  ...CHAPTERS.map(({ file }) => `../../${file}`),
];
/** Not part of the bundle. */
const ELSE = /^(dist\/|check\.)/;

function* sources(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(ROOT + folder)) {
    const path = folder + name + (isDirectory ? "/" : "");
    if (ELSE.test(path)) continue;
    if (isDirectory) yield* sources(path);
    else yield path;
  }
}

/** SHA-256 of all sources with their names, in hexadecimal. It takes some 5 ms. */
export async function hashOfConsole(): Promise<string> {
  const hash = createHash("sha256");
  for (const path of [...[...sources("")].toSorted(), ...OTHERS]) {
    hash.update(`${path}\0`).update(await Deno.readFile(ROOT + path)).update("\0");
  }
  return hash.digest("hex");
}
