/** Converts text (path and query parameters, form fields) to the typed values that a schema wants. */
import { z } from "zod";
import { badRequest } from "../errors.ts";

type Tree = { [key: string]: unknown };

/** The maximum length of a field name, which also limits its nesting. */
const NAME_LIMIT = 255;

/**
 * Reads fields such as `department[name]=x` and `department[user_setting_ids][]=1` as nested objects and lists. A blank
 * list entry means an empty list, because HTML forms send an empty list in this way.
 *
 * @throws {Refusal} 400 if a name is malformed
 */
export function nest(form: FormData): Tree {
  const tree: Tree = Object.create(null);
  for (const [name, value] of form) plant(tree, pathOf(name), value, false);
  return tree;
}

/** Adds one query parameter, such as `filter[name][gte]`. Here a blank list entry is an entry. @throws {Refusal} 400 */
export const plantField = (tree: Tree, name: string, value: string): void => plant(tree, pathOf(name), value, true);

function pathOf(name: string): string[] {
  const [, head, rest] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name.slice(0, NAME_LIMIT + 1)) ?? [];
  if (head === undefined || rest === undefined || name.length > NAME_LIMIT) {
    throw badRequest("A field has a malformed name");
  }
  return [head, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, key = ""]) => key)];
}

function plant(
  tree: Tree,
  [key = "", next, ...rest]: string[],
  value: FormDataEntryValue,
  takes_blank: boolean,
): void {
  if (next === undefined) {
    if (isTree(tree[key]) || Array.isArray(tree[key])) throw badRequest(`The field ${key} is given in two ways`);
    tree[key] = value;
  } else if (next === "" && rest.length === 0) {
    const list = tree[key] ??= [];
    if (!Array.isArray(list)) throw badRequest(`The field ${key} is given in two ways`);
    if (value !== "" || takes_blank) list.push(value);
  } else {
    const branch = tree[key] ??= Object.create(null);
    if (!isTree(branch)) throw badRequest(`The field ${key} is given in two ways`);
    plant(branch, [next, ...rest], value, takes_blank);
  }
}

const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Blob);

/**
 * Converts text to the numbers and booleans that the schema wants. Text that cannot be converted stays as it is, and
 * the schema refuses it. A blank is null if the schema accepts null, because a form cannot send null.
 */
export function coerce(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodNullable && value === "") return null;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return coerce(schema.def.innerType, value);
  }
  if (schema instanceof z.ZodPipe) return coerce(schema.def.in, value);
  if (typeof value === "string") {
    if (schema instanceof z.ZodNumber) return /^-?\d{1,40}(\.\d+)?$/.test(value) ? Number(value) : value;
    if (schema instanceof z.ZodBoolean) return BOOLEANS.get(value) ?? value;
    // A plus sign that was not escaped in the query arrives as a space.
    if (schema instanceof z.ZodISODateTime) return value.replace(/ (\d\d:\d\d)$/, "+$1");
    return value;
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => coerce(schema.def.element, item));
  }
  if (schema instanceof z.ZodObject && typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const field = schema.shape[key];
        return [key, field ? coerce(field, item) : item];
      }),
    );
  }
  return value;
}

const BOOLEANS = new Map([["true", true], ["1", true], ["false", false], ["0", false]]);

/**
 * An input schema that also accepts a form. Files are sent in forms, over REST and by the typed client.
 */
export function objectOrForm<S extends z.ZodObject>(schema: S): z.ZodType<z.output<S>, z.input<S>> {
  const read = (value: unknown) => value instanceof FormData ? coerce(schema, nest(value)) : value;
  // z.preprocess loses the input's type, which the typed client needs.
  return z.preprocess(read, schema) as unknown as z.ZodType<z.output<S>, z.input<S>>;
}
