/**
 * Fills in the defaults of a schema, and checks a value. The work is counted, because a schema of 1,000 parts and a value
 * of a million items would otherwise block the process.
 */
import { tooLong } from "../../input/messages.ts";
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import type { Fault, Path } from "../steps/step_type.ts";
import { FORMATS } from "./formats.ts";
import type { JsonSchema, SchemaNode, TypeName } from "./shape.ts";

/** Schemas and values that are looked at. A million take about 0.1 s. */
const MOST_WORK = 3_000_000;
/** Characters of the defaults that are filled in. */
const MOST_ADDED = 262_144;
const MOST_FAULTS = 50;
/** Faults that a sentence names. */
const MOST_TOLD = 10;

class TooMuch extends Error {}

/** @returns the value with the defaults of the schema, or why it does not match, by path */
export function conform(schema: JsonSchema, value: JsonValue): { value: JsonValue } | { faults: Fault[] } {
  const work = { left: MOST_WORK, room: MOST_ADDED };
  try {
    const whole = filled(schema, work, schema.root, value);
    const faults = faultsAgainst(schema, work, schema.root, whole, []);
    return faults.length > 0 ? { faults: faults.slice(0, MOST_FAULTS) } : { value: whole };
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return { faults: [{ path: [], message: "is too large to be checked against the schema" }] };
  }
}

/** One sentence of faults. @param whole names the value itself */
export const sentenceOf = (faults: readonly Fault[], whole: string): string =>
  faults.slice(0, MOST_TOLD).map(({ path, message }) => `${[whole, ...path].join(".")} ${message}`).join("; ");

interface Work {
  left: number;
  room: number;
}

/** @throws {TooMuch} */
function spend(work: Work, units = 1): void {
  work.left -= units;
  if (work.left < 0) throw new TooMuch();
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function definitionOf({ definitions }: JsonSchema, { $ref }: SchemaNode): SchemaNode | undefined {
  return $ref === undefined ? undefined : definitions.get($ref);
}

/** Defaults of `anyOf`, `oneOf`, `not` and `if` are no defaults of the value: which of them holds is known later. */
function filled(schema: JsonSchema, work: Work, node: SchemaNode, value: JsonValue): JsonValue {
  spend(work);
  const target = definitionOf(schema, node);
  let whole = target ? filled(schema, work, target, value) : value;
  for (const part of node.allOf ?? []) whole = filled(schema, work, part, whole);
  if (Array.isArray(whole)) {
    const { prefixItems = [], items } = node;
    if (prefixItems.length === 0 && !items) return whole;
    return whole.map((item, index) => {
      const inner = prefixItems[index] ?? items;
      return inner ? filled(schema, work, inner, item) : item;
    });
  }
  if (!isObject(whole) || !node.properties) return whole;
  const entries = new Map(Object.entries(whole));
  spend(work, entries.size);
  for (const [name, inner] of Object.entries(node.properties)) {
    const given = entries.get(name) ?? (entries.has(name) ? null : defaultOf(schema, work, inner));
    if (given !== undefined) entries.set(name, filled(schema, work, inner, given));
  }
  return Object.fromEntries(entries);
}

function defaultOf(schema: JsonSchema, work: Work, node: SchemaNode): JsonValue | undefined {
  const target = definitionOf(schema, node);
  const value = node.default ?? (node.default === null ? null : target && defaultOf(schema, work, target));
  if (value === undefined) return undefined;
  work.room -= JSON.stringify(value).length;
  if (work.room < 0) throw new TooMuch();
  return value;
}

function faultsAgainst(schema: JsonSchema, work: Work, node: SchemaNode, value: JsonValue, path: Path): Fault[] {
  spend(work);
  const faults: Fault[] = [];
  const add = (message: string, at: Path = path) => void faults.push({ path: at, message });
  const check = (inner: SchemaNode, part: JsonValue, at: Path = path) => {
    if (faults.length >= MOST_FAULTS) return;
    // A spread of very many faults would overflow the stack.
    faults.push(...faultsAgainst(schema, work, inner, part, at).slice(0, MOST_FAULTS));
  };
  const matches = (inner: SchemaNode) => faultsAgainst(schema, work, inner, value, path).length === 0;

  const types = node.type === undefined ? undefined : [node.type].flat();
  // After a wrong type, further faults of the value would not help.
  if (types && !types.some((type) => IS_OF[type](value))) return [{ path, message: typeMessage(types, value) }];
  const target = definitionOf(schema, node);
  if (target) check(target, value);
  if (node.enum && !node.enum.some((one) => same(work, one, value))) add("is not included in the list");
  if (node.const !== undefined && !same(work, node.const, value)) add("is not the only value that is allowed");
  if (typeof value === "string") textFaults(work, node, value).forEach((message) => add(message));
  if (typeof value === "number") numberFaults(node, value).forEach((message) => add(message));
  if (Array.isArray(value)) {
    listFaults(work, node, value).forEach((message) => add(message));
    const { prefixItems = [], items } = node;
    if (items || prefixItems.length > 0) {
      value.forEach((item, index) => {
        const inner = prefixItems[index] ?? items;
        if (inner) check(inner, item, [...path, index]);
      });
    }
  }
  if (isObject(value)) {
    const names = Object.keys(value);
    spend(work, names.length);
    objectFaults(node, names.length).forEach((message) => add(message));
    for (const name of node.required ?? []) {
      if (!Object.hasOwn(value, name)) add("can't be blank", [...path, name]);
    }
    const { properties = {}, additionalProperties: more = true } = node;
    for (const name of names) {
      const inner = Object.hasOwn(properties, name) ? properties[name] : more;
      if (inner === false) add("is not a known field", [...path, name]);
      if (typeof inner === "object") check(inner, value[name] ?? null, [...path, name]);
    }
  }
  for (const part of node.allOf ?? []) check(part, value);
  if (node.anyOf && !node.anyOf.some(matches)) add("matches none of the forms that are allowed");
  if (node.oneOf) {
    const count = node.oneOf.filter(matches).length;
    if (count !== 1) add(`matches ${count} of the forms that are allowed, and must match one`);
  }
  if (node.not && matches(node.not)) add("is not allowed");
  if (node.if) {
    const branch = matches(node.if) ? node.then : node.else;
    if (branch) check(branch, value);
  }
  return faults;
}

const IS_OF: Record<TypeName, (value: JsonValue) => boolean> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  object: isObject,
  array: Array.isArray,
  null: (value) => value === null,
};

