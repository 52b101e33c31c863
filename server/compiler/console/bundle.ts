/** Bundles the console for the browser: a small first load, and one chunk for each page and the editor. */
import * as esbuild from "esbuild";
import { fileURLToPath } from "node:url";
import type { ConsoleManifest } from "../compiler.ts";
import { CONSOLE } from "../host/console_sources.ts";
import { docsPlugin } from "./docs/docs_plugin.ts";
import { packagePlugin } from "./package_plugin.ts";
import { sveltePlugin } from "./svelte_plugin.ts";

export { PACKAGES } from "./packages.ts";

export interface Bundle {
  manifest: ConsoleManifest;
  contents: Map<string, Uint8Array>;
}

const options = (minify: boolean): esbuild.BuildOptions & { metafile: true; write: false } => ({
  entryPoints: [fileURLToPath(new URL("main.ts", CONSOLE))],
  bundle: true,
  splitting: true,
  format: "esm",
  write: false,
  metafile: true,
  outdir: "/out",
  absWorkingDir: "/",
  minify,
  legalComments: "none",
  charset: "utf8",
  logLevel: "silent",
  target: ["es2022", "chrome111", "firefox128", "safari16.4"],
  supported: { "nesting": true },
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  define: { "process.env.NODE_ENV": '"production"' },
  conditions: ["svelte", "browser", "production"],
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  plugins: [sveltePlugin, docsPlugin, packagePlugin],
});

/** @param sources see `hashOfConsole` */
export async function bundleConsole(sources: string): Promise<Bundle> {
  return bundleOf(await esbuild.build(options(true)), sources);
}

/** Bundles again at each call, without work for files that have not changed. */
export async function watchConsole(): Promise<() => Promise<Bundle>> {
  const context = await esbuild.context(options(false));
  return async () => bundleOf(await context.rebuild(), "dev");
}

type Result = esbuild.BuildResult<ReturnType<typeof options>>;

function bundleOf({ outputFiles, metafile }: Result, sources: string): Bundle {
  const contents = new Map(outputFiles.map(({ path, contents }) => [nameOf(path), contents]));
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint?.endsWith("/main.ts"));
  if (!entry?.[1].cssBundle) throw new Error("esbuild wrote no entry");
  const own_style = nameOf(entry[1].cssBundle);
  const preload = new Set<string>();
  const follow = (path: string) => {
    for (const { path: next, kind } of metafile.outputs[path]?.imports ?? []) {
      if (kind !== "import-statement" || preload.has(nameOf(next))) continue;
      preload.add(nameOf(next));
      follow(next);
    }
  };
  follow(entry[0]);
  const names = [...contents.keys()].toSorted();
  const manifest = {
    entry: nameOf(entry[0]),
    // esbuild does not load the style sheet of a page with its chunk.
    styles: [own_style, ...names.filter((name) => name.endsWith(".css") && name !== own_style)],
    preload: [...preload],
    files: names,
    sources,
  };
  return { manifest, contents };
}

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
