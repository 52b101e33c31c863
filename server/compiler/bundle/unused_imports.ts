/** Finds imports of unknown packages that the code does not use. They are left out, and the author gets a warning. */
import type * as esbuild from "esbuild";
import { build } from "./esbuild.ts";
import { isBuildFailure } from "./esbuild_errors.ts";
import { REFUSALS } from "./messages.ts";
import { APP, type Loader } from "./options.ts";

/** For esbuild, unused imports in TypeScript may be of types: it leaves them out. */
const typed = (loader: Loader): Loader => /x$/.test(loader) ? "tsx" : "ts";

/**
 * The modules from which the code uses something, or which it imports for their effects.
 *
 * @returns undefined where it cannot be parsed
 */
export async function usedImports(code: string, loader: Loader): Promise<ReadonlySet<string> | undefined> {
  const used = new Set<string>();
  const note: esbuild.Plugin = {
    name: "used",
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path }) => {
        used.add(path);
        return { path, external: true };
      });
    },
  };
  try {
    await build({ ...APP, stdin: { contents: code, loader: typed(loader) }, plugins: [note] });
    return used;
  } catch (error) {
    if (isBuildFailure(error)) return undefined;
    throw error;
  }
}

const SPECIFIER = /\bfrom\s*["']([^"'\n]+)["']/g;

/**
 * Warnings for the imports of modules that are not known, in code that compiles without them.
 *
 * @param file esbuild's name of the code, which the warnings' positions have
 */
export async function unknownImports(
  code: string,
  loader: Loader,
  file: string,
  isKnown: (path: string) => boolean,
): Promise<esbuild.Message[]> {
  if (code.matchAll(SPECIFIER).every(([, path = ""]) => isKnown(path))) return [];
  const warn: esbuild.Plugin = {
    name: "unknown",
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path }) => ({
        path,
        external: true,
        warnings: isKnown(path) ? [] : [{ text: REFUSALS.unused(path) }],
      }));
    },
  };
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
  const stdin = { contents: code, loader: typed(loader), sourcefile: file };
  try {
    return (await build({ ...APP, tsconfigRaw, stdin, plugins: [warn] })).warnings
      .filter(({ pluginName }) => pluginName === "unknown");
  } catch (error) {
    if (isBuildFailure(error)) return [];
    throw error;
  }
}
