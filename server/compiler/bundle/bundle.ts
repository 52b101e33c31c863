/**
 * Bundles and minifies an app's code and styles. Nothing here reads the file system: an import is a module of the
 * runtime, or the plugin `closed` refuses it.
 */
import type * as esbuild from "esbuild";
import { build, transform } from "./esbuild.ts";
import { bundleKnown, outputsOf } from "./known_imports.ts";
import { APP, BASE, type Bundled, type Imports, type Loader, MAPPED, MINIFY, MODULE_MARK, STDIN } from "./options.ts";
import { closed, virtualModules, virtualOf } from "./plugins.ts";
import { AUTHOR, type Compiled, type Found } from "../engines/engine.ts";
import { VENDOR } from "./links.ts";
import { positionsOf, sourcePlaces } from "./position_map.ts";
import { columnOfByte, showWarning } from "./positions.ts";
import type { Runtime } from "../protocol.ts";
import { failureOf, hasParsed, isBuildFailure, quoted, quotedIn } from "./esbuild_errors.ts";
import { REWORDED } from "./messages.ts";
import { reword } from "./reword.ts";
import { unknownImports, usedImports } from "./unused_imports.ts";

export interface Bundle {
  code: string;
  /** Vendor files that the app loads, directly or through another vendor file. */
  imports: string[];
  warnings: string[];
  positions: string | undefined;
}

/** @throws {CompileFailure} with a message for each syntax error, or for each missing module and export */
export async function bundleApp(source: string, compiled: Compiled, imports: Imports): Promise<Bundle> {
  const { code, author = { code, loaders: ["js"] as const }, prove } = compiled;
  const inSource = sourcePlaces(compiled);
  const place = ({ location }: esbuild.Message) => {
    if (location?.file !== (compiled.author ? AUTHOR : STDIN)) return undefined;
    return inSource({ line: location.line, column: columnOfByte(location.lineText, location.column) + 1 });
  };
  try {
    const { text, files, warnings, imported, positions } = await bundleKnown(compiled, imports) ??
      await firstThatParses(author.loaders, (loader) => bundle(compiled, loader, imports));
    const absent = new Set(warnings.filter(({ id }) => id === "import-is-undefined").map(({ text }) => quotedIn(text)));
    const other = prove?.({
      exports: (name) => !absent.has(name),
      imports: imported,
      code: text,
      uses: usesOf(text, imports.runtime),
    });
    if (other) return await bundleApp(source, other, imports);
    const { runtime, remote_imports } = imports;
    const isKnown = (path: string) =>
      Object.hasOwn(runtime.modules, path) || path === AUTHOR || remote_imports && path.startsWith("https://");
    const unknown = compiled.author
      ? await unknownImports(MODULE_MARK + compiled.author.code, author.loaders[0] ?? "js", AUTHOR, isKnown)
      : await unknownImports(code, "js", STDIN, isKnown);
    return {
      code: text,
      positions,
      imports: withImports(files, imports.runtime),
      // `import "phaser"` without names is correct where the app uses the global.
      warnings: [...warnings, ...unknown].filter(({ id }) => id !== "ignored-bare-import").flatMap((warning) => {
        const position = place(warning);
        return position ? [showWarning(reword(warning.text, REWORDED), position)] : [];
      }),
    };
  } catch (error) {
    throw await failureOf(error, source, (note) => place(note) ?? quoted(source, note), compiled.explain);
  }
}

async function bundle(compiled: Compiled, loader: Loader, imports: Imports): Promise<Bundled> {
  const { code, author } = compiled;
  const imported = new Set<string>();
  const { words, virtual, inject } = virtualOf(compiled, loader);
  let used: Promise<ReadonlySet<string> | undefined> | undefined;
  const isUnused = async (path: string) =>
    (await (used ??= usedImports(author?.code ?? code, loader)))?.has(path) === false;
  const file = author ? AUTHOR : STDIN;
  const { outputFiles, metafile, warnings } = await build({
    ...APP,
    ...imports.positions && MAPPED,
    stdin: { contents: code, loader: author ? "js" : loader },
    inject,
    plugins: [virtualModules(virtual), closed(words, imports, file, imported, isUnused)],
  });
  const { output, map, outcome } = outputsOf({ outputFiles, metafile });
  if (!output || !outcome) throw new Error("esbuild wrote nothing");
  const files = outcome.imports.filter(({ path }) => path.startsWith(VENDOR));
  return {
    text: output.text,
    files: [...new Set(files.map(({ path }) => path.slice(VENDOR.length)))],
    imported,
    warnings,
    positions: map && positionsOf(compiled, { map, file, text: output.text }),
  };
}

/** @throws {esbuild.BuildFailure} of the loader that parses the source, or else of the one that gets furthest */
async function firstThatParses<Result>(
  loaders: readonly Loader[],
  attempt: (loader: Loader) => Promise<Result>,
): Promise<Result> {
  let best: { failure: unknown; reached: number } | undefined;
  for (const loader of loaders) {
    try {
      return await attempt(loader);
    } catch (failure) {
      if (!isBuildFailure(failure)) throw failure;
      if (hasParsed(failure)) throw failure;
      const { line = 0, column = 0 } = failure.errors[0]?.location ?? {};
      const reached = line * 1_000_000 + column;
      if (!best || reached > best.reached) best = { failure, reached };
    }
  }
  throw best?.failure;
}

/** Minifies a stylesheet. @throws {CompileFailure} on a syntax error or an `@import` of another than an https address */
export async function bundleStyles(source: string, css: string): Promise<string> {
  if (!css.trim()) return "";
  try {
    // Without imports a transform suffices, which takes half the time of a build.
    if (!/@import/i.test(css)) return (await transform(css, { ...MINIFY, loader: "css" })).code.trim();
    const { outputFiles: [output] } = await build({
      ...BASE,
      stdin: { contents: css, loader: "css" },
      plugins: [closed(new Set(), { runtime: NOTHING, remote_imports: true, positions: false })],
    });
    return output?.text.trim() ?? "";
  } catch (error) {
    throw await failureOf(error, source, (note) => quoted(source, note));
  }
}

const NOTHING: Runtime = { modules: {}, imports: {}, scripts: [] };

/** Finds which exports of the runtime the bundled code uses, as opposed to only importing them. */
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

/** The files and those that they import in turn. */
function withImports(files: string[], { imports }: Runtime): string[] {
  const all = new Set(files);
  for (const file of all) for (const other of imports[file] ?? []) all.add(other);
  return [...all];
}
