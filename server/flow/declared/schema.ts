/**
 * JSON Schemas that a flow declares for its input and its output: the keywords of 2020-12 that are checked. What is not
 * checked is refused at save, because it would silently promise more than it does.
 *
 * Schemas are hostile. Work on a value is bounded in `conform.ts`; here their size, their depth and what `$ref` makes of
 * them. `pattern` is refused: a regular expression can take exponential time.
 */
import { faultsOfJson } from "../program/json_limits.ts";
import { faultsOf } from "../program/zod_faults.ts";
import type { Fault, Path } from "../steps/step_type.ts";
import { conform, sentenceOf } from "./conform.ts";
import { type JsonSchema, Node, type SchemaNode } from "./shape.ts";

/** Characters of a schema's JSON. */
const MOST_CHARACTERS = 32_768;
/** Schemas inside of a schema, those that `$ref` names counted at each place that names them. */
const MOST_SCHEMAS = 1_000;
const MOST_LEVELS = 16;
const MOST_FAULTS = 50;

/** Reads a schema from any value. Never throws. */
export function parseSchema(json: unknown): { schema: JsonSchema } | { faults: Fault[] } {
  const no_json = faultsOfJson(json, MOST_FAULTS);
  if (no_json.length > 0) return { faults: no_json };
  if (JSON.stringify(json).length > MOST_CHARACTERS) {
    return { faults: [{ path: [], message: `is too long (maximum is ${MOST_CHARACTERS} characters of JSON)` }] };
  }
  const parsed = Node.safeParse(json);
  if (!parsed.success) return { faults: faultsOf(parsed.error.issues).slice(0, MOST_FAULTS) };
  const root = parsed.data;
  const schema = { root, definitions: definitionsOf(root) };
  const faults = faultsOfSchema(schema);
  return faults.length > 0 ? { faults } : { schema };
}

/** A schema that was checked when it was saved. @returns undefined where there is none */
export function readSchema(json: unknown): JsonSchema | undefined {
  if (json === null || json === undefined) return undefined;
  const read = parseSchema(json);
  return "schema" in read ? read.schema : undefined;
}

const definitionsOf = ({ $defs = {}, definitions = {} }: SchemaNode): Map<string, SchemaNode> =>
  new Map([
    ...Object.entries($defs).map(([name, node]): [string, SchemaNode] => [`#/$defs/${name}`, node]),
    ...Object.entries(definitions).map(([name, node]): [string, SchemaNode] => [`#/definitions/${name}`, node]),
  ]);

/** What the shape cannot express: what `$ref` leads to, how large the schema is with it, and whether defaults match. */
function faultsOfSchema(schema: JsonSchema): Fault[] {
  const faults: Fault[] = [];
  let count = 0;
  const add = (path: Path, message: string) => void faults.push({ path, message });

  function visit(node: SchemaNode, path: Path, within: readonly string[], level: number): void {
    // The first fault of this kind ends the search, because a schema may be larger than can be walked.
    if (faults.length > 0) return;
    if (++count > MOST_SCHEMAS) return add([], `has more than ${MOST_SCHEMAS} schemas, with those that $ref names`);
    if (level > MOST_LEVELS) return add(path, `is nested deeper than ${MOST_LEVELS} levels`);
    if (path.length > 0 && (node.$defs || node.definitions)) {
      return add([...path, node.$defs ? "$defs" : "definitions"], "belongs to the top of the schema");
    }
    for (const [at, inner] of partsOf(node)) visit(inner, [...path, ...at], within, level + 1);
    if (node.$ref === undefined) return;
    const target = schema.definitions.get(node.$ref);
    const at = [...path, "$ref"];
    if (!target) return add(at, "must name a schema under $defs at the top, such as #/$defs/item");
    if (within.includes(node.$ref)) return add(at, "leads back to itself");
    visit(target, at, [...within, node.$ref], level + 1);
  }

  function visitDefaults(node: SchemaNode, path: Path): void {
    for (const [at, inner] of partsOf(node)) visitDefaults(inner, [...path, ...at]);
    if (node.default === undefined || faults.length >= MOST_FAULTS) return;
    const conformed = conform({ ...schema, root: node }, node.default);
    if ("faults" in conformed) add([...path, "default"], `does not match: ${sentenceOf(conformed.faults, "it")}`);
  }

  for (const [ref, node] of schema.definitions) visit(node, ref.split("/").slice(1), [ref], 1);
  visit(schema.root, [], [], 0);
  if (faults.length > 0) return faults;
  for (const [ref, node] of schema.definitions) visitDefaults(node, ref.split("/").slice(1));
  visitDefaults(schema.root, []);
  return faults;
}

/** The schemas inside of a schema, without its definitions. */
function partsOf(node: SchemaNode): [path: Path, inner: SchemaNode][] {
  const parts: [Path, SchemaNode][] = [];
  for (const key of ["items", "not", "if", "then", "else"] as const) {
    const inner = node[key];
    if (inner) parts.push([[key], inner]);
  }
  for (const key of ["prefixItems", "allOf", "anyOf", "oneOf"] as const) {
    node[key]?.forEach((inner, index) => parts.push([[key, index], inner]));
  }
  for (const [name, inner] of Object.entries(node.properties ?? {})) parts.push([["properties", name], inner]);
  const { additionalProperties: more } = node;
  if (typeof more === "object") parts.push([["additionalProperties"], more]);
  return parts;
}
