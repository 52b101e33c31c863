/**
 * Resolves npm packages to files for the browser. esbuild can only search node_modules folders, which Deno's cache does
 * not have.
 */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The used part of a package.json. It is not validated, because the packages are pinned. */
interface Manifest {
  name?: string;
  exports?: Exports;
  module?: string;
  main?: string;
  sideEffects?: boolean | string[];
}
type Exports = string | null | Exports[] | { [key: string]: Exports };

export interface PackageFile {
  path: string;
  /** False where the package declares that unused files may be removed. */
  sideEffects: boolean;
}

/** Those of a browser. */
const CONDITIONS = new Set(["browser", "production", "module", "import", "default"]);

/**
 * @param specifier `svelte/store`, `@scope/name`
 * @param importer path of the importing file; by default this project's
 * @param conditions the conditions of a package's `exports` that hold
 */
export function findPackageFile(specifier: string, importer?: string, conditions = CONDITIONS): PackageFile {
  const [, name = "", path = ""] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(specifier) ?? [];
  const folder = folderOf(name, importer);
  const manifest = readManifest(folder);
  const target = manifest?.exports
    ? exported(manifest.exports, `.${path}`, conditions)
    : fileOf(folder, path || manifest?.module || manifest?.main || "index.js");
  if (!target) throw new Error(`${specifier} is not exported by its package`);
  return { path: join(folder, target), sideEffects: manifest?.sideEffects !== false };
}

/** A package without `exports` may be asked for a file without its ending, or for a folder with an `index.js`. */
function fileOf(folder: string, path: string): string | undefined {
  return [path, `${path}.js`, `${path}.json`, join(path, "index.js")].find((file) => isFile(join(folder, file)));
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

/** A path of a file in a package. */
export const OF_PACKAGE = /[/\\](?:npm|node_modules)[/\\]/;

/**
 * Files of packages find packages by their own dependencies, files of the project by its import map. Deno 2.5 has no
 * `findPackageJSON`, and its `require` does not know the import map.
 */
function folderOf(name: string, importer = ""): string {
  const main = OF_PACKAGE.test(importer)
    ? createRequire(importer).resolve(name)
    : fileURLToPath(import.meta.resolve(name));
  let folder = dirname(main);
  // A folder of a package may have a package.json of its own, without a name.
  while (readManifest(folder)?.name !== name) {
    if (folder === dirname(folder)) throw new Error(`${name} has no package.json`);
    folder = dirname(folder);
  }
  return folder;
}

function readManifest(folder: string): Manifest | undefined {
  try {
    return JSON.parse(Deno.readTextFileSync(join(folder, "package.json")));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Resolves a path (`.`, `./store`) by an `exports` field. Of patterns, those that end with `*` are supported. */
export function exported(exports: Exports, path: string, conditions = CONDITIONS): string | undefined {
  const paths = typeof exports === "object" && exports && Object.keys(exports).some((key) => key.startsWith("."));
  if (!paths) return path === "." ? byCondition(exports, conditions) : undefined;
  const entries = Object.entries(exports);
  const [key, target] = entries.find(([key]) => key === path) ??
    entries.find(([key]) => key.endsWith("*") && path.startsWith(key.slice(0, -1))) ?? [];
  const rest = key?.endsWith("*") ? path.slice(key.length - 1) : "*";
  return byCondition(target ?? null, conditions)?.replaceAll("*", rest);
}

function byCondition(exports: Exports, conditions: Set<string>): string | undefined {
  if (exports === null || typeof exports === "string") return exports ?? undefined;
  if (Array.isArray(exports)) return exports.map((target) => byCondition(target, conditions)).find(Boolean);
  for (const [condition, target] of Object.entries(exports)) {
    const found = conditions.has(condition) ? byCondition(target, conditions) : undefined;
    if (found) return found;
  }
  return undefined;
}
