/**
 * Builds Phaser's runtime: an ES module with every name and a default export, from Phaser's own minified script. That has
 * 243 KB with brotli. Bundling its modules with esbuild makes 265 KB; its own ES module has 253 KB and lacks `Class`,
 * which older games use.
 */
import { join } from "node:path";
import { FETCHED, folderOf } from "../../runtime/fetched_packages.ts";
import { sha256 } from "../../hash.ts";
import { packModule } from "../../runtime/pack.ts";
import type { BuiltRuntime } from "../../protocol.ts";
import { readExports } from "../../runtime/runtime.ts";
import { listModules } from "./webpack_modules.ts";

interface Release {
  /** One of `FETCHED`. */
  library: string;
  /** SHA-256 of its script, because fetched packages are not in the lockfile. */
  hash: string;
  /** The specifiers with which apps import it. */
  specifiers: readonly string[];
  /** Modules that messages name as importable, though another runtime contains them. */
  others?: readonly string[];
}

export const buildRuntime = () =>
  buildPhaser({
    library: "phaser",
    hash: "e92ddef111ba42e92d316979c732311757093688ea1810591cb7aa2858eba7a7",
    specifiers: ["phaser", "phaser@3"],
    others: ["phaser@4"],
  });

export async function buildPhaser({ library, hash, specifiers, others = [] }: Release): Promise<BuiltRuntime> {
  const specifier = FETCHED[library] ?? "";
  const [script, module] = await readFiles(join(folderOf(specifier), "dist"));
  const found = await sha256(script);
  if (found !== hash) throw new Error(`the script of ${specifier} has SHA-256 ${found} instead of the pinned ${hash}`);
  const names = [...new Set([...Object.keys(readExports(module, "").origins), "Class"])]
    .filter((name) => name !== "default");
  const text = `/* ${specifier.slice("npm:".length)}, MIT licence, https://phaser.io */
const module={exports:{}},exports=module.exports;
${listModules(script.trim())}
const $=module.exports,{${names.map((name, i) => `${name}:$${i}`)}}=$;
export{${names.map((name, i) => `$${i} as ${name}`)},$ as default};
`;
  const packed = await packModule(text);
  const { origins } = readExports(text, packed.file);
  const modules = Object.fromEntries([
    ...specifiers.map((name) => [name, origins] as const),
    ...others.map((name) => [name, {}] as const),
  ]);
  return { runtime: { modules, imports: { [packed.file]: [] }, scripts: [] }, files: [packed] };
}

/** Phaser's script, which sets `window.Phaser`, and its ES module, which lists the names. */
const readFiles = (folder: string): Promise<[string, string]> =>
  Promise.all([
    Deno.readTextFile(join(folder, "phaser.min.js")),
    Deno.readTextFile(join(folder, "phaser.esm.min.js")),
  ]);
