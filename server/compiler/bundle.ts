/** Resolves and minifies an app's code. Nothing here reaches the file system: every import ends in the one plugin. */
import * as esbuild from "esbuild";
import { CompileFailure } from "./compiler.ts";
import { AUTHOR, type Compiled } from "./engine.ts";
import { columnOfByte, type Position, positionOf, showMistake, showWarning } from "./positions.ts";
import type { Runtime } from "./protocol.ts";

const MINIFY = {
  minify: true,
  legalComments: "none",
  charset: "utf8",
  sourcemap: false,
  logLevel: "silent",
  tsconfigRaw: {},
  target: ["es2022", "chrome111", "firefox128", "safari16.4"],
} as const satisfies esbuild.TransformOptions;

const BASE = { ...MINIFY, bundle: true, write: false, absWorkingDir: "/" } as const satisfies esbuild.BuildOptions;

/** What esbuild calls a file that was handed to it. */
const STDIN = "<stdin>";

const GLOBALS = "app:globals";

const VENDOR = "/vendor/";

export interface Bundle {
  code: string;
  /** Vendor files, those included that others import. */
  imports: string[];
  warnings: string[];
}

export interface Imports {
  runtime: Runtime;
  remote_imports: boolean;
}

/** @throws {CompileFailure} one message for each import or export that is not there */
export async function bundleApp(source: string, compiled: Compiled, imports: Imports): Promise<Bundle> {
  const { code, author = { code, loaders: ["js"] as const }, prove } = compiled;
  const isAuthors = (location: esbuild.Location | null): location is esbuild.Location =>
    location?.file === (compiled.author ? AUTHOR : STDIN);
  const place = ({ location }: esbuild.Message) =>
    isAuthors(location)
      ? compiled.locate({ line: location.line, column: columnOfByte(location.lineText, location.column) + 1 })
      : undefined;
  try {
    const { outputFiles: [output], metafile, warnings, imported } = await firstThatReads(
      author.loaders,
      (loader) => bundle(compiled, loader, imports),
    );
    const [outcome] = Object.values(metafile.outputs);
    if (!output || !outcome) throw new Error("esbuild wrote nothing");
    const absent = new Set(warnings.filter(({ id }) => id === "import-is-undefined").map(({ text }) => quotedIn(text)));
    prove?.({ exports: (name) => !absent.has(name), imports: imported });
    const direct = outcome.imports.filter(({ path }) => path.startsWith(VENDOR));
    return {
      code: output.text,
      imports: withTheirs(direct.map(({ path }) => path.slice(VENDOR.length)), imports.runtime),
      warnings: warnings.flatMap((warning) => {
        const position = place(warning);
        return position ? [showWarning(warning.text, position)] : [];
      }),
    };
  } catch (error) {
    throw failureOf(error, (note) => showMistake(source, reword(note.text), place(note) ?? quoted(source, note)));
  }
}

type Loader = NonNullable<Compiled["author"]>["loaders"][number];

async function bundle({ code, author, globals = {} }: Compiled, loader: Loader, imports: Imports) {
  const imported = new Set<string>();
  const injected = Object.entries(globals).map(([name, [module, there]]) =>
    `export { ${there} as ${name} } from ${JSON.stringify(module)};`
  );
  const virtual = new Map<string, esbuild.OnLoadResult>([[GLOBALS, { contents: injected.join("\n") }]]);
  // With an export it is an ES module, whatever else it has; without one esbuild would wrap it as CommonJS.
  if (author) virtual.set(AUTHOR, { contents: `${author.code}\nexport {};`, loader });
  const words = `${code}\n${author?.code ?? ""}`;
  const result = await esbuild.build({
    ...BASE,
    format: "esm",
    jsx: "automatic",
    stdin: { contents: code, loader: author ? "js" : loader },
    inject: injected.length > 0 ? [GLOBALS] : [],
    metafile: true,
    plugins: [virtualModules(virtual), closed(words, imports, author ? AUTHOR : STDIN, imported)],
  });
  return { ...result, imported };
}

/** @throws {esbuild.BuildFailure} of the attempt whose first mistake stands furthest down */
async function firstThatReads<Result>(
  loaders: readonly Loader[],
  attempt: (loader: Loader) => Promise<Result>,
): Promise<Result> {
  let best: { failure: unknown; reached: number } | undefined;
  for (const loader of loaders) {
    try {
      // deno-lint-ignore no-await-in-loop -- the second way is tried where the first one fails
      return await attempt(loader);
    } catch (failure) {
      if (!isBuildFailure(failure)) throw failure;
      const { line = 0, column = 0 } = failure.errors[0]?.location ?? {};
      const reached = line * 1_000_000 + column;
      if (!best || reached > best.reached) best = { failure, reached };
    }
  }
  throw best?.failure;
}

