/** Builds runtimes: bundles packages with esbuild, splits the result into layers or shared chunks, minifies, compresses. */
import * as esbuild from "esbuild";
import { splitModule } from "../layers/layers.ts";
import { LAYER, minify, prune, readNames, shortenExports, WHOLE } from "./minify.ts";
import { type PackedFile, packModule } from "./pack.ts";
import { findPackageFile } from "./packages.ts";
import type { BuiltRuntime, Runtime } from "../protocol.ts";

export { packScript } from "./pack.ts";

type Modules = Runtime["modules"];

const ENTRY = "entry:";

const BASE = {
  bundle: true,
  format: "esm",
  target: "es2022",
  // The banner of each file has version and licence in one line.
  legalComments: "none",
  charset: "utf8",
  conditions: ["browser", "production"],
  define: { "process.env.NODE_ENV": '"production"' },
  outdir: "/vendor",
  write: false,
  metafile: true,
  logLevel: "silent",
} as const satisfies esbuild.BuildOptions;

/**
 * Bundles several entries, with shared code in chunks.
 *
 * @param entries texts of ES modules by name; the names become specifiers of the runtime
 * @param banner a comment at the top of each file
 * @param redirect plugins that resolve imports before the others
 * @param flags values of constants that a package expects its bundler to define
 */
