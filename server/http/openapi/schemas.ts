/** Zod schemas as the API reference shows them: JSON Schema 2020-12, which OpenAPI 3.1 takes as it is. */
import { z } from "zod";
import type { Route } from "../rest/routes.ts";

export interface JsonSchema {
  type?: string;
  format?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  examples?: unknown[];
  [keyword: string]: unknown;
}

/** @param io `input` as a client sends it, `output` as it is answered */
export function schemaOf(schema: z.core.$ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _dialect, $defs: _defs, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      // A file is its bytes, as OpenAPI 3.1 says it.
      if (zodSchema instanceof z.ZodFile) Object.assign(jsonSchema, { type: "string", format: "binary" });
      // Free JSON is described by a schema that refers to itself, from the root of a document of its own.
      if (zodSchema instanceof z.ZodRecord && zodSchema.def.valueType instanceof z.ZodLazy) {
        jsonSchema.additionalProperties = true;
      }
      // zod forgets the examples of a schema that transforms its input; ours show what is sent, too.
      const examples = z.globalRegistry.get(zodSchema)?.examples;
      if (Array.isArray(examples)) jsonSchema.examples ??= examples;
    },
  });
  return withoutReferences(json) as JsonSchema;
}

/** Free JSON that is no record's value: anything. */
function withoutReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutReferences);
  if (typeof node !== "object" || node === null) return node;
  const kept = Object.entries(node).filter(([key, value]) => key !== "$ref" || !String(value).startsWith("#/$defs/"));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutReferences(value)]));
}

/** What the route's body holds, as one object. */
export function bodySchemaOf({ input, body }: Route): JsonSchema {
  const fields = body.flatMap((key) => input?.shape[key] ? [[key, input.shape[key]]] : []);
  return schemaOf(z.object(Object.fromEntries(fields)), "input");
}

/** Without what only a form carries. */
export function withoutFiles(schema: JsonSchema, { meta: { wrapper = "", multipart_only = [] } }: Route): JsonSchema {
  const inner = schema.properties?.[wrapper];
  const kept = Object.entries(inner?.properties ?? {}).filter(([name]) => !multipart_only.includes(name));
  return {
    ...schema,
    properties: { ...schema.properties, [wrapper]: { ...inner, properties: Object.fromEntries(kept) } },
  };
}

/** A form has no objects: `department[name]`, and lists end in `[]`. */
export function asForm(schema: JsonSchema, { meta: { wrapper = "" } }: Route): JsonSchema {
  const inner = schema.properties?.[wrapper];
  const nameOf = (name: string, field?: JsonSchema) => `${wrapper}[${name}]${field?.type === "array" ? "[]" : ""}`;
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(inner?.properties ?? {}).map(([name, field]) => [nameOf(name, field), field]),
    ),
    ...(inner?.required && { required: inner.required.map((name) => nameOf(name)) }),
  };
}
