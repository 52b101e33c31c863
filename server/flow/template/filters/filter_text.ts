/**
 * Parser of the filters of a placeholder: `|default:0|round:2`.
 *
 * An argument is JSON (texts stand in quotes) or a path, whose value is used. The argument of `default` may also be plain
 * text, up to the next filter.
 */
import type { JsonValue } from "../../../input/json_value.ts";
import { type Filter, FilterFault } from "./filter.ts";
import { FILTERS } from "./filters.ts";

export interface FilterCall {
  name: string;
  filter: Filter;
  args: readonly Argument[];
}

export type Argument = { value: JsonValue } | { path: string[] };

/** A name that a step may define. */
export const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const KEY = /^[\p{L}\p{M}\p{N}_$@-]{1,255}$/u;

/** @returns undefined for what is no path */
export function pathOf(written: string): string[] | undefined {
  const path = written.split(".");
  const [head = "", ...keys] = path;
  return NAME.test(head) && keys.every((key) => KEY.test(key)) ? path : undefined;
}

const MOST_FILTERS = 20;
const KNOWN = Object.keys(FILTERS).join(", ");
const FILTER_NAME = /\s*([A-Za-z0-9_]*)\s*/y;
const SPACES = /\s*/y;
const BARE = /[^|:}]*/y;
const BARE_DEFAULT = /[^|}]*/y;

const match = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
};

class Fault extends Error {
  constructor(readonly at: number, message: string) {
    super(message);
  }
}

/**
 * @param start the index of the first bar
 * @returns `end`: the index of the closing brace; `at`: the index of the fault
 */
export function readFilters(
  text: string,
  start: number,
): { filters: FilterCall[]; end: number } | { fault: string; at: number } {
  const filters: FilterCall[] = [];
  try {
    let at = start;
    while (text[at] === "|") {
      const { call, end } = readFilter(text, at + 1);
      if (filters.push(call) > MOST_FILTERS) throw new Fault(at, `has more than ${MOST_FILTERS} filters`);
      at = end;
    }
    if (text[at] !== "}") throw new Fault(at, "expects |, : or }");
    return { filters, end: at };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message, at: error.at };
    throw error;
  }
}

function readFilter(text: string, start: number): { call: FilterCall; end: number } {
  const written = match(FILTER_NAME, text, start);
  const [name, from] = [written.trim(), start + written.length - written.trimStart().length];
  const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  if (!filter) throw new Fault(from, name ? `has no filter ${name}; known are ${KNOWN}` : `expects a filter: ${KNOWN}`);
  const args: Argument[] = [];
  let at = start + written.length;
  while (text[at] === ":" && args.length <= filter.most) {
    const read = readArgument(text, at + 1, name === "default");
    args.push(read.argument);
    at = read.end;
  }
  const { least, most } = filter;
  if (args.length < least) throw new Fault(from, `the filter ${name} needs ${argumentsIn(least)}`);
  if (args.length > most) {
    throw new Fault(from, `the filter ${name} takes ${most === 0 ? "no argument" : `${argumentsIn(most)} at most`}`);
  }
  try {
    filter.check?.(args.map((arg) => "value" in arg ? arg.value : undefined));
  } catch (error) {
    if (error instanceof FilterFault) throw new Fault(from, `the filter ${name} ${error.message}`);
    throw error;
  }
  return { call: { name, filter, args }, end: at };
}

const argumentsIn = (count: number) => `${count} ${count === 1 ? "argument" : "arguments"}`;

function readArgument(text: string, start: number, is_default: boolean): { argument: Argument; end: number } {
  const from = start + match(SPACES, text, start).length;
  const is_json = '{["'.includes(text[from] ?? " ");
  const end = is_json ? endOfJson(text, from) : from + match(is_default ? BARE_DEFAULT : BARE, text, from).length;
  const written = text.slice(from, end).trim();
  const value = end === undefined || end >= text.length ? undefined : jsonOf(written);
  if (end === undefined) throw new Fault(from, "has an argument that is not JSON");
  if (value !== undefined) return { argument: { value }, end };
  if (is_default && !is_json && !written.includes("{")) return { argument: { value: written }, end };
  const path = is_json ? undefined : pathOf(written);
  if (!path) {
    const what = is_default ? "neither JSON nor plain text" : 'neither JSON nor a name; texts stand in quotes: "…"';
    throw new Fault(from, `has an argument that is ${what}`);
  }
  return { argument: { path }, end };
}

/** The index after a JSON value and the spaces behind it. Braces inside of its texts do not count. */
function endOfJson(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const sign = text[at] ?? "";
    if (sign === '"') at = endOfQuoted(text, at);
    else if ("{[".includes(sign)) depth++;
    else if ("}]".includes(sign)) depth--;
    if (depth > 0) continue;
    return at + 1 + match(SPACES, text, at + 1).length;
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

/** @returns undefined for what is no JSON, and for numbers beyond what JSON can be written with */
function jsonOf(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return typeof value === "number" && !Number.isFinite(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
