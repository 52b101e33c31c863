/** Resolves and minifies an app's code. Nothing here reaches the file system: every import ends in the one plugin. */
import * as esbuild from "esbuild";
import { AUTHOR, type Compiled, type Found } from "./engine.ts";
import { link, named, VENDOR } from "./links.ts";
import { columnOfByte, showWarning } from "./positions.ts";
import type { Runtime } from "./protocol.ts";
import { createRecent } from "./recent.ts";
import { failureOf, hasRead, isBuildFailure, quoted, quotedIn, reword } from "./refusals.ts";
import { readShow, type Show, show } from "./shown.ts";

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

const APP = { ...BASE, format: "esm", jsx: "automatic", metafile: true } as const satisfies esbuild.BuildOptions;

/** What esbuild calls a file that was handed to it. */
const STDIN = "<stdin>";

const GLOBALS = "app:globals";

/** Code that only runs the author's. */
const RUN = `import "${AUTHOR}";`;

/** With an export it is an ES module, whatever else it has; without one esbuild would wrap it as CommonJS. */
const MODULE_MARK = "export{};";

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
  const place = ({ location }: esbuild.Message) => {
    if (location?.file !== (compiled.author ? AUTHOR : STDIN)) return undefined;
    const { line, column, lineText } = location;
    const moved = compiled.author && line === 1 ? MODULE_MARK.length : 0;
    return compiled.locate({ line, column: columnOfByte(lineText, column) + 1 - moved });
  };
  try {
    const { text, files, warnings, imported } = await bundleKnown(compiled, imports) ??
      await firstThatReads(author.loaders, (loader) => bundle(compiled, loader, imports));
    const absent = new Set(warnings.filter(({ id }) => id === "import-is-undefined").map(({ text }) => quotedIn(text)));
    const other = prove?.({
      exports: (name) => !absent.has(name),
      imports: imported,
      code: text,
      uses: usesOf(text, imports.runtime),
    });
    if (other) return await bundleApp(source, other, imports);
    return {
      code: text,
      imports: withTheirs(files, imports.runtime),
      // `import "phaser"` is right where the global is used, whose own import brings the library.
      warnings: warnings.filter(({ id }) => id !== "ignored-bare-import").flatMap((warning) => {
        const position = place(warning);
        return position ? [showWarning(reword(warning.text), position)] : [];
      }),
    };
  } catch (error) {
    throw await failureOf(error, source, (note) => place(note) ?? quoted(source, note), compiled.explain);
  }
}

type Loader = NonNullable<Compiled["author"]>["loaders"][number];

interface Bundled {
  text: string;
  /** The vendor files that it imports. */
  files: string[];
  /** What the author's module imports, as it names it. */
  imported: ReadonlySet<string>;
  warnings: esbuild.Message[];
}

/**
 * The way of nearly every app, whose imports are names that the runtime has: esbuild leaves them as they stand, so it
 * has no questions, each of which would cost two turns of two processes.
 *
 * @returns undefined where there is a mistake or another import: the plugin places, leads or refuses it
 */
async function bundleKnown(compiled: Compiled, { runtime }: Imports): Promise<Bundled | undefined> {
  const { author, globals } = compiled;
  // Where nothing of it is shown, what it exports is to be left out with all that only serves that.
  if (author && compiled.code === RUN) return undefined;
  const external = Object.keys(runtime.modules);
  const file = author ? AUTHOR : STDIN;
  const { code, define } = author ? withGlobals(author.code, globals) : named(compiled.code);
  const stdin = { contents: code, sourcefile: file, loader: author?.loaders[0] ?? "js" };
  try {
    const [{ outputFiles: [output], metafile, warnings }, shown] = await Promise.all([
      esbuild.build({ ...APP, stdin, define, external }),
      author && showOf(compiled.code, external),
    ]);
    const [outcome] = Object.values(metafile.outputs);
    if (!output || !outcome || Object.keys(metafile.inputs).some((path) => path !== file)) return undefined;
    const text = shown ? show(output.text, shown) : author ? undefined : output.text;
    const linked = text && link(text, [...outcome.imports, ...shown?.imports ?? []], runtime);
    if (!linked) return undefined;
    const { imports = [] } = metafile.inputs[file] ?? {};
    return { ...linked, imported: new Set(imports.map(({ path }) => path)), warnings };
  } catch (error) {
    if (isBuildFailure(error)) return undefined;
    throw error;
  }
}

/** Behind the code, so that all of it stays in its place. */
function withGlobals(
  code: string,
  globals: Compiled["globals"] = {},
): { code: string; define: Record<string, string> } {
  const used = Object.entries(globals).filter(([name]) => new RegExp(String.raw`\b${name}\b`).test(code));
  const imports = used.map(([name, [module, there]]) =>
    `import { ${there} as $$${name} } from ${JSON.stringify(module)};`
  );
  return {
    code: `${MODULE_MARK}${code}\n${imports.join("")}`,
    define: Object.fromEntries(used.map(([name]) => [name, `$$${name}`])),
  };
}

