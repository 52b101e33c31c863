/**
 * Rendering of templates in any JSON value. The placeholder `{a.b.0}` is replaced by the value at that path. Keys of
 * objects are not templates, and values that were filled in are not read as templates again.
 */
import type { JsonValue } from "../../input/json_value.ts";
import { DEPTH_LIMIT } from "../../input/depth.ts";
import { type Expression, expressionFault, pathsOfExpression, unsetInExpression } from "./expression.ts";
import { FilterFault } from "./filters/filter.ts";
import type { FilterCall } from "./filters/filter_text.ts";
import { type Placeholder, type ReadTemplate, readTemplate, type Template } from "./template_text.ts";

/** The names that placeholders refer to. */
export type Scope = Readonly<Record<string, JsonValue>>;

export type Warn = (message: string) => void;

/** The longest JSON of a rendered value, in characters. */
export const RENDERED_LIMIT = 1_048_576;

/** The rendered value is too large or nested too deeply. The message is for the flow's author. */
export class TemplateError extends Error {
  override name = "TemplateError";
}

/**
 * Fills the placeholders of a value. A string that is exactly one placeholder becomes the placeholder's value with its
 * JSON type. Within other text an object or list is written as JSON, and null as an empty string. A missing value is
 * null, and a warning.
 *
 * @throws {TemplateError} over 1 MiB or 64 levels
 */
export function render(value: JsonValue, scope: Scope, warn: Warn, expressions?: Expressions): JsonValue {
  return fill(value, scope, warn, newRoom(expressions), 0);
}

/** The outcome of an expression. */
export type Evaluated = { value: JsonValue } | { error: string };

/** The expressions of a rendering. */
export interface Expressions {
  /** By expression; undefined before the first are evaluated. */
  readonly results: ReadonlyMap<string, Evaluated> | undefined;
  /** Expressions that were met without a result. Then what was rendered is of no use. */
  missing: Set<string> | undefined;
}

/** Characters that are left of the limits. */
interface Room {
  left: number;
  /** Of what filters read and write. */
  filters_left: number;
  readonly expressions: Expressions | undefined;
}

/** Characters that the filters of one rendering read and write: their results may be much shorter. */
const FILTERS_LIMIT = 16 * 1024 * 1024;
/** What applying a filter counts, in characters. */
const FILTER_COST = 20;

