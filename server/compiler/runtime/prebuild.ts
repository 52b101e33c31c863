/** `deno task build`: writes what ships built with this version: the runtimes with their licences, and `/embed.js`. */
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { RUNTIME_LOADERS } from "../engines/loaders.ts";
import { PREBUILT, type Prebuilt } from "../host/prebuilt.ts";
import { identityOf } from "../host/vendor.ts";
import type { RuntimeName } from "../protocol.ts";
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

/** The packages whose code the runtimes contain. Their licences ask that copies carry the notice. */
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
  await Deno.writeTextFile(new URL("LICENSES.txt", PREBUILT), await licences());
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

async function licences(): Promise<string> {
  const resolve = (name: string) => fileURLToPath(import.meta.resolve(name));
  // react-dom contains it, and only react-dom finds it.
  const scheduler = createRequire(resolve("react-dom")).resolve("scheduler");
  const texts = await Promise.all([...PACKAGES.map((name) => resolve(name)), scheduler].map(licenceOf));
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** @param file any file of the package */
async function licenceOf(file: string): Promise<string> {
  const folder = dirname(file);
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  if (!names.includes("package.json")) return licenceOf(folder);
  const { name, version } = JSON.parse(await Deno.readTextFile(`${folder}/package.json`));
  const licence = names.find((name) => /^licen[cs]e/i.test(name));
  if (!licence) throw new Error(`${name} has no licence file`);
  return `${name} ${version}\n\n${(await Deno.readTextFile(`${folder}/${licence}`)).trim()}\n`;
}