/** An engine has two ways to show an app, or three; styles that are built in the page make more. */
const shows = createRecent<Show>(64 * 1024);

async function showOf(code: string, external: string[]): Promise<Show | undefined> {
  const known = shows.get(code);
  if (known) return known;
  const { outputFiles: [output] } = await esbuild.build({
    ...APP,
    stdin: { contents: code },
    external: [...external, AUTHOR],
  });
  const read = output && readShow(output.text);
  if (read) shows.set(code, read, code.length);
  return read;
}

async function bundle(compiled: Compiled, loader: Loader, imports: Imports): Promise<Bundled> {
  const { code, author } = compiled;
  const imported = new Set<string>();
  const { words, virtual, inject } = virtualOf(compiled, loader);
  const { outputFiles: [output], metafile, warnings } = await esbuild.build({
    ...APP,
    stdin: { contents: code, loader: author ? "js" : loader },
    inject,
    plugins: [virtualModules(virtual), closed(words, imports, author ? AUTHOR : STDIN, imported)],
  });
  const [outcome] = Object.values(metafile.outputs);
  if (!output || !outcome) throw new Error("esbuild wrote nothing");
  const files = outcome.imports.filter(({ path }) => path.startsWith(VENDOR));
  return {
    text: output.text,
    files: [...new Set(files.map(({ path }) => path.slice(VENDOR.length)))],
    imported,
    warnings,
  };
}

/** What esbuild is told beside the code that it is given. */
function virtualOf({ code, author, globals = {} }: Compiled, loader: Loader = "js") {
  const words = new Set(`${code}\n${author?.code ?? ""}`.match(/\w+/g));
  const injected = Object.entries(globals).filter(([name]) => words.has(name)).map(([name, [module, there]]) =>
    `export { ${there} as ${name} } from ${JSON.stringify(module)};`
  );
  const virtual = new Map<string, esbuild.OnLoadResult>();
  if (injected.length > 0) virtual.set(GLOBALS, { contents: injected.join("\n") });
  if (author) virtual.set(AUTHOR, { contents: MODULE_MARK + author.code, loader });
  return { words, virtual, inject: injected.length > 0 ? [GLOBALS] : [] };
}

/** @throws {esbuild.BuildFailure} of the attempt that reads it, else of the one that reads furthest */
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
      if (hasRead(failure)) throw failure;
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
      plugins: [closed(new Set(), { runtime: NOTHING, remote_imports: true })],
    });
    return output?.text.trim() ?? "";
  } catch (error) {
    throw await failureOf(error, source, (note) => quoted(source, note));
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
  words: ReadonlySet<string>,
  { runtime, remote_imports }: Imports,
  importer = "",
  imported = new Set<string>(),
): esbuild.Plugin {
  const names = Object.keys(runtime.modules).filter((name) => !/\/internal|jsx-(dev-)?runtime/.test(name));
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
        // A compiler names what it calls of its internals, a tenth of them; the others would only cost time.
        contents: runtimeModule(runtime.modules[path] ?? {}, path.includes("/internal/") ? words : undefined),
      }));
    },
  };
}

/** A module that passes on what vendor files have: a statement a name, so that what an app does not use is left out. */
function runtimeModule(exports: Runtime["modules"][string], words: ReadonlySet<string> | undefined): string {
  return Object.entries(exports)
    .filter(([name]) => name !== "*" && (!words || words.has(name)))
    .map(([name, [file, there]]) => `export { ${there} as ${name} } from "${VENDOR}${file}";`)
    .join("\n");
}

/** Tells which names of the runtime's modules bundled code uses; it may import more. */
function usesOf(code: string, { modules, editions = [] }: Runtime): Found["uses"] {
  return (module, name) => {
    const places = new Map([modules, ...editions].flatMap((one) => one[module]?.[name] ? [one[module][name]] : []));
    return [...code.matchAll(IMPORTED)].some(([statement, list = "", from]) =>
      from !== undefined && places.has(from) && list.split(",").some((part) => {
        const [imported, local = imported] = part.split(" as ");
        if (imported !== places.get(from) || !local) return false;
        return new RegExp(`(?<![\\w$.])${RegExp.escape(local)}(?![\\w$])`).test(code.replace(statement, ""));
      })
    );
  };
}

const IMPORTED = /\bimport\{([^}]*)\}from"\/vendor\/([^"]+)";/g;

function withTheirs(files: string[], { imports }: Runtime): string[] {
  const all = new Set(files);
  for (const file of all) for (const other of imports[file] ?? []) all.add(other);
  return [...all];
}
