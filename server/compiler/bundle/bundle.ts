/**
 * Resolves and minifies an app's code. Nothing here reaches the file system: every import is a name that the runtime
 * has, or ends in the one plugin.
 */
import * as esbuild from "esbuild";
import { bundleKnown } from "./known_imports.ts";
import { APP, BASE, type Bundled, type Imports, type Loader, MINIFY, MODULE_MARK, STDIN } from "./options.ts";
import { closed, virtualModules, virtualOf } from "./plugins.ts";
import { AUTHOR, type Compiled, type Found } from "../engines/engine.ts";
import { VENDOR } from "./links.ts";
import { columnOfByte, showWarning } from "./positions.ts";
import type { Runtime } from "../protocol.ts";
import { failureOf, hasRead, isBuildFailure, quoted, quotedIn, reword } from "./esbuild_errors.ts";

export interface Bundle {
  code: string;
  /** Vendor files, those included that others import. */
  imports: string[];
  warnings: string[];
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

/** @throws {esbuild.BuildFailure} of the attempt that reads it, else of the one that reads furthest */
async function firstThatReads<Result>(
  loaders: readonly Loader[],
  attempt: (loader: Loader) => Promise<Result>,
): Promise<Result> {
  let best: { failure: unknown; reached: number } | undefined;
  for (const loader of loaders) {
    try {
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
