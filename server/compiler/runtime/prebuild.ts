/** `deno task build`: writes what ships built with this version: the runtimes with their licences, and `/embed.js`. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { RUNTIME_LOADERS } from "../engines/loaders.ts";
import { PREBUILT, type Prebuilt } from "../host/prebuilt.ts";
import { identityOf } from "../host/vendor.ts";
import type { RuntimeName } from "../protocol.ts";
import { licencesOf } from "./licences.ts";
import { minify } from "./minify.ts";

/** Without Phaser, which few apps use and which would double the folder's 420 KB. */
export const SHIPPED = [
  "svelte",
  "vue",
  "react",
  "kaboom",
  "platform",
  "tailwind_all",
] as const satisfies RuntimeName[];

/** The packages whose code the runtimes contain. */
const PACKAGES = ["svelte", "vue", "react", "react-dom", "kaboom", "tailwindcss"];

const CLIENT = new URL("../../../client/embed/", import.meta.url);
export const EMBED_MINIFIED = new URL("embed.min.js", CLIENT);

/** The script of `/embed.js`, minified. */
export const embedScript = async (): Promise<string> =>
  `${await minify(await Deno.readTextFile(new URL("embed.js", CLIENT)), { passes: 3 })}\n`;

if (import.meta.main) {
  await Deno.remove(PREBUILT, { recursive: true }).catch(() => {});
  await Deno.mkdir(PREBUILT);
  for (const name of SHIPPED) await write(name);
  const resolve = (name: string) => fileURLToPath(import.meta.resolve(name));
  // react-dom contains it, and only react-dom finds it.
  const scheduler = createRequire(resolve("react-dom")).resolve("scheduler");
  const licences = await licencesOf([...PACKAGES.map(resolve), scheduler]);
  await Deno.writeTextFile(new URL("LICENSES.txt", PREBUILT), licences);
  await Deno.writeTextFile(EMBED_MINIFIED, await embedScript());
  Deno.exit(0);
}

async function write(name: typeof SHIPPED[number]) {
  const module = await RUNTIME_LOADERS[name]?.();
  if (!module) throw new Error(`${name} has no runtime`);
  const { runtime, files } = await module.buildRuntime();
  for (const { file, brotli } of files) {
    await Deno.writeFile(new URL(`${file}.br`, PREBUILT), Uint8Array.fromBase64(brotli));
  }
  const listed = files.map(({ file, content_type }) => ({ file, content_type }));
  const prebuilt: Prebuilt = { identity: await identityOf(name), runtime, files: listed };
  await Deno.writeTextFile(new URL(`${name}.json`, PREBUILT), JSON.stringify(prebuilt) + "\n");
}
