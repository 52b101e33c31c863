/** The last step of every runtime. Terser leaves 2 to 5 % less of one than esbuild, in a hundred times the time. */
import { type CompressOptions, minify as terser } from "terser";

/** Measured with brotli, as the rest here: more passes gain nothing for React, Kaboom and Kaplay. */
const COMPRESS = { passes: 2 } satisfies CompressOptions;

/** What makes a runtime of many small functions smaller, and others no smaller. */
const FUNCTIONS = { inline: 2, hoist_funs: true, lhs_constants: false } satisfies CompressOptions;

/** One layer of several, which others need whole: a second pass finds nothing more to leave out. */
export const LAYER = { ...FUNCTIONS, passes: 1 } satisfies CompressOptions;

/** All that an entry needs, and of that nothing needed elsewhere. */
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
 * Leaves out what nobody calls and what is never so, and changes no name: another step looks at the result. Functions
 * stay where they are, because one that is written into another might have to be in the same file as what it assigns.
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
 * Exports everything under the short name that it has inside a minified module.
 *
 * @returns `names`: what something was exported as → what it is exported as now
 */
export function shortenExports(code: string): { code: string; names: Map<string, string> } {
  const names = new Map<string, string>();
  const text = code.replace(EXPORTS, (_, list: string) => {
    const parts = readNames(list);
    for (const { name, as } of parts) names.set(as, name);
    // In an order that has the least to tell.
    const short = [...new Set(parts.map(({ name }) => name))].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    return `export{${short}};`;
  });
  return { code: text, names };
}

/** The names of an `import { … }` or `export { … }`. */
export const readNames = (list: string): { name: string; as: string }[] =>
  list.split(",").filter(Boolean).map((part) => {
    const [name = "", as = name] = part.trim().split(/\s+as\s+/);
    return { name, as };
  });
