/** `deno task build:server`: writes the packed server to `server/packed/dist/` (see `server/packed/packed.ts`). */
import * as esbuild from "esbuild";
import { isBuiltin } from "node:module";
import { basename, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { hashOfSources, PACKED, type PackedManifest, readManifest, stampsOf } from "../../packed/packed.ts";
import { findPackageFile } from "../runtime/packages.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const ENTRY = "server/process/start.ts";
/** They name the versions of the packages whose code is packed. */
const VERSIONS = ["deno.json", "deno.lock"];
const CONDITIONS = new Set(["deno", "node", "import", "module", "default"]);

/** Modules find files beside themselves by their own address, which is replaced by one relative to the packed server. */
const OWN_URL = "own_url_of_module";
const PACKED_URL = "url_of_packed_server";

/** Packages that are loaded on need stay as they are: Deno finds them by the import map. */
const packages: esbuild.Plugin = {
  name: "packages",
  setup(build) {
    build.onResolve({ filter: /^[@\w]/ }, ({ path, kind, importer }) => {
      if (kind === "entry-point") return undefined;
      if (isBuiltin(path)) return { path: `node:${path.replace(/^node:/, "")}`, external: true };
      if (kind === "dynamic-import") return { path, external: true };
      return findPackageFile(path, importer, CONDITIONS);
    });
  },
};

/** Zod's messages in other languages than English are a fifth of the packed server, and never used. */
const locales: esbuild.Plugin = {
  name: "locales",
  setup(build) {
    build.onLoad({ filter: /[/\\]zod[/\\].*[/\\]locales[/\\]index\.js$/ }, () => ({
      contents: `export { default as en } from "./en.js";`,
    }));
  },
};

/** Deno reads and analyzes every file that a literal names, even if it is never loaded. */
const withoutLiterals = (code: string) =>
  code.replace(/\bimport\("(\.\/[\w-]+\.js)"\)/g, `import(new URL("$1",${PACKED_URL}).href)`);

const own_urls: esbuild.Plugin = {
  name: "own urls",
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await Deno.readTextFile(path);
      const contents = LOADED_LATER.test(path) ? COMPOSE + text : text;
      if (!path.startsWith(ROOT) || !contents.includes("import.meta")) return { contents, loader: "ts" };
      const from_packed = JSON.stringify(relative(fileURLToPath(PACKED), path).replaceAll("\\", "/"));
      return {
        contents: `const ${OWN_URL} = new URL(${from_packed}, ${PACKED_URL}).href; ${contents}`,
        loader: "ts",
      };
    });
  },
};

/**
 * esbuild writes a file for each set of modules that are loaded by the same entry points, and each module that is loaded on
 * need is one: what every start loads would be in 90 files. Such modules therefore import `compose.ts`, which is there by
 * then, so that what it loads is in a few files.
 */
const LOADED_LATER =
  /[/\\]server[/\\](domains[/\\]\w+[/\\]router|domains[/\\]archive[/\\]whole[/\\](ex|im)port|http[/\\]mcp[/\\]protocol)\.ts$/;
const COMPOSE = `import ${JSON.stringify(`${ROOT}server/compose.ts`)};`;

/** Names of functions stay, because they are in the log's stacks. */
export const bundleServer = () =>
  esbuild.build({
    entryPoints: [ENTRY],
    absWorkingDir: ROOT,
    outdir: fileURLToPath(PACKED),
    entryNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "esnext",
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
    write: false,
    define: { "import.meta.url": OWN_URL },
    banner: {
      js: `import { createRequire as createRequire_ } from "node:module";` +
        `const ${PACKED_URL} = import.meta.url, require = createRequire_(${PACKED_URL});`,
    },
    plugins: [packages, locales, own_urls],
    logLevel: "error",
  });

/** The clock of files is behind by so many milliseconds at most. */
const CLOCK_MS = 10;

async function build(): Promise<void> {
  const began = Date.now() - CLOCK_MS;
  const { metafile, outputFiles } = await bundleServer();
  // Its process takes as much memory as what is loaded below.
  await esbuild.stop();
  const own = Object.keys(metafile.inputs).filter((path) =>
    !path.startsWith("..") && !/(^|\/)node_modules\//.test(path)
  );
  const sources = [...new Set([...own, ...VERSIONS])].toSorted();
  const [entry] = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint === ENTRY);
  if (!entry) throw new Error(`${ENTRY} was not packed`);
  const manifest: PackedManifest = {
    entry: relative(fileURLToPath(PACKED), ROOT + entry[0]),
    files: outputFiles.map(({ path }) => basename(path)),
    sources,
    hash: await hashOfSources(sources),
    stamps: stampsOf(sources) ?? "",
  };
  // After the hash: it must not be of a change that is not packed.
  const ended = Date.now();
  // A later time than the present is no change: the files may come from a machine whose clock is ahead.
  const changed = sources.find((path) => {
    const time = Deno.statSync(ROOT + path).mtime?.getTime() ?? 0;
    return began <= time && time <= ended;
  });
  if (changed) throw new Error(`${changed} was changed while the server was packed: pack it again`);
  await write(outputFiles, manifest, async () => {
    for (const [path, { entryPoint }] of Object.entries(metafile.outputs)) {
      if (entryPoint) await import(new URL(basename(path), PACKED).href);
    }
  });
}

/**
 * Files are named after their content, and the manifest comes last: servers may start at the same time.
 *
 * @param prove loads the files
 */
async function write(
  files: esbuild.OutputFile[],
  manifest: PackedManifest,
  prove: () => Promise<void>,
): Promise<void> {
  await Deno.mkdir(PACKED, { recursive: true });
  const replace = async (name: string, content: Uint8Array) => {
    const next = new URL(`${name}.next`, PACKED);
    await Deno.writeFile(next, content);
    await Deno.rename(next, new URL(name, PACKED));
  };
  for (const { path, text } of files) {
    await replace(basename(path), new TextEncoder().encode(withoutLiterals(text)));
  }
  await prove();
  const before = readManifest(PACKED)?.files;
  await replace("manifest.json", new TextEncoder().encode(JSON.stringify(manifest) + "\n"));
  const names = new Set(manifest.files);
  for await (const { name } of Deno.readDir(PACKED)) {
    if (name.endsWith(".js") && !names.has(name)) await retire(new URL(name, PACKED), before?.includes(name) ?? true);
  }
}

/** A server that runs from the files of an earlier build may still load some of them for this long. */
const KEPT_MS = 86_400_000;

/**
 * Removes a file that has not been used for long enough. Its time is that of the first build that did not use it.
 *
 * @param is_first whether this build is the first one
 */
async function retire(file: URL, is_first: boolean): Promise<void> {
  const now = new Date();
  if (is_first) return await Deno.utime(file, now, now);
  const { mtime } = await Deno.stat(file);
  if (mtime && mtime.getTime() < Date.now() - KEPT_MS) await Deno.remove(file);
}

if (import.meta.main) await build();
