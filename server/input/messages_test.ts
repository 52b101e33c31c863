import assert from "node:assert/strict";
import { z } from "zod";
import type { Fields } from "../errors.ts";
import { fieldsOf } from "./messages.ts";
import { Email, Id, Ids, Moment, Name, OptionalUrl, text } from "./shapes.ts";

function refused(schema: z.ZodType, value: unknown, wrapper?: string): Fields {
  const { error } = schema.safeParse(value);
  assert.ok(error, `not refused: ${JSON.stringify(value)}`);
  return fieldsOf(error.issues, wrapper);
}

Deno.test("messages: one field, in Rails' words", () => {
  const storable = "contains characters that cannot be stored (NUL or half of a surrogate pair)";
  const rows: [schema: z.ZodType, value: unknown, message: string][] = [
    [Name, undefined, "can't be blank"],
    [Name, null, "can't be blank"],
    [Name, "", "can't be blank"],
    [Name, " \t\n ", "can't be blank"],
    [Name, "x".repeat(256), "is too long (maximum is 255 characters)"],
    [Name, 5, "must be a string"],
    [Name, [], "must be a string"],
    [text(3), "abcd", "is too long (maximum is 3 characters)"],
    [text(3), "a\0", storable],
    [text(3), "\ud800", storable],
    [Email, "nobody", "is not an e-mail address"],
    [OptionalUrl, "javascript:alert(1)", "is not an http(s) address"],
    [z.enum(["svelte", "vue"]), "cobol", "is not included in the list"],
    [z.literal("1"), "2", "is not included in the list"],
    [z.boolean(), "yes", "must be a boolean"],
    [z.record(z.string(), z.json()), "x", "must be an object"],
    [z.array(z.string()), "x", "must be an array"],
    [z.object({}), 1, "must be an object"],
    [Id, 0, "must be at least 1"],
    [Id, 2 ** 31, "must be at most 2147483647"],
    [Id, 1e30, "must be at most 2147483647"],
    [z.int(), 1e30, "must be at most 9007199254740991"],
    [Id, "1", "is not a number"],
    [Id, 1.5, "must be an integer"],
    [Ids, Array(10_001).fill(1), "is too long (maximum is 10000 items)"],
    [z.array(z.string()).min(1), [], "can't be blank"],
    [z.array(z.string()).min(2), ["x"], "is too short (minimum is 2 items)"],
    [z.string().min(8), "x", "is too short (minimum is 8 characters)"],
    [z.number().positive(), 0, "must be greater than 0"],
    [z.uuid(), "x", "is invalid"],
    [z.string().regex(/^a$/), "x", "is invalid"],
    [z.string().regex(/^a$/, "must be an a"), "x", "must be an a"],
    [Moment, "2026-11-21", "must be an ISO 8601 date and time with offset, such as 2026-11-21T08:30:00Z"],
    [Moment, null, "can't be blank"],
  ];
  for (const [schema, value, message] of rows) {
    assert.deepEqual(refused(z.object({ field: schema }), { field: value }), { field: [message] });
  }
});

Deno.test("messages: a key of a record", () => {
  const Cases = z.record(z.string().min(1), z.string());
  assert.deepEqual(refused(Cases, { "": "x" }), { base: ["can't be blank"] });
  assert.deepEqual(refused(z.object({ cases: Cases }), { cases: { "": "x" } }), { "cases.": ["can't be blank"] });
});

Deno.test("messages: text is measured in code points", () => {
  assert.equal(text(3).safeParse("😀😀😀").success, true);
  assert.equal(text(3).safeParse("😀😀😀😀").success, false);
});

Deno.test("messages: nested fields by dotted path, the wrapper left out, unknown keys by name, base for the whole", () => {
  const Action = z.strictObject({ flow_code: Name });
  const schema = z.object({ app: z.object({ name: Name, actions: z.array(Action).optional() }) });
  assert.deepEqual(refused(schema, { app: { actions: [{ flow_code: "a" }, { flow_code: "" }] } }, "app"), {
    name: ["can't be blank"],
    "actions.1.flow_code": ["can't be blank"],
  });
  assert.deepEqual(refused(schema, { app: { name: "x", actions: [{ flow_code: "a", flowcode: 1, x: 2 }] } }, "app"), {
    "actions.0.flowcode": ["is not a known field"],
    "actions.0.x": ["is not a known field"],
  });
  assert.deepEqual(refused(schema, {}, "app"), { base: ["can't be blank"] });
  const pair = z.object({ a: z.string(), b: z.string() }).refine(({ a, b }) => a === b, "must be the same");
  assert.deepEqual(refused(pair, { a: "1", b: "2" }), { base: ["must be the same"] });
});

Deno.test("messages: each once, and a refused value is never repeated", () => {
  const schema = z.object({ secret: z.string().regex(/^a/).regex(/^b/) });
  assert.deepEqual(refused(schema, { secret: "hunter2" }), { secret: ["is invalid"] });
  for (const value of ["hunter2", { hunter2: "hunter2" }, ["hunter2"]]) {
    const fields = refused(z.object({ field: z.union([Id, z.boolean()]) }), { field: value });
    assert.doesNotMatch(JSON.stringify(fields), /hunter2/);
  }
});
