/**
 * The imports in what esbuild writes, led to vendor files. The runtime's modules are external to it, so that it has
 * nothing to ask; it leaves the names in use, in one form of its own.
 */
import type * as esbuild from "esbuild";
import type { Runtime } from "../protocol.ts";

export const VENDOR = "/vendor/";

export interface Linked {
  text: string;
  /** The vendor files that it imports now, without the path. */
  files: string[];
}

/** Each of the modules that esbuild joined keeps its imports where they were. */
export const STATEMENT = /\bimport(?: ([^\s"{},*]+),?)?(?:\{([^}]*)\}|(\*as [^\s"]+))?(?: ?from)?"([^"]+)";\n?/g;
const ITEM = /^(?:([\w$]+|\*)|"([^"\\]+)")(?:\s?as ([^\s]+))?$/;

/**
 * @param imports external ones in it, as esbuild tells
 * @returns undefined where one is nothing that the runtime has: a whole namespace of most, another module, a name
 */
export function link(
  text: string,
  imports: readonly Pick<esbuild.Metafile["outputs"][string]["imports"][number], "kind">[],
  { modules, editions = [] }: Runtime,
): Linked | undefined {
  const statements = [...text.matchAll(STATEMENT)].filter(([, , , , path = ""]) => Object.hasOwn(modules, path));
  // More of them is a text that reads like one.
  if (statements.length !== imports.length || imports.some(({ kind }) => kind !== "import-statement")) return undefined;
  let files: Map<string, string[]> | undefined;
  for (const edition of [...editions, {}]) files ??= lead(statements, { ...modules, ...edition });
  if (!files) return undefined;
  const head = [...files].map(([file, names]) => `import{${names}}from"${VENDOR}${file}";`).join("");
  let rest = "";
  let end = 0;
  for (const { 0: statement, index } of statements) {
    rest += text.slice(end, index);
    end = index + statement.length;
  }
  return { text: head + rest + text.slice(end), files: [...files.keys()] };
}

/** Vendor file → what to import from it; undefined where these modules do not have it all. */
function lead(statements: RegExpExecArray[], modules: Runtime["modules"]): Map<string, string[]> | undefined {
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

/** @param statement found by `STATEMENT`; a whole namespace is the name `*` */
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
 * Names one by one what generated code reads from a namespace: esbuild keeps a namespace of an external module whole.
 *
 * @returns code with the same lines, and what is to be read as which name; as it is where it has no such import
 */
export function named(code: string): { code: string; define: Record<string, string> } {
  const define: Record<string, string> = {};
  const renamed = code.replace(
    /^import \* as (\$) from ['"]([^'"]+\/internal\/[^'"]+)['"];$/m,
    (_, namespace: string, path: string) => {
      const names = new Set([...code.matchAll(/(?<![\w$])\$\.(\w+)/g)].map(([, name = ""]) => name));
      for (const name of names) define[`${namespace}.${name}`] = `${namespace}${namespace}${name}`;
      const list = [...names].map((name) => `${name} as ${namespace}${namespace}${name}`);
      return `import { ${list.join(", ")} } from "${path}";`;
    },
  );
  return { code: renamed, define };
}
