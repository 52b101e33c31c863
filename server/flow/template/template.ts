/**
 * Templates over any JSON: `{a.b.0}` stands for what a run has under that path. Keys of objects are no templates, and
 * what came in is not read as a template again.
 */
import type { JsonValue } from "../../input/json_value.ts";
import { DEPTH_LIMIT } from "../../input/depth.ts";
import { type Placeholder, type ReadTemplate, readTemplate, type Template } from "./template_text.ts";

/** What a run has, by name. */
export type Scope = Readonly<Record<string, JsonValue>>;

export type Warn = (message: string) => void;

/** Characters of JSON that a rendered value may have. */
export const RENDERED_LIMIT = 1_048_576;

/** What came out is too large, or nested too deep. Its message is for the flow's author. */
export class TemplateError extends Error {
  override name = "TemplateError";
}

/**
 * The value with its placeholders filled. A string that is one placeholder and nothing else becomes what it stands for;
 * within more text objects are JSON and null is nothing. What is missing is null, and a warning.
 *
 * @throws {TemplateError} beyond 1 MiB or 64 levels
 */
export function render(value: JsonValue, scope: Scope, warn: Warn): JsonValue {
  return fill(value, scope, warn, { left: RENDERED_LIMIT }, 0);
}

/** Characters that may still come. */
interface Room {
  left: number;
}

function take(room: Room, characters: number): void {
  room.left -= characters;
  if (room.left < 0) throw new TemplateError("The templates make more than 1 MiB");
}

function fill(value: JsonValue, scope: Scope, warn: Warn, room: Room, depth: number): JsonValue {
  if (typeof value === "string") return fillText(value, scope, warn, room, depth);
  if (typeof value !== "object" || value === null) {
    take(room, String(value).length);
    return value;
  }
  if (depth >= DEPTH_LIMIT) throw tooDeep();
  take(room, 2);
  if (Array.isArray(value)) {
    take(room, value.length);
    return value.map((item) => fill(item, scope, warn, room, depth + 1));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      take(room, key.length + 4);
      return [key, fill(item, scope, warn, room, depth + 1)];
    }),
  );
}

const tooDeep = () => new TemplateError(`The templates make JSON that is nested deeper than ${DEPTH_LIMIT}`);

function fillText(text: string, scope: Scope, warn: Warn, room: Room, depth: number): JsonValue {
  const read = templateOf(text);
  // A program is proven at save: only one that never was gets here with a fault, and keeps its text.
  if ("fault" in read) warn(`A text ${read.fault}`);
  const template: Template = "fault" in read ? [text] : read.template;
  const [only] = template;
  if (template.length === 1 && typeof only === "object") {
    const value = resolve(only, scope, warn);
    measure(value, room, depth);
    return value;
  }
  take(room, 2);
  return template.map((part) => {
    const filled = typeof part === "string" ? part : textOf(resolve(part, scope, warn), room);
    take(room, filled.length);
    return filled;
  }).join("");
}

function textOf(value: JsonValue, room: Room): string {
  if (value === null) return "";
  if (typeof value !== "object") return String(value);
  measure(value, { ...room }, 0);
  return JSON.stringify(value);
}

/** Goes no further than the room reaches. */
function measure(value: JsonValue, room: Room, depth: number): void {
  if (typeof value === "string") return take(room, value.length + 2);
  if (typeof value !== "object" || value === null) return take(room, String(value).length);
  if (depth >= DEPTH_LIMIT) throw tooDeep();
  take(room, 2);
  if (Array.isArray(value)) {
    take(room, value.length);
    for (const item of value) measure(item, room, depth + 1);
    return;
  }
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    take(room, key.length + 4);
    measure(value[key] ?? null, room, depth + 1);
  }
}

/** What a placeholder stands for. */
export function resolve({ path, fallback }: Placeholder, scope: Scope, warn: Warn): JsonValue {
  const found = lookUp(path, scope);
  if (fallback !== undefined) return found ?? fallback;
  if (found === undefined) warn(`{${path.join(".")}} is not there, so it is null`);
  return found ?? null;
}

const INDEX = /^(0|[1-9]\d{0,14})$/;

/** Own keys of objects, indexes and the length of lists, and nothing else: never a prototype's. */
function lookUp(path: readonly string[], scope: Scope): JsonValue | undefined {
  let found: JsonValue | undefined = scope;
  for (const key of path) {
    if (typeof found !== "object" || found === null) return undefined;
    if (Array.isArray(found)) {
      found = key === "length" ? found.length : INDEX.test(key) ? found[Number(key)] : undefined;
    } else found = Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/**
 * Texts that were read lately. No state of any request: a text is read in one way only. When it is full it begins anew.
 */
const READ = new Map<string, ReadTemplate>();
const MOST_READ = 5_000;
const LONGEST_READ = 1_000;
const PLAIN = /^[^{}]*$/;

export function templateOf(text: string): ReadTemplate {
  if (PLAIN.test(text)) return { template: text ? [text] : [] };
  const known = READ.get(text);
  if (known) return known;
  const read = readTemplate(text);
  if (text.length <= LONGEST_READ) {
    if (READ.size >= MOST_READ) READ.clear();
    READ.set(text, read);
  }
  return read;
}

export interface TemplateFault {
  /** From the value on. */
  path: (string | number)[];
  message: string;
}

/** What of a value is no template, in the order in which it stands. */
export function templateFaults(value: JsonValue): TemplateFault[] {
  return [...textsIn(value)].flatMap(({ path, text }) => {
    const read = templateOf(text);
    return "fault" in read ? [{ path, message: read.fault }] : [];
  });
}

/** The path of every placeholder in a value, beside where its text stands. */
export function pathsOfTexts(value: JsonValue): { path: (string | number)[]; placeholder: readonly string[] }[] {
  return [...textsIn(value)].flatMap(({ path, text }) => {
    const read = templateOf(text);
    if ("fault" in read) return [];
    return read.template.flatMap((part) => typeof part === "object" ? [{ path, placeholder: part.path }] : []);
  });
}

/** @param value at most as deep as a body may be */
function* textsIn(
  value: JsonValue,
  path: (string | number)[] = [],
): Generator<{ path: (string | number)[]; text: string }> {
  if (typeof value === "string") yield { path, text: value };
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* textsIn(item, [...path, index]);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) yield* textsIn(item, [...path, key]);
  }
}
