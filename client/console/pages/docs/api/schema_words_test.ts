import { deepEqual, equal } from "node:assert/strict";
import type { Schema } from "./openapi.ts";
import { fieldsOf, wordsOf } from "./schema_words.ts";

const WORDS: [schema: Schema, words: string][] = [
  [{ type: "string", maxLength: 255 }, "text, at most 255 characters"],
  [{ anyOf: [{ type: "string", maxLength: 1000 }, { type: "null" }] }, "text, at most 1,000 characters or null"],
  [{ type: "integer", minimum: 1, maximum: 2147483647 }, "integer"],
  [{ type: "integer", minimum: 1, maximum: 500 }, "integer, 1 to 500"],
  [{ type: "string", enum: ["skip", "allow", "queue"] }, `"skip", "allow" or "queue"`],
  [{ type: "array", items: { type: "integer" } }, "list of integers"],
  [{ type: "array", items: { type: "object", properties: { a: {} } } }, "list of objects"],
  [{ type: "array", items: {} }, "list"],
  [{ type: "array", items: { type: ["string", "null"] } }, "list"],
  [{ type: "object", additionalProperties: { anyOf: [{ type: "string" }, { type: "array" }] } }, "object"],
  [{ type: ["string", "null"] }, "text or null"],
  [{ type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d$" }, "time"],
  [{ type: "string", format: "binary" }, "file"],
  [{ type: "object", additionalProperties: { type: "boolean" } }, "object of booleans by name"],
  [{ const: "flow" }, `"flow"`],
  [{}, "any JSON"],
];

Deno.test("schema words: each kind of schema reads as a sentence", () => {
  for (const [schema, words] of WORDS) equal(wordsOf(schema), words);
});

Deno.test("schema words: fields are those of an object, of a list's items and of every choice", () => {
  const object: Schema = { type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a"] };
  const shown = (schema: Schema) => fieldsOf(schema).map(({ name, required }) => `${name} ${required}`);
  deepEqual(shown(object), ["a true", "b false"]);
  deepEqual(shown({ type: "array", items: object }), ["a true", "b false"]);
  deepEqual(shown({ anyOf: [object, { type: "null" }, { properties: { c: {} } }] }), ["a true", "b false", "c false"]);
  deepEqual(shown({ type: "object", additionalProperties: object }), ["a true", "b false"]);
  deepEqual(shown({ type: "string" }), []);
});
