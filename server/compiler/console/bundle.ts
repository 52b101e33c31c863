/** Bundles the console for the browser: a small first load, and one chunk for each page and the editor. */
import * as esbuild from "esbuild";
import { fileURLToPath } from "node:url";
import type { ConsoleManifest } from "../compiler.ts";
import { CONSOLE } from "../host/console_sources.ts";
import { OF_PACKAGE } from "../runtime/packages.ts";
import { docsPlugin } from "./docs/docs_plugin.ts";
import { namesByContent, renamed } from "./names.ts";
import { packagePlugin } from "./package_plugin.ts";
import { type Styles, sveltePlugin } from "./svelte_plugin.ts";

export { PACKAGES } from "./packages.ts";

export interface Bundle {
  manifest: ConsoleManifest;
  contents: Map<string, Uint8Array>;
  /** Files of the packages whose code is in it. */
  of_packages: string[];
}

const TARGETS = ["es2022", "chrome111", "firefox128", "safari16.4"];

const options = (minify: boolean, styles: Styles): esbuild.BuildOptions & { metafile: true; write: false } => ({
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
  target: TARGETS,
  supported: { nesting: true },
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  define: { "process.env.NODE_ENV": '"production"' },
  conditions: ["svelte", "browser", "production"],
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  plugins: [sveltePlugin(styles), docsPlugin, packagePlugin],
});

/** @param sources see `hashOfConsole` */
export async function bundleConsole(sources: string): Promise<Bundle> {
  const styles: Styles = new Map();
  return await bundleOf(await esbuild.build(options(true, styles)), styles, true, sources);
}

/** Bundles again at each call, without work for files that have not changed. */
export async function watchConsole(): Promise<() => Promise<Bundle>> {
  const styles: Styles = new Map();
  const context = await esbuild.context(options(false, styles));
  return async () => await bundleOf(await context.rebuild(), styles, false, "dev");
}

type Result = esbuild.BuildResult<ReturnType<typeof options>>;

/**
 * One sheet for all pages: esbuild does not load the sheet of a page with its chunk, and would write the shared rules
 * into each of them. First the rules that pages share, so that a component's own win.
 */
async function sheetOf(
  styles: Styles,
  inputs: esbuild.Metafile["inputs"],
  minify: boolean,
): Promise<esbuild.OutputFile> {
  const shared = await Deno.readTextFile(new URL("styles/base.css", CONSOLE));
  const used = Object.keys(inputs).map((path) => `/${path}`).toSorted().flatMap((path) => styles.get(path) ?? []);
  const { outputFiles: [sheet] } = await esbuild.build({
    stdin: { contents: [shared, ...used].join("\n"), loader: "css" },
    outdir: "/out",
    entryNames: "main-[hash]",
    write: false,
    minify,
    target: TARGETS,
    supported: { nesting: true },
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
  });
  if (!sheet) throw new Error("esbuild wrote no sheet");
  return sheet;
}

async function bundleOf(
  { outputFiles, metafile }: Result,
  styles: Styles,
  minify: boolean,
  sources: string,
): Promise<Bundle> {
  const sheet = await sheetOf(styles, metafile.inputs, minify);
  const written = new Map([...outputFiles, sheet].map(({ path, contents }) => [fileOf(path), contents]));
  // A build for development is made anew after each change, and stays on its machine.
  const new_names = minify ? namesByContent(written) : new Map<string, string>();
  const nameOf = (path: string) => new_names.get(fileOf(path)) ?? fileOf(path);
  const contents = minify ? renamed(written, new_names) : written;
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint?.endsWith("/main.ts"));
  if (!entry) throw new Error("esbuild wrote no entry");
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
    styles: [nameOf(sheet.path)],
    preload: [...preload],
    files: names,
    sources,
  };
  const of_packages = Object.keys(metafile.inputs).filter((path) => OF_PACKAGE.test(path)).map((path) => `/${path}`);
  return { manifest, contents, of_packages };
}

const fileOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
