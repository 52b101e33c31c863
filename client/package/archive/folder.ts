/**
 * An account as a folder: a JSON file for each thing, and beside that of an app its source.
 *
 *     apps/counter.svelte  apps/counter.json  dbs/orders.json  flows/…  connectors/…  triggers/…  departments/…
 */
import { EXTENSIONS, Fault, type Files, FOLDERS, SOURCES, withPlainLines } from "./files.ts";
import { looksTyped } from "./typed.ts";

export interface Thing {
  kind: string;
  key: string;
  value: Record<string, unknown>;
  renamed_from?: string | undefined;
}

/** The engine of a source whose settings name none. */
const engineOf = (extension: string): string | undefined =>
  [...EXTENSIONS].find(([, extensions]) => extensions.includes(extension))?.[0];

const KEY = /^[a-z0-9_-]{1,110}$/;
/** Windows takes files with these names for devices, whatever their extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/;
/** No key ends with it. */
const NO_DEVICE = "~";
const fileName = (key: string): string => DEVICE.test(key) ? key + NO_DEVICE : key;
const keyOfFile = (name: string): string => DEVICE.test(name.slice(0, -1)) ? name.replace(/~$/, "") : name;

/** What a merge of ours or of Git leaves in a file. */
const CONFLICT = /^<{7} [^]*^={7}$[^]*^>{7} /m;

export const folderOf = (kind: string): string => FOLDERS.get(kind) ?? kind;
export const nameOf = ({ kind, key }: Pick<Thing, "kind" | "key">): string => `${folderOf(kind)}/${key}`;
/** The path of its files, without the extension. */
export const pathOf = ({ kind, key }: Pick<Thing, "kind" | "key">): string => `${folderOf(kind)}/${fileName(key)}`;

/** The files of a thing. @param known files that are there: a `.jsx` stays one. @throws {Fault} for a strange key */
export function filesOf(thing: Thing, known: ReadonlyMap<string, string>): Files {
  const { kind, key, value } = thing;
  if (!KEY.test(key) || !FOLDERS.has(kind)) throw new Fault(`the server has sent a thing named ${kind}/${key}`);
  const path = pathOf(thing);
  if (kind !== "app") return new Map([[`${path}.json`, textOf(value)]]);
  const { source_code, app_engine = "svelte", ...settings } = value;
  const extensions = EXTENSIONS.get(String(app_engine)) ?? ["txt"];
  const [first = "txt", typed = first] = extensions;
  const extension = extensions.find((one) => known.has(`${path}.${one}`)) ??
    (looksTyped(String(source_code)) ? typed : first);
  const named = engineOf(extension) === app_engine ? settings : { ...settings, app_engine };
  return new Map([[`${path}.json`, textOf(named)], [
    `${path}.${extension}`,
    withPlainLines(String(source_code ?? "")),
  ]]);
}

/** The base, with a source under the ending that it was given here: a `.jsx` may have become a `.tsx`. */
export function withEndingsOf(here: ReadonlyMap<string, string>, base: Files): Files {
  const moved = [...base].map(([path, text]): [string, string] => {
    const dot = path.lastIndexOf(".") + 1;
    const endings = [...EXTENSIONS.values()].find((all) => all.includes(path.slice(dot))) ?? [];
    const other = endings.map((ending) => path.slice(0, dot) + ending).find((one) => here.has(one));
    return [here.has(path) ? path : other ?? path, text];
  });
  return new Map(moved);
}

const textOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * Writes a JSON file as a pull would: with the spaces of `filesOf`, and its keys in the order of the same file elsewhere.
 * Other texts, and JSON that cannot be read, stay as they are.
 */
export function tidy(path: string, text: string, like: string | undefined): string {
  const [json, other] = [text, like ?? ""].map((one) => path.endsWith(".json") ? objectOf(one) : undefined);
  return json ? textOf(inOrderOf(json, other ?? {})) : text;
}

/** The same object, with the keys of `like` first. The order of a schema's fields means something: only these keys move. */
export function inOrderOf(value: Record<string, unknown>, like: object): Record<string, unknown> {
  const known = Object.keys(like).filter((key) => Object.hasOwn(value, key));
  return Object.fromEntries([...new Set([...known, ...Object.keys(value)])].map((key) => [key, value[key]]));
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    return parse(text);
  } catch {
    // A fault, which the push reports.
  }
}

/** The things in files, and what is wrong with each that cannot be read. */
export function thingsOf(files: ReadonlyMap<string, string>): { things: Thing[]; faults: string[] } {
  const things: Thing[] = [];
  const faults: string[] = [];
  for (const [path, text] of files) {
    const [, folder = "", name = "", extension = ""] = /^(\w+)\/([^/]+)\.(\w+)$/.exec(path) ?? [];
    const kind = [...FOLDERS.keys()].find((kind) => FOLDERS.get(kind) === folder);
    if (kind === undefined) continue;
    const key = keyOfFile(name);
    try {
      if (!KEY.test(key)) throw new Fault("the name must be at most 110 lower-case letters, digits, - and _");
      if (name !== fileName(key)) throw new Fault(`must be called ${fileName(key)}.${extension}`);
      if (extension === "json") things.push(readThing(kind, key, text, files));
      else if (!files.has(`${folder}/${name}.json`)) {
        throw new Fault(`has no settings: ${folder}/${name}.json is missing`);
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
  const path = pathOf(thing);
  const found = SOURCES.filter((extension) => files.has(`${path}.${extension}`));
  const [extension] = found;
  if (extension === undefined) {
    throw new Fault(`has no source: ${path}.svelte, or one with another ending, is missing`);
  }
  if (found.length > 1) throw new Fault(`has several sources: ${found.map((one) => `${path}.${one}`).join(", ")}`);
  const app_engine = value.app_engine ?? engineOf(extension);
  if (!EXTENSIONS.get(String(app_engine))?.includes(extension)) {
    throw new Fault(`has the app_engine ${app_engine}, but its source is ${path}.${extension}`);
  }
  const source_code = files.get(`${path}.${extension}`) ?? "";
  if (CONFLICT.test(source_code)) throw new Fault(`has a conflict to be resolved, in ${path}.${extension}`);
  thing.value = { ...value, app_engine, source_code };
  return thing;
}

function parse(text: string): Record<string, unknown> {
  let json: unknown;
  try {
    // Some editors begin a file with a byte order mark.
    json = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    if (/^(<<<<<<<|>>>>>>>) /m.test(text)) throw new Fault("has a conflict to be resolved");
    throw new Fault(error instanceof Error ? error.message : "is no JSON");
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new Fault("must be an object");
  return { ...json };
}
