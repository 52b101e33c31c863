/** Zod schemas as JSON Schema 2020-12, which is also OpenAPI 3.1's. */
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

/** @param io `input` as a client sends a value, `output` as an answer carries it */
export function schemaOf(schema: z.core.$ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _dialect, $defs: _defs, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      // How OpenAPI 3.1 writes a file.
      if (zodSchema instanceof z.ZodFile) Object.assign(jsonSchema, { type: "string", format: "binary" });
      // zod writes free JSON as a recursive schema, whose references would not resolve inside this document.
      if (zodSchema instanceof z.ZodRecord && zodSchema.def.valueType instanceof z.ZodLazy) {
        jsonSchema.additionalProperties = true;
      }
      // zod drops the examples of a schema that transforms its input, although they show the input.
      const examples = z.globalRegistry.get(zodSchema)?.examples;
      if (Array.isArray(examples)) jsonSchema.examples ??= examples;
    },
  });
  return withoutReferences(json) as JsonSchema;
}

/** Drops the references of free JSON outside of records, so that it allows anything. */
function withoutReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutReferences);
  if (typeof node !== "object" || node === null) return node;
  const kept = Object.entries(node).filter(([key, value]) => key !== "$ref" || !String(value).startsWith("#/$defs/"));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutReferences(value)]));
}

/** The route's body as one object. */
export function bodySchemaOf({ input, body, meta: { whole_body } }: Route): JsonSchema {
  const whole = whole_body === undefined ? undefined : input?.shape[whole_body];
  if (whole) return schemaOf(whole, "input");
  const fields = body.flatMap((key) => input?.shape[key] ? [[key, input.shape[key]]] : []);
  return schemaOf(z.object(Object.fromEntries(fields)), "input");
}

/** The JSON body of a route whose form also carries files. */
export function withoutFiles(schema: JsonSchema, { meta: { wrapper = "", multipart_only = [] } }: Route): JsonSchema {
  const inner = schema.properties?.[wrapper];
  const kept = Object.entries(inner?.properties ?? {}).filter(([name]) => !multipart_only.includes(name));
  return {
    ...schema,
    properties: { ...schema.properties, [wrapper]: { ...inner, properties: Object.fromEntries(kept) } },
  };
}

/** The form body: fields are named `department[name]`, and names of lists end in `[]`. */
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
