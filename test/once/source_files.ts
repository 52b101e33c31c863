/** Reads the project's source files and what each imports. */
import { fileURLToPath } from "node:url";

export const TREE = fileURLToPath(new URL("../..", import.meta.url));
const ROOTS = ["main.ts", "server", "db", "client", "test"];

export interface Import {
  /** A path from the project's root, or a package's specifier. */
  to: string;
  /** The compiler erases the import. */
  types_only: boolean;
}

export interface SourceFile {
  text: string;
  imports: Import[];
}

function* sources(path: string): Generator<string> {
  if (!Deno.statSync(TREE + path).isDirectory) return yield path;
  for (const { name, isDirectory } of Deno.readDirSync(TREE + path)) {
    if (isDirectory || /\.tsx?$/.test(name)) yield* sources(`${path}/${name}`);
  }
}

/** The text without comments and template literals, which may contain programs. */
export const codeOf = (text: string) => text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "").replace(/`[^`]*`/g, "``");

const STATEMENT = /^(?:import|export)\b([^"'`;]*?\bfrom\s*)?\s*"([^"\n]+)"/gm;
const DYNAMIC = /\bimport\(\s*"([^"\n]+)"/g;
/** Addresses of modules, such as a worker's. */
const ADDRESS = /\bimport\.meta\.resolve\(\s*"([^"\n]+)"|\bnew URL\(\s*"([^"\n]+\.ts)",\s*import\.meta\.url/g;

export function importsOf(file: string, text: string): Import[] {
  const code = codeOf(text);
  const path = (to: string) => /^\.\.?\//.test(to) ? new URL(to, `file:///${file}`).pathname.slice(1) : to;
  return [
    ...[...code.matchAll(STATEMENT)].map(([, clause = "", to = ""]) => ({
      to: path(to),
      types_only: /^\s*type\b/.test(clause),
    })),
    ...[...code.matchAll(DYNAMIC)].map(([, to = ""]) => ({ to: path(to), types_only: false })),
    ...[...code.matchAll(ADDRESS)].map(([, to, url]) => ({
      to: path(to ?? `${url}`.replace(/^(?!\.)/, "./")),
      types_only: false,
    })),
  ];
}

/** Every TypeScript file of the project, by its path from the root. */
export const files: ReadonlyMap<string, SourceFile> = new Map(
  ROOTS.flatMap((root) => [...sources(root)]).map((file) => {
    const text = Deno.readTextFileSync(TREE + file);
    return [file, { text, imports: importsOf(file, text) }];
  }),
);

export const isTest = (file: string) => /^test\/|_test\.tsx?$/.test(file);
