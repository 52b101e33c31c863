/**
 * An account as a folder: a JSON file for each thing, and beside that of an app its source.
 *
 *     apps/counter.svelte  apps/counter.json  dbs/orders.json  flows/…  connectors/…  triggers/…  departments/…
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

export interface Thing {
  kind: string;
  key: string;
  value: Record<string, unknown>;
  renamed_from?: string | undefined;
}

/** Texts by path, such as `apps/counter.json`. */
export type Files = Map<string, string>;

/** What a user can mend. Printed without a stack. */
export class Fault extends Error {}

export const FOLDERS: Readonly<Record<string, string>> = {
  department: "departments",
  connector: "connectors",
  db: "dbs",
  flow: "flows",
  app: "apps",
  trigger: "triggers",
};

/** The extensions of sources. The first one is written. */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  svelte: ["svelte"],
  vue: ["vue"],
  react: ["jsx", "tsx"],
  js: ["js"],
  kaboom: ["js"],
  phaser: ["js"],
  html: ["html"],
};
const SOURCES = [...new Set(Object.values(EXTENSIONS).flat())];
/** The engine of a source whose settings name none. */
const engineOf = (extension: string): string | undefined =>
  Object.keys(EXTENSIONS).find((engine) => EXTENSIONS[engine]?.includes(extension));

const KEY = /^[a-z0-9_-]{1,110}$/;

export const folderOf = (kind: string): string => FOLDERS[kind] ?? kind;
export const nameOf = ({ kind, key }: Pick<Thing, "kind" | "key">): string => `${folderOf(kind)}/${key}`;

/** The files of a thing. @param known files that are there: a `.tsx` stays one */
export function filesOf({ kind, key, value }: Thing, known: ReadonlyMap<string, string>): Files {
  if (!KEY.test(key) || FOLDERS[kind] === undefined) {
    throw new Fault(`the server has sent a thing named ${kind}/${key}`);
  }
  const path = `${folderOf(kind)}/${key}`;
  if (kind !== "app") return new Map([[`${path}.json`, textOf(value)]]);
  const { source_code, app_engine = "svelte", ...settings } = value;
  const extensions = EXTENSIONS[String(app_engine)] ?? ["txt"];
  const extension = extensions.find((one) => known.has(`${path}.${one}`)) ?? extensions[0] ?? "txt";
  const named = engineOf(extension) === app_engine ? settings : { ...settings, app_engine };
  return new Map([[`${path}.json`, textOf(named)], [`${path}.${extension}`, String(source_code ?? "")]]);
}

const textOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The things in files, and what is wrong with each that cannot be read. */
export function thingsOf(files: ReadonlyMap<string, string>): { things: Thing[]; faults: string[] } {
  const things: Thing[] = [];
  const faults: string[] = [];
  for (const [path, text] of files) {
    const [, folder = "", key = "", extension = ""] = /^(\w+)\/([^/]+)\.(\w+)$/.exec(path) ?? [];
    const kind = Object.keys(FOLDERS).find((kind) => FOLDERS[kind] === folder);
    if (kind === undefined) continue;
    try {
      if (!KEY.test(key)) throw new Fault("the name must be lower-case letters, digits, - and _");
      if (extension === "json") things.push(readThing(kind, key, text, files));
      else if (!files.has(`${folder}/${key}.json`)) {
        throw new Fault(`has no settings: ${folder}/${key}.json is missing`);
      }
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.push(`${path}: ${error.message}`);
    }
  }
  return { things, faults };
}

function readThing(kind: string, key: string, text: string, files: ReadonlyMap<string, string>): Thing {
  const { renamed_from, ...value } = parse(text);
  const thing: Thing = { kind, key, value };
  if (renamed_from !== undefined) thing.renamed_from = String(renamed_from);
  if (kind !== "app") return thing;
  const found = SOURCES.filter((extension) => files.has(`apps/${key}.${extension}`));
  const [extension] = found;
  if (extension === undefined) {
    throw new Fault(`has no source: apps/${key}.svelte, or one with another ending, is missing`);
  }
  if (found.length > 1) throw new Fault(`has several sources: ${found.map((one) => `${key}.${one}`).join(", ")}`);
  const app_engine = value.app_engine ?? engineOf(extension);
  if (!EXTENSIONS[String(app_engine)]?.includes(extension)) {
    throw new Fault(`has the app_engine ${app_engine}, but its source is ${key}.${extension}`);
  }
  thing.value = { ...value, app_engine, source_code: files.get(`apps/${key}.${extension}`) };
  return thing;
}

function parse(text: string): Record<string, unknown> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Fault(
      /^(<<<<<<<|>>>>>>>) /m.test(text)
        ? "has a conflict to be resolved"
        : error instanceof Error
        ? error.message
        : "is no JSON",
    );
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new Fault("must be an object");
  return { ...json };
}

/** The files of things below a folder; none where there is no such folder. */
export async function readFiles(root: string): Promise<Files> {
  const files: Files = new Map();
  for (const folder of Object.values(FOLDERS)) {
    const names = await readdir(join(root, folder)).catch(missing);
    for (const name of names?.toSorted() ?? []) {
      const extension = name.slice(name.lastIndexOf(".") + 1);
      const is_source = folder === "apps" && SOURCES.includes(extension);
      if (name.startsWith(".") || extension !== "json" && !is_source) continue;
      files.set(`${folder}/${name}`, await readFile(join(root, folder, name), "utf8"));
    }
  }
  return files;
}

export async function writeText(root: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

export const removeFile = (root: string, path: string): Promise<void> => rm(join(root, path), { force: true });

function missing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}
