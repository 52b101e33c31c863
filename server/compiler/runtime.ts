/** Builds the files under `/vendor/`: shared by apps, minified, compressed as far as it goes, named by their content. */
import { Buffer } from "node:buffer";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { findPackageFile } from "./packages.ts";
import type { BuiltRuntime, Runtime } from "./protocol.ts";

type Modules = Runtime["modules"];

const ENTRY = "entry:";

const BASE = {
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  // Every package says its version and licence in one line; the texts are in the packages.
  legalComments: "none",
  charset: "utf8",
  conditions: ["browser", "production"],
  define: { "process.env.NODE_ENV": '"production"' },
  outdir: "/vendor",
  entryNames: "[hash]",
  chunkNames: "[hash]",
  write: false,
  metafile: true,
  logLevel: "silent",
} as const satisfies esbuild.BuildOptions;

/**
 * Bundles entries that share their code.
 *
 * @param entries ES modules by name; a runtime's module has an entry's name unless the caller renames it
 * @param banner a comment at the top of each file
 * @param redirect answers for an import before anything else does
 */
export async function bundleEntries(
  entries: Record<string, string>,
  banner: string,
  redirect: esbuild.Plugin[] = [],
): Promise<BuiltRuntime> {
  const { outputFiles, metafile } = await esbuild.build({
    ...BASE,
    banner: { js: banner },
    entryPoints: Object.keys(entries).map((name) => ENTRY + name),
    plugins: [...redirect, entryPlugin(entries), packagePlugin],
  });
  const texts = new Map(outputFiles.map((file) => [fileName(file.path), file]));
  const modules: Modules = {};
  const imports: Runtime["imports"] = {};
  for (const [path, { entryPoint, imports: imported }] of Object.entries(metafile.outputs)) {
    const file = fileName(path);
    imports[file] = imported.map(({ path }) => fileName(path));
    if (entryPoint === undefined) continue;
    const { origins, own } = readExports(texts.get(file)?.text.slice(banner.length) ?? "", file);
    modules[entryPoint.slice(entryPoint.lastIndexOf(ENTRY) + ENTRY.length)] = origins;
    if (own === "") texts.delete(file);
  }
  const files = [...texts].map(([file, { contents }]) => pack(file, contents));
  return { runtime: { modules, imports, scripts: [] }, files };
}

/** One file, as it is, that a page loads as a classic script. */
export async function packScript(contents: Uint8Array<ArrayBuffer>): Promise<BuiltRuntime> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", contents));
  const packed = pack(`${digest.toHex().slice(0, 16)}.js`, contents);
  return { runtime: { modules: {}, imports: {}, scripts: [packed.file] }, files: [packed] };
}

/**
 * Where each export of a minified file comes from. What it only passes on, apps import from the chunk that has it,
 * which saves a request where that is all it does.
 *
 * @returns `own`: its code without imports and exports
 */
export function readExports(text: string, file: string): { origins: Modules[string]; own: string } {
  const [head = ""] = /^(?:\s|import(?:\{[^}]*\}from)?"[^"]+";)*/.exec(text) ?? [];
  const [tail = "", list = ""] = /export\{([^}]*)\};?\s*$/.exec(text) ?? [];
  // An imported name cannot be declared again, so an export by that name is the import.
  const imported = new Map<string, [string, string]>();
  for (const [, names = "", path = ""] of head.matchAll(/import\{([^}]*)\}from"([^"]+)";/g)) {
    for (const { name, as } of readNames(names)) imported.set(as, [fileName(path), name]);
  }
  const origins: Modules[string] = {};
  for (const { name, as } of readNames(list)) origins[as] = imported.get(name) ?? [file, as];
  return { origins, own: text.slice(head.length, text.length - tail.length).trim() };
}

const readNames = (list: string) =>
  list.split(",").filter(Boolean).map((part) => {
    const [name = "", as = name] = part.trim().split(/\s+as\s+/);
    return { name, as };
  });

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

function pack(file: string, contents: Uint8Array): BuiltRuntime["files"][number] {
  const brotli = brotliCompressSync(contents, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: contents.length },
  });
  return {
    file,
    content_type: "text/javascript; charset=utf-8",
    body: Buffer.from(contents).toString("base64"),
    brotli: brotli.toString("base64"),
    gzip: gzipSync(contents, { level: 9 }).toString("base64"),
  };
}
