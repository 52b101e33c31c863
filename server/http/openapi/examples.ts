/** Examples of the API reference, put together from what the schemas themselves give as examples. */
import type { JsonSchema } from "./schemas.ts";

/**
 * One value that the schema takes: its own example, constant, default or first choice, else made of its parts. Optional
 * properties that have nothing to show stay out, and so do optional constants, which are switches.
 *
 * @returns undefined where the schema gives nothing to show
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