export async function bundleEntries(
  entries: Record<string, string>,
  banner: string,
  redirect: esbuild.Plugin[] = [],
  flags: Record<string, string> = {},
): Promise<BuiltRuntime> {
  const { outputFiles, metafile } = await esbuild.build({
    ...BASE,
    minify: true,
    splitting: true,
    chunkNames: "[hash]",
    entryNames: "[hash]",
    define: { ...BASE.define, ...flags },
    entryPoints: Object.keys(entries).map((name) => ENTRY + name),
    plugins: [...redirect, entryPlugin(entries), packagePlugin],
  });
  const bundled = new Map(outputFiles.map((file) => [fileName(file.path), file.text]));
  const built: BuiltRuntime = { runtime: { modules: {}, imports: {}, scripts: [] }, files: [] };
  const files = new Map<string, string>();
  for (const [path, { entryPoint, imports }] of inOrder(metafile.outputs)) {
    const text = (await minify(bundled.get(fileName(path)) ?? ""))
      .replace(/(["'])\.\/([\w-]+\.js)\1/g, (found, _, file) => files.has(file) ? `"./${files.get(file)}"` : found);
    const packed = await packModule(banner + text);
    const { file } = packed;
    files.set(fileName(path), file);
    built.runtime.imports[file] = imports.map(({ path }) => files.get(fileName(path)) ?? "");
    const { origins, own } = readExports(text, file);
    if (entryPoint !== undefined) {
      built.runtime.modules[entryPoint.slice(entryPoint.lastIndexOf(ENTRY) + ENTRY.length)] = origins;
    }
    if (entryPoint === undefined || own !== "") built.files.push(packed);
  }
  return built;
}

type Outputs = esbuild.Metafile["outputs"];

/** Sorts files after those that they import. @throws {Error} on a cycle, in which no file could be named by content */
function inOrder(outputs: Outputs, done: [string, Outputs[string]][] = []): [string, Outputs[string]][] {
  const rest = Object.entries(outputs).filter(([path]) => done.every(([other]) => other !== path));
  if (rest.length === 0) return done;
  const ready = rest.filter(([, { imports }]) => imports.every(({ path }) => done.some(([other]) => other === path)));
  if (ready.length === 0) throw new Error(`these files import each other: ${rest.map(([path]) => path)}`);
  return inOrder(outputs, [...done, ...ready]);
}

export interface BuiltLayers {
  /** Name that the entry exports → the file that exports it, and its name there. */
  places: Record<string, [file: string, name: string]>;
  imports: Runtime["imports"];
  files: PackedFile[];
}

export interface LayerOptions {
  /** Names that the entry exports, by layer; the layer that most apps need first. The last gets all other names. */
  layers: readonly (readonly string[])[];
  banner: string;
  redirect?: esbuild.Plugin[];
  flags?: Record<string, string>;
  /** Functions and classes whose calls during loading have no effects. */
  pure?: readonly string[];
  /** Whether to remove dead code with Terser before splitting, where esbuild leaves much of it. */
  pruned?: boolean;
}

/** Bundles one entry into a file per layer, each with a part of the exports and the code that only it uses. */
export async function bundleLayers(entry: string, options: LayerOptions): Promise<BuiltLayers> {
  const { layers: wanted, banner, redirect = [], flags, pure, pruned = false } = options;
  const { outputFiles: [output] } = await esbuild.build({
    ...BASE,
    minifySyntax: true,
    define: { ...BASE.define, ...flags },
    entryPoints: [`${ENTRY}it`],
    plugins: [...redirect, entryPlugin({ it: entry }), packagePlugin],
  });
  const code = output?.text ?? "";
  const { layers, places } = splitModule(pruned ? await prune(code) : code, wanted, new Set(pure));
  const built: BuiltLayers = { places: {}, imports: {}, files: [] };
  const files: { file: string; names: Map<string, string> }[] = [];
  for (const { body, imports, exports } of layers) {
    const head = [...imports].map(([from, names]) => {
      const list = names.map((name) => `${files[from]?.names.get(name)} as ${name}`);
      return `import { ${list} } from "./${files[from]?.file}";`;
    });
    const tail = `export { ${exports} };`;
    const small = await minify([...head, body, tail].join("\n"), wanted.length > 1 ? LAYER : WHOLE);
    const { code, names } = shortenExports(small);
    const packed = await packModule(banner + code);
    files.push({ file: packed.file, names });
    built.files.push(packed);
    built.imports[packed.file] = [...imports.keys()].flatMap((from) => files[from]?.file ?? []);
  }
  for (const [name, [layer, local]] of places) {
    const { file, names } = files[layer] ?? {};
    const short = names?.get(local);
    if (file && short) built.places[name] = [file, short];
  }
  return built;
}

/** The names that a module exports, found without running it. */
export async function exportsOf(entry: string, redirect: esbuild.Plugin[] = []): Promise<string[]> {
  const { metafile } = await esbuild.build({
    ...BASE,
    entryPoints: [`${ENTRY}it`],
    plugins: [...redirect, entryPlugin({ it: entry }), packagePlugin],
  });
  return Object.values(metafile.outputs).flatMap(({ exports }) => exports);
}

/**
 * Finds where each export of a minified file comes from. Apps import re-exported names directly from their chunk, which
 * saves a request where a file only re-exports.
 *
 * @returns `own`: the file's code without imports and exports
 */
export function readExports(text: string, file: string): { origins: Modules[string]; own: string } {
  const [head = ""] = /^(?:\s|import(?:\{[^}]*\}from)?"[^"]+";)*/.exec(text) ?? [];
  const [tail = "", list = ""] = /export\{([^}]*)\};?\s*$/.exec(text) ?? [];
  // A file cannot declare an imported name, so an export of that name is a re-export.
  const imported = new Map<string, [string, string]>();
  for (const [, names = "", path = ""] of head.matchAll(/import\{([^}]*)\}from"([^"]+)";/g)) {
    for (const { name, as } of readNames(names)) imported.set(as, [fileName(path), name]);
  }
  const origins: Modules[string] = {};
  for (const { name, as } of readNames(list)) origins[as] = imported.get(name) ?? [file, as];
  return { origins, own: text.slice(head.length, text.length - tail.length).trim() };
}

const fileName = (path: string) => path.slice(path.lastIndexOf("/") + 1);

function entryPlugin(entries: Record<string, string>): esbuild.Plugin {
  return {
    name: "entries",
    setup(build) {
      build.onResolve({ filter: /^entry:/ }, ({ path }) => ({ path, namespace: "entry" }));
      build.onLoad({ filter: /.*/, namespace: "entry" }, ({ path }) => ({
        contents: entries[path.slice(ENTRY.length)] ?? "",
        resolveDir: "/",
      }));
    },
  };
}

const packagePlugin: esbuild.Plugin = {
  name: "packages",
  setup(build) {
    build.onResolve(
      { filter: /^[^./#]/ },
      ({ path, importer, namespace }) => findPackageFile(path, namespace === "file" ? importer : undefined),
    );
  },
};
