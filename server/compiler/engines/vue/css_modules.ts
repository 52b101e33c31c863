/**
 * CSS modules by the rules of postcss-modules, which the browser build of Vue's compiler lacks: classes, ids and keyframes
 * of a `<style module>` are renamed, `:global` exempts a name, `composes` adds classes to one.
 */
import type { Stylesheet } from "./compiler.ts";
import { MESSAGES } from "./messages.ts";

const ESCAPE = String.raw`\\[0-9a-fA-F]{1,6}\s?|\\[^0-9a-fA-F\n]`;
const NAME = String.raw`(?:--|-?(?:[a-zA-Z_\u0080-\uffff]|${ESCAPE}))(?:[\w\-\u0080-\uffff]|${ESCAPE})*`;
const STRING = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`;

/** The tokens of a selector. Strings and attribute selectors are matched so that nothing inside them is. */
const PART = new RegExp(
  String
    .raw`${STRING}|\[(?:${STRING}|[^\[\]"'])*\]|(?<mode>:(?:global|local)(?![\w-])\(?)|[(),]|(?<sign>[.#])(?<name>${NAME})|\\.`,
  "gs",
);
const NAMES = new RegExp(NAME, "g");
const ONE_CLASS = new RegExp(`^\\.(${NAME})$`);
const KEYFRAMES = /^(?:-\w+-)?keyframes$/i;

/**
 * Renames the module's names in place.
 *
 * @param scoped true where Vue's scoping follows, which removes `:global()` itself
 * @returns the author's class name → classes, separated by spaces
 * @throws {CssSyntaxError} PostCSS's, with a position
 */
export function localize(root: Stylesheet, id: string, scoped: boolean): Record<string, string> {
  const local = new Map<string, string>();
  const rename = (raw: string) => {
    const name = unescaped(raw);
    local.set(name, `_${name}_${id}`);
    return `_${raw}_${id}`;
  };

  root.walkAtRules("value", (rule) => {
    throw rule.error(MESSAGES.no_value_rule);
  });
  const composed = compositions(root);
  const keyframes = new Map<string, string>();
  root.walkAtRules(KEYFRAMES, (rule) => {
    const [, global] = /^:global\((.*)\)$/.exec(rule.params) ?? [];
    const name = rule.params.replace(/^:local\((.*)\)$/, "$1");
    if (global === undefined) keyframes.set(name, rename(name));
    rule.params = global ?? keyframes.get(name) ?? name;
  });
  root.walkRules((rule) => {
    const { parent } = rule;
    if (parent?.type === "atrule" && "name" in parent && KEYFRAMES.test(String(parent.name))) return;
    rule.selector = renamed(rule.selector, rename, scoped);
  });
  root.walkDecls(/^(?:-\w+-)?animation(?:-name)?$/i, (decl) => {
    decl.value = decl.value.replace(NAMES, (word) => keyframes.get(word) ?? word);
  });

  const classes = (name: string, seen: Set<string>): Set<string> => {
    for (const { names, global, error } of composed.get(name) ?? []) {
      for (const other of names) {
        const own = global ? other : local.get(other);
        if (own === undefined) throw error(MESSAGES.composes_unknown(other));
        if (seen.has(own)) continue;
        seen.add(own);
        if (!global) classes(other, seen);
      }
    }
    return seen;
  };
  return Object.fromEntries([...local].map(([name, own]) => [name, [...classes(name, new Set([own]))].join(" ")]));
}

interface Composition {
  names: string[];
  /** The names are classes of other stylesheets, which are not renamed. */
  global: boolean;
  error(message: string): Error;
}

/** Removes the `composes` declarations. @returns them by class */
function compositions(root: Stylesheet): Map<string, Composition[]> {
  const found = new Map<string, Composition[]>();
  root.walkDecls(/^compose(?:s|-with)$/, (decl) => {
    const { parent } = decl;
    const [, name] = parent?.type === "rule" && "selector" in parent && ONE_CLASS.exec(String(parent.selector)) || [];
    if (!name) throw decl.error(MESSAGES.composes_one_class);
    const [, list = decl.value, from] = /^(.*)\sfrom\s+(\S+)$/s.exec(decl.value) ?? [];
    if (from && from !== "global") throw decl.error(MESSAGES.composes_from);
    const all = found.get(unescaped(name)) ?? [];
    all.push({
      names: list.split(/[\s,]+/).filter(Boolean),
      global: from === "global",
      error: (message) => decl.error(message),
    });
    found.set(unescaped(name), all);
    decl.remove();
  });
  return found;
}

/** `:global(…)` and `:local(…)` apply inside their parentheses; without parentheses, up to the next comma. */
function renamed(selector: string, rename: (raw: string) => string, scoped: boolean): string {
  let state = { base: true, local: true };
  const open: { state: typeof state; closing: string }[] = [];

  function replacement(part: string, { mode, sign, name }: Record<string, string | undefined>): string {
    if (name !== undefined) return state.local ? `${sign}${rename(name)}` : part;
    if (part === ",") state.local = state.base;
    if (part === ")") {
      const { state: before = state, closing = part } = open.pop() ?? {};
      state = before;
      return closing;
    }
    if (mode === undefined && part !== "(") return part;
    const kept = mode === undefined || scoped && mode === ":global(";
    const local = mode === undefined ? state.local : mode.startsWith(":local");
    if (!part.endsWith("(")) state.local = local;
    else {
      open.push({ state, closing: kept ? ")" : "" });
      state = { base: local, local };
    }
    return kept ? part : "";
  }

  let text = "";
  let end = 0;
  for (const { 0: part, index, groups = {} } of selector.matchAll(PART)) {
    text += selector.slice(end, index) + replacement(part, groups);
    end = index + part.length;
  }
  return text + selector.slice(end);
}

const unescaped = (name: string) =>
  name.replace(/\\([0-9a-fA-F]{1,6})\s?|\\(.)/gs, (_, hex?: string, char?: string) => {
    if (hex === undefined) return char ?? "";
    const code = parseInt(hex, 16);
    return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
  });
