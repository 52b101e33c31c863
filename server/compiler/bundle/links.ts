/**
 * Replaces the imports in esbuild's output by imports from vendor files. The runtime's modules are external to esbuild,
 * which writes their imports in one known form, reduced to the names in use.
 */
import type * as esbuild from "esbuild";
import type { Runtime } from "../protocol.ts";
import { freePrefix } from "./free_prefix.ts";

export const VENDOR = "/vendor/";

export interface Linked {
  text: string;
  /** The vendor files that it imports, without the path. */
  files: string[];
  /** Characters in front of the text that was linked. */
  head: number;
  /** What was removed from that text, in order. */
  cuts: { start: number; end: number }[];
}

/** An import in esbuild's output. Imports may stand anywhere in it: each bundled module keeps its own. */
export const STATEMENT = /\bimport(?: ([^\s"{},*]+),?)?(?:\{([^}]*)\}|(\*as [^\s"]+))?(?: ?from)?"([^"]+)";\n?/g;
const ITEM = /^(?:([\w$]+|\*)|"([^"\\]+)")(?:\s?as ([^\s]+))?$/;

/**
 * @param imports the external imports in it, from esbuild's metafile
 * @returns undefined where an import is not one of names that the runtime exports, such as most whole namespaces
 */
export function link(
  text: string,
  imports: readonly Pick<esbuild.Metafile["outputs"][string]["imports"][number], "kind">[],
  { modules, editions = [] }: Runtime,
): Linked | undefined {
  const statements = [...text.matchAll(STATEMENT)].filter(([, , , , path = ""]) => Object.hasOwn(modules, path));
  // A surplus match is text that looks like an import.
  if (statements.length !== imports.length || imports.some(({ kind }) => kind !== "import-statement")) return undefined;
  let files: Map<string, string[]> | undefined;
  for (const edition of [...editions, {}]) files ??= placesOf(statements, { ...modules, ...edition });
  if (!files) return undefined;
  const head = [...files].map(([file, names]) => `import{${names}}from"${VENDOR}${file}";`).join("");
  const cuts = statements.map(({ 0: statement, index }) => ({ start: index, end: index + statement.length }));
  let rest = "";
  let done = 0;
  for (const { start, end } of cuts) {
    rest += text.slice(done, start);
    done = end;
  }
  return { text: head + rest + text.slice(done), files: [...files.keys()], head: head.length, cuts };
}

/** Vendor file → names to import from it. Undefined where these modules lack one of the names. */
function placesOf(statements: RegExpExecArray[], modules: Runtime["modules"]): Map<string, string[]> | undefined {
  const files = new Map<string, string[]>();
  for (const statement of statements) {
    const { path, items } = readStatement(statement);
    const exports = modules[path] ?? {};
    for (const { name, local } of items) {
      const place = Object.hasOwn(exports, name) && exports[name];
      if (!place) return undefined;
      const [file, there] = place;
      const names = files.get(file) ?? [];
      names.push(there === local ? there : `${there} as ${local}`);
      files.set(file, names);
    }
  }
  return files;
}

/** @param statement a match of `STATEMENT`. A namespace import has the name `*`. */
export function readStatement([, whole, list = "", namespace, path = ""]: RegExpExecArray) {
  const items = list.split(",").filter(Boolean);
  if (whole) items.push(`default as ${whole}`);
  if (namespace) items.push(namespace);
  const read = items.map((item) => {
    const [, plain, quoted, as] = ITEM.exec(item.trim()) ?? [];
    const name = plain ?? quoted ?? "";
    return { name, local: as ?? name };
  });
  return { path, items: read };
}

/**
 * Replaces a namespace import in Svelte's output by imports of the names in use: esbuild keeps a namespace of an external
 * module whole.
 *
 * @returns code with the same lines, and esbuild's `define` that maps `$.name` to the imported name
 */
export function named(code: string): { code: string; define: Record<string, string> } {
  const define: Record<string, string> = {};
  const prefix = freePrefix(code);
  const renamed = code.replace(
    /^import \* as (\$) from ['"]([^'"]+\/internal\/[^'"]+)['"];$/m,
    (_, namespace: string, path: string) => {
      const names = new Set([...code.matchAll(/(?<![\w$])\$\.(\w+)/g)].map(([, name = ""]) => name));
      for (const name of names) define[`${namespace}.${name}`] = `${prefix}${name}`;
      const list = [...names].map((name) => `${name} as ${prefix}${name}`);
      return `import { ${list.join(", ")} } from "${path}";`;
    },
  );
  return { code: renamed, define };
}