/** Minifies a stylesheet whose rules are all in it. @throws {CompileFailure} on an `@import` of anything else */
export async function bundleStyles(source: string, css: string): Promise<string> {
  if (!css.trim()) return "";
  try {
    // Without imports there is nothing to resolve, and the short way takes half the time.
    if (!/@import/i.test(css)) return (await esbuild.transform(css, { ...MINIFY, loader: "css" })).code.trim();
    const { outputFiles: [output] } = await esbuild.build({
      ...BASE,
      stdin: { contents: css, loader: "css" },
      plugins: [closed(css, { runtime: NOTHING, remote_imports: true })],
    });
    return output?.text.trim() ?? "";
  } catch (error) {
    throw failureOf(error, (note) => showMistake(source, note.text, quoted(source, note)));
  }
}

const NOTHING: Runtime = { modules: {}, imports: {}, scripts: [] };

/** Modules whose text is at hand. */
function virtualModules(modules: ReadonlyMap<string, esbuild.OnLoadResult>): esbuild.Plugin {
  return {
    name: "virtual",
    setup(build) {
      // A mistake's file is then `namespace:path`, the specifier again.
      build.onResolve(
        { filter: /^app:/ },
        ({ path }) =>
          modules.has(path)
            ? { namespace: "app", path: path.slice("app:".length), sideEffects: path !== GLOBALS }
            : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: "app" }, ({ path }) => modules.get(`app:${path}`));
    },
  };
}

/**
 * Resolves the runtime's modules, and refuses all else.
 *
 * @param importer whose imports are written to `imported`
 */
function closed(
  code: string,
  { runtime, remote_imports }: Imports,
  importer = "",
  imported = new Set<string>(),
): esbuild.Plugin {
  const names = Object.keys(runtime.modules).filter((name) => !/\/internal|jsx-(dev-)?runtime/.test(name));
  // A compiler names what it calls of its internals, a tenth of them; the others would only cost time.
  const words = new Set(code.match(/\w+/g));
  const refuse = (text: string) => ({ errors: [{ text }] });
  return {
    name: "closed",
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path, kind, namespace, importer: from, with: attributes }) => {
        if (from === importer || `${namespace}:${from}` === importer) imported.add(path);
        if (kind === "url-token") return { path, external: true };
        if (namespace === "runtime" && path.startsWith(VENDOR)) return { path, external: true, sideEffects: false };
        if (Object.keys(attributes).length > 0) {
          return refuse(`"${path}" cannot be imported: import attributes are not supported`);
        }
        if (Object.hasOwn(runtime.modules, path)) return { path, namespace: "runtime", sideEffects: false };
        if (path.startsWith("https://") && remote_imports) return { path, external: true };
        if (names.length === 0) return refuse(`"${path}" cannot be imported; only https: addresses can`);
        if (/^https?:/.test(path)) return refuse(`"${path}" cannot be imported: this server allows no remote imports`);
        return refuse(`"${path}" cannot be imported; an app may import ${names.join(", ")}`);
      });
      build.onLoad({ filter: /.*/, namespace: "runtime" }, ({ path }) => ({
        contents: runtimeModule(runtime.modules[path] ?? {}, path.includes("/internal/") ? words : undefined),
      }));
    },
  };
}

/** A module that passes on what vendor files have: a statement a name, so that what an app does not use is left out. */
function runtimeModule(exports: Runtime["modules"][string], words: Set<string> | undefined): string {
  return Object.entries(exports)
    .filter(([name]) => !words || words.has(name))
    .map(([name, [file, there]]) => `export { ${there} as ${name} } from "${VENDOR}${file}";`)
    .join("\n");
}

function withTheirs(files: string[], { imports }: Runtime): string[] {
  const all = new Set(files);
  for (const file of all) for (const other of imports[file] ?? []) all.add(other);
  return [...all];
}

const isBuildFailure = (error: unknown): error is esbuild.BuildFailure =>
  error instanceof Error && "errors" in error && Array.isArray(error.errors);

function failureOf(error: unknown, show: (note: esbuild.Message) => string): unknown {
  if (!isBuildFailure(error) || error.errors.length === 0) return error;
  return new CompileFailure([...new Set(error.errors.map(show))]);
}

/** esbuild names its own namespaces, which say nothing to an author. */
function reword(text: string): string {
  return text.replace(/^No matching export in "runtime:([^"]+)" for import "([^"]+)"$/, '"$1" has no export "$2"');
}

const quotedIn = (text: string) => /"([^"]+)"/.exec(text)?.[1];

/** Where the source has what the message quotes first. */
function quoted(source: string, { text }: esbuild.Message): Position | undefined {
  const name = quotedIn(text);
  return name ? positionOf(source, new RegExp(RegExp.escape(name))) : undefined;
}
