/**
 * Parser of template texts: `Price {json_object.rates.0.mid|default:0}`.
 *
 * A path consists of names and indexes, separated by dots. Its first name begins with a letter or `_`, followed by
 * letters, digits and `_`. The value after `|default:` is JSON, or plain text up to the closing brace. `{{` and `}}` are
 * literal braces.
 */
import type { JsonValue } from "../../input/json_value.ts";

export interface Placeholder {
  /** At least one name. */
  path: string[];
  /** The value if the path is missing or null. */
  fallback?: JsonValue;
}

/** Literal texts, which are not empty, and placeholders. */
export type Template = readonly (string | Placeholder)[];

export type ReadTemplate = { template: Template } | { fault: string };

/** A name that a step may define. */
export const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const KEY = /^[\p{L}\p{M}\p{N}_$@-]{1,255}$/u;

/** Characters of a faulty text that a message repeats. */
const MOST_SHOWN = 40;
const shown = (text: string) => text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN).toWellFormed()}…` : text;

/** Takes time in proportion to the length of the text. */
export function readTemplate(text: string): ReadTemplate {
  const template: (string | Placeholder)[] = [];
  const literal: string[] = [];
  const flush = () => {
    const joined = literal.splice(0).join("");
    if (joined) template.push(joined);
  };
  for (let at = 0; at < text.length;) {
    const brace = nextBrace(text, at);
    literal.push(text.slice(at, brace));
    if (brace === text.length) break;
    if (text[brace + 1] === text[brace]) {
      literal.push(text.charAt(brace));
      at = brace + 2;
      continue;
    }
    if (text[brace] === "}") return { fault: "has a } without a {; the sign itself is }}" };
    const read = readPlaceholder(text, brace);
    if ("fault" in read) return read;
    flush();
    template.push(read.placeholder);
    at = read.end;
  }
  flush();
  return { template };
}

const BRACE = /[{}]/g;

function nextBrace(text: string, from: number): number {
  BRACE.lastIndex = from;
  return BRACE.test(text) ? BRACE.lastIndex - 1 : text.length;
}

/**
 * @param start the index of the opening brace
 * @returns `end`: the index after the closing brace
 */
export function readPlaceholder(
  text: string,
  start: number,
): { placeholder: Placeholder; end: number } | { fault: string } {
  const closing = text.indexOf("}", start);
  if (closing === -1) return { fault: `has a { that is never closed; the sign itself is {{` };
  const bar = text.slice(start, closing).indexOf("|");
  const written = text.slice(start + 1, bar === -1 ? closing : start + bar);
  const path = written.trim().split(".");
  const [head = "", ...keys] = path;
  if (!NAME.test(head) || !keys.every((key) => KEY.test(key))) {
    const whole = shown(text.slice(start, closing + 1));
    return { fault: `has ${whole}, which is no placeholder such as {a.b.0}; the signs themselves are {{ and }}` };
  }
  if (bar === -1) return { placeholder: { path }, end: closing + 1 };
  const option = /^\|\s*default\s*:\s*/.exec(text.slice(start + bar, closing));
  if (!option) return { fault: `has ${shown(text.slice(start, closing + 1))}: after | only default: may stand` };
  const from = start + bar + option[0].length;
  const to = endOfFallback(text, from);
  const fallback = to === undefined ? undefined : fallbackOf(text.slice(from, to).trim());
  if (to === undefined || fallback === undefined) {
    return { fault: `has ${shown(text.slice(start, closing + 1))}, whose default is neither JSON nor plain text` };
  }
  return { placeholder: { path, fallback }, end: to + 1 };
}

/** The index of the closing brace. Braces inside of a JSON value do not count. */
function endOfFallback(text: string, from: number): number | undefined {
  const opens = text[from] ?? "";
  if (!'{["'.includes(opens)) return text.indexOf("}", from);
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const sign = text[at] ?? "";
    if (sign === '"') at = endOfQuoted(text, at);
    else if ("{[".includes(sign)) depth++;
    else if ("}]".includes(sign)) depth--;
    if (depth > 0) continue;
    const end = at + 1 + (/^\s{0,20}/.exec(text.slice(at + 1, at + 21))?.[0].length ?? 0);
    return text[end] === "}" ? end : undefined;
  }
}

/** The index of the closing quote, or the length of the text. */
function endOfQuoted(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** @returns undefined if the text contains an opening brace, bracket or quote and is not JSON */
function fallbackOf(text: string): JsonValue | undefined {
  const plain = /^["[]|\{/.test(text) ? undefined : text;
  try {
    const value: JsonValue = JSON.parse(text);
    return typeof value === "number" && !Number.isFinite(value) ? plain : value;
  } catch {
    return plain;
  }
}
