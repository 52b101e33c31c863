/** The shape of one JSON Schema: the keywords that are checked, and those that only describe. */
import { z } from "zod";
import type { JsonValue } from "../../input/json_value.ts";
import { type Format, FORMAT_NAMES } from "./formats.ts";

export const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"] as const;
export type TypeName = (typeof TYPES)[number];

/** One schema. Its shape is recursive, so its type is written out. */
export interface SchemaNode {
  $ref?: string | undefined;
  $defs?: Record<string, SchemaNode> | undefined;
  definitions?: Record<string, SchemaNode> | undefined;
  default?: JsonValue | undefined;
  type?: TypeName | TypeName[] | undefined;
  enum?: JsonValue[] | undefined;
  const?: JsonValue | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  format?: Format | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  exclusiveMinimum?: number | undefined;
  exclusiveMaximum?: number | undefined;
  multipleOf?: number | undefined;
  items?: SchemaNode | undefined;
  prefixItems?: SchemaNode[] | undefined;
  minItems?: number | undefined;
  maxItems?: number | undefined;
  uniqueItems?: boolean | undefined;
  properties?: Record<string, SchemaNode> | undefined;
  required?: string[] | undefined;
  additionalProperties?: boolean | SchemaNode | undefined;
  minProperties?: number | undefined;
  maxProperties?: number | undefined;
  allOf?: SchemaNode[] | undefined;
  anyOf?: SchemaNode[] | undefined;
  oneOf?: SchemaNode[] | undefined;
  not?: SchemaNode | undefined;
  if?: SchemaNode | undefined;
  then?: SchemaNode | undefined;
  else?: SchemaNode | undefined;
}

/** A schema that is ready to check values. */
export interface JsonSchema {
  root: SchemaNode;
  /** By the text of `$ref`. */
  definitions: ReadonlyMap<string, SchemaNode>;
}

const Count = z.int().min(0).optional();
const Limit = z.number().optional();
const refused = (message: string) => z.unknown().optional().refine((value) => value === undefined, message);
const NO_PATTERN = "is not supported: name a format, an enum or lengths instead";

export const Node: z.ZodType<SchemaNode> = z.lazy(() => {
  const node = Node.optional();
  const nodes = z.array(Node).min(1).optional();
  const named = z.record(z.string(), Node).optional();
  return z.strictObject({
    $schema: z.string().optional(),
    $comment: z.string().optional(),
    title: z.string().optional(),
    description: z.string().optional(),
    examples: z.array(z.json()).optional(),
    deprecated: z.boolean().optional(),
    readOnly: z.boolean().optional(),
    writeOnly: z.boolean().optional(),
    default: z.json().optional(),
    $ref: z.string().optional(),
    $defs: named,
    definitions: named,
    type: z.union([z.enum(TYPES), z.array(z.enum(TYPES)).min(1)], "is not a type of JSON Schema").optional(),
    enum: z.array(z.json()).min(1).optional(),
    const: z.json().optional(),
    minLength: Count,
    maxLength: Count,
    pattern: refused(NO_PATTERN),
    patternProperties: refused(NO_PATTERN),
    format: z.enum(FORMAT_NAMES).optional(),
    minimum: Limit,
    maximum: Limit,
    exclusiveMinimum: Limit,
    exclusiveMaximum: Limit,
    multipleOf: z.number().positive().optional(),
    items: node,
    prefixItems: nodes,
    minItems: Count,
    maxItems: Count,
    uniqueItems: z.boolean().optional(),
    properties: named,
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.boolean(), Node]).optional(),
    minProperties: Count,
    maxProperties: Count,
    allOf: nodes,
    anyOf: nodes,
    oneOf: nodes,
    not: node,
    if: node,
    then: node,
    else: node,
  });
});
