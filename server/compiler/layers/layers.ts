/**
 * Splits a module into layers, statement by statement; an app loads only the layers that it needs. Bundlers split by
 * source file, so a small app would load everything that shares a file with what it uses.
 */
import { relate } from "./relations.ts";
import { type Kind, writeSetter, writeThrough } from "./setters.ts";
import { readStatements, type Statement } from "./statements.ts";

/** One ES module. The caller adds its imports from lower layers and its export list. */
export interface Layer {
  body: string;
  /** Lower layer → imported names; an empty list where that layer only has to run first. */
  imports: Map<number, string[]>;
  /** Names that higher layers and apps may import. */
  exports: string[];
}

export interface Layers {
  layers: Layer[];
  /** Name exported by the whole module → its layer, and its name there. */
  places: Map<string, readonly [layer: number, name: string]>;
}

/**
 * Each statement goes into the lowest layer that needs it; the order within a layer is that of the source. Whichever
 * layers are loaded, their exports behave as in the whole module.
 *
 * @param code an ES module without imports and with one export list, as bundlers write it
 * @param layers exported names, the lowest layer first; the last layer gets the names that none lists
 * @param pure functions and classes of the module whose calls during loading have no effects
 * @throws {Error} where a layer lists a name that the module does not export
 */
export function splitModule(code: string, layers: readonly (readonly string[])[], pure?: ReadonlySet<string>): Layers {
  const { statements, exports } = readStatements(code, pure);
  const listed = new Set(layers.flat());
  const unknown = [...listed].filter((name) => !exports.has(name));
  if (unknown.length > 0) throw new Error(`no such exports: ${unknown.join(", ")}`);
  const rest = [...exports.keys()].filter((name) => !listed.has(name));
  const roots = layers.map((names, index) => index < layers.length - 1 ? names : [...names, ...rest])
    .map((names) => names.flatMap((name) => exports.get(name) ?? []));
  const { layer_of, has_effects } = assign(statements, roots);
  const home = new Map(statements.flatMap((one) => {
    const layer = layer_of.get(one);
    return layer === undefined ? [] : one.declares.map((name) => [name, layer] as const);
  }));
  const places = new Map([...exports].map(([name, local]) => [name, [home.get(local) ?? 0, local] as const]));
  const parts = write(statements, layer_of, home, unusedIn(code, "set_"), layers.length);
  for (const [layer, part] of parts.entries()) {
    if (layer > 0 && has_effects && !part.imports.has(0)) part.imports.set(0, []);
    const imported = parts.flatMap(({ imports }) => imports.get(layer) ?? []);
    const exported = [...places.values()].flatMap(([there, local]) => there === layer ? [local] : []);
    part.exports = [...new Set([...exported, ...imported])];
  }
  return { layers: parts, places };
}

/** A layer that uses less than this part of another layer gets that part moved into the lowest layer. */
const SMALL_PART = 1 / 10;

const sizeOf = (statements: Iterable<Statement>) => [...statements].reduce((sum, { text }) => sum + text.length, 0);

/** @returns `has_effects`: the lowest layer has statements that must always run */
function assign(statements: readonly Statement[], roots: readonly (readonly string[])[]) {
  const { declaring, needs } = relate(statements);
  const layer_of = new Map<Statement, number>();
  const put = (statements: Iterable<Statement>, layer: number) => {
    const all = new Set(statements);
    for (const one of all) {
      if (layer_of.has(one)) continue;
      layer_of.set(one, layer);
      needs.get(one)?.forEach((needed) => all.add(needed));
    }
  };
  /** Moves what `higher` uses of `lower` into the lowest layer where that is little, so that `lower` need not load. */
  const moveShared = (lower: number, higher: number) => {
    const shared = new Set<Statement>();
    for (const one of statements) {
      if (layer_of.get(one) !== higher) continue;
      needs.get(one)?.forEach((needed) => layer_of.get(needed) === lower && shared.add(needed));
    }
    for (const one of shared) {
      needs.get(one)?.forEach((needed) => layer_of.get(needed) !== 0 && shared.add(needed));
    }
    const whole = statements.filter((one) => layer_of.get(one) === lower);
    if (sizeOf(shared) < SMALL_PART * sizeOf(whole)) shared.forEach((one) => layer_of.set(one, 0));
  };
  for (const [layer, names] of roots.entries()) put(names.flatMap((name) => declaring.get(name) ?? []), layer);
  // Apps that need the last layer are rare, and may load the others as well.
  for (const higher of roots.slice(0, -1).keys()) {
    for (let lower = 1; lower < higher; lower++) moveShared(lower, higher);
  }
  // Statements with effects on nothing in the module may have effects on the page.
  const effects = statements.filter((one) => one.wild && !layer_of.has(one));
  put(effects, 0);
  return { layer_of, has_effects: effects.length > 0 };
}

/** The texts of the layers, with assignments to names of other layers replaced by calls of setters. */
function write(
  statements: readonly Statement[],
  layer_of: ReadonlyMap<Statement, number>,
  home: ReadonlyMap<string, number>,
  prefix: string,
  count: number,
): Layer[] {
  const setters = new Map<string, { name: string; kind: Kind }>();
  const parts = Array.from({ length: count }, (_, layer) => {
    const texts: string[] = [];
    const imports = new Map<number, string[]>();
    const addImport = (name: string, from: number) => {
      const names = imports.get(from) ?? [];
      if (from !== layer && !names.includes(name)) imports.set(from, [...names, name]);
    };
    const isForeign = (name: string) => home.get(name) !== layer;
    for (const one of statements.filter((statement) => layer_of.get(statement) === layer)) {
      texts.push(writeThrough(one, isForeign, (name, kind) => {
        const setter = `${prefix}${KINDS.indexOf(kind)}${name}`;
        setters.set(setter, { name, kind });
        addImport(setter, home.get(name) ?? layer);
        return setter;
      }));
      for (const name of one.uses) addImport(name, home.get(name) ?? layer);
    }
    return { texts, imports };
  });
  for (const [setter, { name, kind }] of setters) {
    parts[home.get(name) ?? 0]?.texts.push(writeSetter(setter, name, kind));
  }
  return parts.map(({ texts, imports }) => ({ body: texts.join("\n"), imports, exports: [] }));
}

const KINDS: readonly Kind[] = ["=", "++_", "--_", "_++", "_--"];

/** The word, with as many `$` before it as make it occur nowhere in the code. */
function unusedIn(code: string, word: string): string {
  return code.includes(word) ? unusedIn(code, `$${word}`) : word;
}