const newRoom = (expressions: Expressions | undefined): Room => ({
  left: RENDERED_LIMIT,
  filters_left: FILTERS_LIMIT,
  expressions,
});

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
  // Templates are checked when a program is saved. A faulty one can only come from an older server; it stays as it is.
  if ("fault" in read) warn(`A text ${read.fault}`);
  const template: Template = "fault" in read ? [text] : read.template;
  const [only] = template;
  if (template.length === 1 && typeof only === "object") {
    const value = valueOf(only, scope, warn, room);
    measure(value, room, depth);
    return value;
  }
  take(room, 2);
  return template.map((part) => {
    const filled = typeof part === "string" ? part : textOf(valueOf(part, scope, warn, room), room);
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

/** Counts the characters of a value. Stops at the limit, without walking the rest of the value. */
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

/** The value of a placeholder or expression, which is not measured. */
export const resolve = (part: Placeholder | Expression, scope: Scope, warn: Warn, expressions?: Expressions) =>
  valueOf(part, scope, warn, newRoom(expressions));

const valueOf = (part: Placeholder | Expression, scope: Scope, warn: Warn, room: Room): JsonValue =>
  "path" in part ? valueAt(part, scope, warn, room) : resultOf(part, room.expressions);

function resultOf({ expression }: Expression, expressions: Expressions | undefined): JsonValue {
  const result = expressions?.results?.get(expression);
  if (!result) {
    if (!expressions) throw new TemplateError("An expression cannot be evaluated here");
    (expressions.missing ??= new Set()).add(expression);
    return null;
  }
  if ("value" in result) return result.value;
  const shown = expression.length > 60 ? `${expression.slice(0, 60).toWellFormed()}…` : expression;
  throw new TemplateError(`{= ${shown} } ${result.error}`);
}

function valueAt({ path, filters }: Placeholder, scope: Scope, warn: Warn, room: Room): JsonValue {
  const found = lookUp(path, scope);
  if (found === undefined && !filters?.some(({ name }) => name === "default")) warnOfMissing(path, warn);
  return filters ? filtered(found ?? null, path, filters, scope, warn, room) : found ?? null;
}

const warnOfMissing = (path: readonly string[], warn: Warn) => warn(`{${path.join(".")}} is not there, so it is null`);

function filtered(
  value: JsonValue,
  path: readonly string[],
  filters: readonly FilterCall[],
  scope: Scope,
  warn: Warn,
  room: Room,
): JsonValue {
  const take = (characters: number) => {
    room.filters_left -= characters;
    if (room.filters_left < 0) throw new TemplateError("The filters read and write more than 16 MiB");
  };
  return filters.reduce((value, { name, filter, args }) => {
    take(FILTER_COST);
    if (value === null && !filter.takes_null) return null;
    try {
      const given = args.map((arg) => "value" in arg ? arg.value : valueAt(arg, scope, warn, room));
      const result = filter.apply(value, given, take);
      if (typeof result === "string") take(result.length);
      else if (Array.isArray(result)) take(result.length);
      return result;
    } catch (error) {
      if (!(error instanceof FilterFault)) throw error;
      throw new TemplateError(`{${path.join(".")}|…}: the filter ${name} ${error.message}`);
    }
  }, value);
}

const INDEX = /^(0|[1-9]\d{0,14})$/;

/** Reads own keys of objects, and indexes and the length of lists. Inherited properties are never read. */
export function lookUp(path: readonly string[], scope: JsonValue): JsonValue | undefined {
  let found: JsonValue | undefined = scope;
  for (const key of path) {
    if (typeof found !== "object" || found === null) return undefined;
    if (Array.isArray(found)) {
      found = key === "length" ? found.length : INDEX.test(key) ? found[Number(key)] : undefined;
    } else found = Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/** Cache of parsed templates, by their text. Not state of a request: the result depends on the text alone. */
const READ = new Map<string, ReadTemplate>();
const MOST_READ = 5_000;
/** Longer texts are not cached. */
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
  /** Keys and indexes within the value. */
  path: (string | number)[];
  message: string;
}

/** The strings of a value that are no valid templates, in their order. */
export function templateFaults(value: JsonValue): TemplateFault[] {
  return [...textsIn(value)].flatMap(({ path, text }) => {
    const read = templateOf(text);
    if ("fault" in read) return [{ path, message: read.fault }];
    return read.template.flatMap((part) => {
      const message = typeof part === "object" && "expression" in part ? expressionFault(part) : undefined;
      return message === undefined ? [] : [{ path, message }];
    }).slice(0, 1);
  });
}

/** Every placeholder in a value: the path that it refers to, and the path of its string within the value. */
export function pathsOfTexts(value: JsonValue): { path: (string | number)[]; placeholder: readonly string[] }[] {
  return [...textsIn(value)].flatMap(({ path, text }) => {
    const read = templateOf(text);
    if ("fault" in read) return [];
    return read.template.flatMap((part) =>
      typeof part === "object" ? pathsOfPart(part).map((placeholder) => ({ path, placeholder })) : []
    );
  });
}

/** The placeholder's own path, and those of its filters' arguments; the paths of an expression. */
function pathsOfPart(part: Placeholder | Expression): string[][] {
  if ("expression" in part) return pathsOfExpression(part);
  const { path, filters = [] } = part;
  return [path, ...filters.flatMap(({ args }) => args.flatMap((arg) => "path" in arg ? [arg.path] : []))];
}

/** Variables in expressions that nothing sets, with the path of their string within the value. */
export function unsetVariablesOf(value: JsonValue): { path: (string | number)[]; variable: string }[] {
  return [...textsIn(value)].flatMap(({ path, text }) => {
    const read = templateOf(text);
    if ("fault" in read) return [];
    return read.template.flatMap((part) =>
      typeof part === "object" && "expression" in part
        ? unsetInExpression(part).map((variable) => ({ path, variable }))
        : []
    );
  });
}

/** Whether rendering may change the text. */
export const hasPlaceholders = (text: string): boolean => /[{}]/.test(text);

/** Every string in a value. Recursive, so the value must not be deeper than DEPTH_LIMIT. */
export function* textsIn(
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
