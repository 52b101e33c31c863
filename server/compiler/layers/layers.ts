/**
 * Splits a module by its statements into layers, of which an app loads those that it needs. A bundler splits by file
 * only, so that a small app pays for all that shares a file with what it uses.
 */
import { relate } from "./relations.ts";
import { type Kind, writeSetter, writeThrough } from "./setters.ts";
import { readStatements, type Statement } from "./statements.ts";

/** One ES module, but for its first lines and its last: `import { … } from` lower layers, and `export { … }`. */
export interface Layer {
  body: string;
  /** Lower layer → names there; no names where it must only have run before. */
  imports: Map<number, string[]>;
  /** What higher layers and apps may import, by its name inside. */
  exports: string[];
}

export interface Layers {
  layers: Layer[];
  /** Exported name of the whole → its layer, and its name there. */
  places: Map<string, readonly [layer: number, name: string]>;
}

/**
 * Each statement goes to the lowest layer that has a use for it, and stays in its order there. However many of the layers
 * are loaded, what they export behaves as in the whole module.
 *
 * @param code an ES module without imports whose exports are one list, as bundlers write it
 * @param layers exported names, the lowest layer first; the last has what no layer names
 * @param pure functions and classes of the module whose calls while it loads have no effects
 * @throws {Error} where a layer names what the module does not export
 */
export function splitModule(code: string, layers: readonly (readonly string[])[], pure?: ReadonlySet<string>): Layers {
  const { statements, exports } = readStatements(code, pure);
  const listed = new Set(layers.flat());
  const strange = [...listed].filter((name) => !exports.has(name));
  if (strange.length > 0) throw new Error(`no such exports: ${strange.join(", ")}`);
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

/** As a part of a layer: what is not worth the loading of it. */
const LITTLE = 1 / 10;

const sizeOf = (statements: Iterable<Statement>) => [...statements].reduce((sum, { text }) => sum + text.length, 0);

/** @returns `has_effects`: the lowest layer has statements that must run whatever else is loaded */
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
  /** Where a layer needs but little of a lower one, that goes to the lowest, so that nobody loads the rest for it. */
  const part = (lower: number, higher: number) => {
    const shared = new Set<Statement>();
    for (const one of statements) {
      if (layer_of.get(one) !== higher) continue;
      needs.get(one)?.forEach((needed) => layer_of.get(needed) === lower && shared.add(needed));
    }
    for (const one of shared) {
      needs.get(one)?.forEach((needed) => layer_of.get(needed) !== 0 && shared.add(needed));
    }
    const whole = statements.filter((one) => layer_of.get(one) === lower);
    if (sizeOf(shared) < LITTLE * sizeOf(whole)) shared.forEach((one) => layer_of.set(one, 0));
  };
  for (const [layer, names] of roots.entries()) put(names.flatMap((name) => declaring.get(name) ?? []), layer);
  // What needs the last has unusual needs, and may load the others, too.
  for (const higher of roots.slice(0, -1).keys()) for (let lower = 1; lower < higher; lower++) part(lower, higher);
  // They change nothing that anybody could name, but perhaps the page.
  const effects = statements.filter((one) => one.wild && !layer_of.has(one));
  put(effects, 0);
  return { layer_of, has_effects: effects.length > 0 };
}

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
    const bring = (name: string, from: number) => {
      const names = imports.get(from) ?? [];
      if (from !== layer && !names.includes(name)) imports.set(from, [...names, name]);
    };
    const isForeign = (name: string) => home.get(name) !== layer;
    for (const one of statements.filter((statement) => layer_of.get(statement) === layer)) {
      texts.push(writeThrough(one, isForeign, (name, kind) => {
        const setter = `${prefix}${KINDS.indexOf(kind)}${name}`;
        setters.set(setter, { name, kind });
        bring(setter, home.get(name) ?? layer);
        return setter;
      }));
      for (const name of one.uses) bring(name, home.get(name) ?? layer);
    }
    return { texts, imports };
  });
  for (const [setter, { name, kind }] of setters) {
    parts[home.get(name) ?? 0]?.texts.push(writeSetter(setter, name, kind));
  }
  return parts.map(({ texts, imports }) => ({ body: texts.join("\n"), imports, exports: [] }));
}

const KINDS: readonly Kind[] = ["=", "++_", "--_", "_++", "_--"];

function unusedIn(code: string, word: string): string {
  return code.includes(word) ? unusedIn(code, `$${word}`) : word;
}
