/** Minifies runtimes. Terser's output is 2 to 5 % smaller than esbuild's, and takes a hundred times as long. */
import { type CompressOptions, minify as terser } from "terser";

/** More passes make React, Kaboom and Kaplay no smaller. All choices here compare sizes with brotli. */
const COMPRESS = { passes: 2 } satisfies CompressOptions;

/** For runtimes of many small functions. Others do not become smaller. */
const FUNCTIONS = { inline: 2, hoist_funs: true, lhs_constants: false } satisfies CompressOptions;

/** For one layer of several: others import all of its names, so a second pass finds nothing more to remove. */
export const LAYER = { ...FUNCTIONS, passes: 1 } satisfies CompressOptions;

/** For a runtime in one file. */
export const WHOLE = { ...FUNCTIONS, passes: 3 } satisfies CompressOptions;

/** @param code an ES module */
export async function minify(code: string, compress: CompressOptions = {}): Promise<string> {
  const { code: text } = await terser(code, {
    module: true,
    ecma: 2020,
    compress: { ...COMPRESS, ...compress },
    format: { comments: false },
  });
  return text ?? "";
}

/**
 * Removes unreferenced functions and branches whose condition is constant, before the code is split. Changes no names, and
 * does not inline functions: an inlined function might have to be in the same file as a variable that it assigns.
 */
export async function prune(code: string): Promise<string> {
  const { code: text } = await terser(code, {
    module: true,
    ecma: 2020,
    mangle: false,
    compress: { passes: 1, inline: 0, reduce_funcs: false },
    format: { comments: false, preserve_annotations: true },
  });
  return text ?? "";
}

const EXPORTS = /export\{([^}]*)\};?\s*$/;

/**
 * Replaces the exported names of a minified module by its short inner names.
 *
 * @returns `names`: old exported name → new exported name
 */
export function shortenExports(code: string): { code: string; names: Map<string, string> } {
  const names = new Map<string, string>();
  const text = code.replace(EXPORTS, (_, list: string) => {
    const parts = readNames(list);
    for (const { name, as } of parts) names.set(as, name);
    // Sorted, because that compresses best.
    const short = [...new Set(parts.map(({ name }) => name))].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    return `export{${short}};`;
  });
  return { code: text, names };
}

/** Parses the list of an `import { … }` or `export { … }`. */
export const readNames = (list: string): { name: string; as: string }[] =>
  list.split(",").filter(Boolean).map((part) => {
    const [name = "", as = name] = part.trim().split(/\s+as\s+/);
    return { name, as };
  });
