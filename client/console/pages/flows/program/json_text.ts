/** JSON as text: reading with the position of every value, and writing as people would. */
import type { Json, JsonObject } from "./json.ts";

/** From the first character of a value to the one after its last. */
export interface Span {
  from: number;
  to: number;
}

export type ReadJson =
  | { value: Json; spans: ReadonlyMap<string, Span> }
  | { fault: string; at: number };

class Mistake extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** @returns values by path, whose segments are joined with dots; the whole text has the path "" */
export function readJson(text: string): ReadJson {
  const spans = new Map<string, Span>();
  let at = 0;
  const skip = () => {
    while (/\s/.test(text[at] ?? "")) at++;
  };
  const fail = (message: string, where = at): never => {
    throw new Mistake(message, where);
  };
  const expected = (what: string): never =>
    fail(at >= text.length ? `The text ends, but ${what} is expected` : `${what} is expected here`);
  const word = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const string = (): string => {
    const from = at;
    const found = word(/"(?:[^"\\\n]|\\.)*"/y);
    if (found === undefined) return fail("This text has no closing quote");
    try {
      return JSON.parse(found);
    } catch {
      return fail("This text has a backslash or a control character that JSON does not know", from);
    }
  };
  /** What stands between two brackets, separated by commas. */
  const members = (close: string, member: (index: number) => void): void => {
    at++;
    skip();
    if (text[at] === close) return void at++;
    for (let index = 0;; index++) {
      member(index);
      skip();
      if (text[at] === close) return void at++;
      if (text[at] !== ",") expected(`a comma or ${close}`);
      at++;
      skip();
      if (text[at] === close) fail(`There is a comma before ${close}`);
    }
  };
  const value = (path: string): Json => {
    skip();
    const from = at;
    const found = valueHere(path);
    spans.set(path, { from, to: at });
    return found;
  };
  const inside = (path: string, key: string | number) => path === "" ? `${key}` : `${path}.${key}`;
  const valueHere = (path: string): Json => {
    const first = text[at];
    if (first === "[") {
      const list: Json[] = [];
      members("]", (index) => void list.push(value(inside(path, index))));
      return list;
    }
    if (first === "{") {
      const object: JsonObject = {};
      members("}", () => {
        const before = at;
        if (text[at] !== '"') expected("a name in quotes");
        const key = string();
        if (Object.hasOwn(object, key)) fail(`The name ${key} stands here twice`, before);
        skip();
        if (text[at] !== ":") expected("a colon");
        at++;
        // `__proto__` as an own key, not as the prototype.
        Object.defineProperty(object, key, {
          value: value(inside(path, key)),
          enumerable: true,
          writable: true,
          configurable: true,
        });
      });
      return object;
    }
    if (first === '"') return string();
    const number = word(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
    if (number !== undefined) return Number(number);
    const name = word(/true|false|null/y);
    if (name !== undefined) return JSON.parse(name);
    return expected("a value");
  };
  try {
    const found = value("");
    skip();
    if (at < text.length) fail("The JSON ends before this");
    return { value: found, spans };
  } catch (error) {
    if (error instanceof Mistake) return { fault: error.message, at: error.at };
    throw error;
  }
}

/** Objects and lists that fit stand in one line. */
export function writeJson(value: Json, width = 96, indent = ""): string {
  const line = inLine(value);
  if (typeof value !== "object" || value === null || line.length + indent.length <= width && !hasSteps(value)) {
    return line;
  }
  const deeper = `${indent}  `;
  const [open, close, parts] = Array.isArray(value)
    ? ["[", "]", value.map((item) => writeJson(item, width, deeper))]
    : [
      "{",
      "}",
      Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${writeJson(item, width, deeper)}`),
    ];
  return parts.length === 0 ? open + close : `${open}\n${deeper}${parts.join(`,\n${deeper}`)}\n${indent}${close}`;
}

function inLine(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inLine).join(", ")}]`;
  const parts = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inLine(item)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

/** A list of objects has a line for each. */
const hasSteps = (value: Json): boolean => {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => typeof item === "object" && item !== null);
  return Object.values(value).some(hasSteps);
};

/** Lines and columns count from 1. */
export function positionOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}