function typeMessage(types: readonly TypeName[], value: JsonValue): string {
  if (value === null) return "can't be blank";
  if (types.length > 1) return `must be one of ${types.join(", ")}`;
  const [type = "null"] = types;
  if (type === "number") return "is not a number";
  return type === "null" ? "must be null" : `must be ${/^[aio]/.test(type) ? "an" : "a"} ${type}`;
}

function textFaults(work: Work, { minLength = 0, maxLength, format }: SchemaNode, text: string): string[] {
  const faults: string[] = [];
  if (minLength > 0 || maxLength !== undefined || format) spend(work, text.length >> 4);
  if (minLength > 0 || maxLength !== undefined) {
    const length = lengthOf(text);
    if (length < minLength) {
      faults.push(minLength === 1 ? "can't be blank" : `is too short (minimum is ${minLength} characters)`);
    }
    if (maxLength !== undefined && length > maxLength) faults.push(tooLong(maxLength));
  }
  if (format && !FORMATS[format](text)) faults.push(`is not in the format ${format}`);
  return faults;
}

/** Code points. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

function numberFaults(node: SchemaNode, value: number): string[] {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = node;
  const faults: string[] = [];
  if (minimum !== undefined && value < minimum) faults.push(`must be at least ${minimum}`);
  if (maximum !== undefined && value > maximum) faults.push(`must be at most ${maximum}`);
  if (above !== undefined && value <= above) faults.push(`must be greater than ${above}`);
  if (below !== undefined && value >= below) faults.push(`must be less than ${below}`);
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) faults.push(`must be a multiple of ${multipleOf}`);
  return faults;
}

/** 0.3 is a multiple of 0.1, although their quotient is 2.9999999999999996. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

function listFaults(work: Work, { minItems = 0, maxItems, uniqueItems }: SchemaNode, list: JsonValue[]): string[] {
  const faults: string[] = [];
  spend(work, list.length >> 2);
  if (list.length < minItems) faults.push(`is too short (minimum is ${minItems} items)`);
  if (maxItems !== undefined && list.length > maxItems) faults.push(`is too long (maximum is ${maxItems} items)`);
  if (uniqueItems && new Set(list.map((item) => canonical(work, item))).size < list.length) {
    faults.push("has an item twice");
  }
  return faults;
}

function objectFaults({ minProperties = 0, maxProperties }: SchemaNode, count: number): string[] {
  if (count < minProperties) return [`has too few fields (minimum is ${minProperties})`];
  if (maxProperties !== undefined && count > maxProperties) {
    return [`has too many fields (maximum is ${maxProperties})`];
  }
  return [];
}

const same = (work: Work, one: JsonValue, other: JsonValue): boolean =>
  typeof one !== "object" || typeof other !== "object" || one === null || other === null
    ? one === other
    : canonical(work, one) === canonical(work, other);

/** JSON with sorted keys: equal values have equal texts. */
function canonical(work: Work, value: JsonValue): string {
  spend(work);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(work, item)).join()}]`;
  if (isObject(value)) {
    const entries = Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1);
    return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(work, inner)}`).join()}}`;
  }
  const text = JSON.stringify(value);
  spend(work, text.length >> 4);
  return text;
}
