/** Examples of the API reference, composed from the examples of the schemas. */
import type { JsonSchema } from "./schemas.ts";

/** A schema with its example beside it, where it has one. */
export function withExample(schema: JsonSchema): { schema: JsonSchema; example?: unknown } {
  const example = exampleOf(schema);
  return example === undefined ? { schema } : { schema, example };
}

/**
 * One valid value: the schema's own example, constant, default or first choice, else composed from its parts. Optional
 * properties without an example are left out, and so are optional constants, which act as switches.
 *
 * @returns undefined where the schema has no example
 */
export function exampleOf(schema: JsonSchema): unknown {
  if (schema.examples?.length) return schema.examples[0];
  if ("const" in schema) return schema.const;
  if ("default" in schema) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return exampleOfFirst(schema.anyOf);
  switch (schema.type) {
    case "object":
      return exampleOfObject(schema);
    case "array": {
      const item = schema.items && exampleOf(schema.items);
      return item === undefined ? [] : [item];
    }
    case "null":
      return null;
  }
}

const exampleOfFirst = (choices: JsonSchema[]) => choices.map(exampleOf).find((value) => value !== undefined);

function exampleOfObject({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name, property]) => required.includes(name) || !("const" in property))
      .map(([name, property]) => [name, exampleOf(property)] as const)
      .filter(([name, value]) => value !== undefined && (value !== null || required.includes(name))),
  );
}
