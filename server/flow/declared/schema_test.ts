/** JSON Schemas of flows: which are taken, and what they say of values. */
import assert from "node:assert/strict";
import type { JsonValue } from "../../input/json_value.ts";
import { conform } from "./conform.ts";
import { parseSchema } from "./schema.ts";

const faultsOf = (json: unknown) => {
  const read = parseSchema(json);
  return "faults" in read ? read.faults.map(({ path, message }) => `${path.join(".")}: ${message}`) : [];
};

function checked(json: unknown, value: JsonValue) {
  const read = parseSchema(json);
  assert.ok("schema" in read, JSON.stringify(read));
  const conformed = conform(read.schema, value);
  return "faults" in conformed
    ? conformed.faults.map(({ path, message }) => `${path.join(".")}: ${message}`)
    : conformed.value;
}

Deno.test("declared schemas: what is no schema is refused with its path, also what could hang the process", () => {
  const deep = (levels: number): unknown => levels === 0 ? {} : { not: deep(levels - 1) };
  /** Each definition names the next one four times: 4 ** 6 schemas. */
  const spreading = Object.fromEntries(
    Array.from({ length: 6 }, (_, n) => [`d${n}`, { allOf: Array(4).fill({ $ref: `#/$defs/d${n + 1}` }) }]),
  );
  const refused: [unknown, RegExp][] = [
    [{ type: "text" }, /^type: is not a type of JSON Schema$/],
    [{ properties: { a: { typ: "string" } } }, /^properties\.a\.typ: is not a known field$/],
    [{ properties: { a: { minLength: -1 } } }, /^properties\.a\.minLength: must be at least 0$/],
    [{ properties: { a: 1 } }, /^properties\.a: must be an object$/],
    [{ required: "a" }, /^required: must be an array$/],
    [{ pattern: "(a+)+$" }, /^pattern: is not supported/],
    [{ patternProperties: { "(a+)+$": {} } }, /^patternProperties: is not supported/],
    [{ format: "regex" }, /^format: is not included in the list$/],
    [{ $ref: "https://example.com/s.json" }, /^\$ref: must name a schema under \$defs/],
    [{ properties: { a: { $ref: "#/$defs/b" } } }, /^properties\.a\.\$ref: must name a schema under \$defs/],
    [{ $defs: { a: { items: { $ref: "#/$defs/a" } } } }, /^\$defs\.a\.items\.\$ref: leads back to itself$/],
    [{ $defs: { ...spreading, d6: {} } }, /^: has more than 1000 schemas/],
    [{ items: { $defs: {} } }, /^items\.\$defs: belongs to the top/],
    [deep(20), /^(?:not\.)+not: is nested deeper than 16 levels$/],
    [
      { properties: { a: { type: "string", default: 1 } } },
      /^properties\.a\.default: does not match: it must be a string$/,
    ],
    [{ description: "x".repeat(40_000) }, /^: is too long/],
    [JSON.parse('{"properties":{"__proto__":{}}}'), /^properties\.__proto__: is not a known field$/],
  ];
  for (const [json, message] of refused) {
    const faults = faultsOf(json);
    assert.ok(
      faults.some((fault) => message.test(fault)),
      `${JSON.stringify(json).slice(0, 200)}: ${faults.join("; ")}`,
    );
  }
});

Deno.test("declared schemas: values, by path", () => {
  const rows: [schema: unknown, value: JsonValue, faults: string[]][] = [
    [{ type: ["string", "null"] }, null, []],
    [{ type: "integer" }, 1.5, [": must be an integer"]],
    [{ type: "number", multipleOf: 0.1, maximum: 1 }, 0.3, []],
    [{ type: "number", exclusiveMinimum: 0 }, 0, [": must be greater than 0"]],
    [{ type: "string", minLength: 2, maxLength: 3 }, "😀", [": is too short (minimum is 2 characters)"]],
    [{ enum: ["a", { b: [1, 2] }] }, { b: [1, 2] }, []],
    [{ const: 1 }, "1", [": is not the only value that is allowed"]],
    [{ format: "date" }, "2026-02-30", [": is not in the format date"]],
    [{ format: "date-time" }, "2026-02-28T08:30:00.5+01:00", []],
    [{ format: "email" }, "a@b", [": is not in the format email"]],
    [{ format: "uri" }, "https://example.com/a", []],
    [{ format: "uuid" }, 7, []],
    [{ items: { type: "number" }, maxItems: 2 }, [1, "2", 3], [
      ": is too long (maximum is 2 items)",
      "1: is not a number",
    ]],
    [{ prefixItems: [{ type: "string" }], items: { type: "null" } }, ["a", null], []],
    [{ uniqueItems: true }, [{ a: 1, b: 2 }, { b: 2, a: 1 }], [": has an item twice"]],
    [
      { properties: { a: { type: "object", required: ["b"] } }, required: ["c"], additionalProperties: false },
      { a: {}, d: 1 },
      ["c: can't be blank", "a.b: can't be blank", "d: is not a known field"],
    ],
    [{ additionalProperties: { type: "boolean" } }, { a: 1 }, ["a: must be a boolean"]],
    [{ minProperties: 1 }, {}, [": has too few fields (minimum is 1)"]],
    [{ anyOf: [{ type: "string" }, { minimum: 5 }] }, 3, [": matches none of the forms that are allowed"]],
    [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, [": matches 2 of the forms that are allowed, and must match one"]],
    [{ not: { type: "string" } }, "a", [": is not allowed"]],
    [{ if: { type: "string" }, then: { minLength: 1 }, else: { minimum: 1 } }, 0, [": must be at least 1"]],
    [{ allOf: [{ $ref: "#/$defs/id" }], $defs: { id: { minimum: 10 } } }, 1, [": must be at least 10"]],
  ];
  for (const [schema, value, faults] of rows) {
    const read = parseSchema(schema);
    assert.ok("schema" in read, JSON.stringify([schema, read]));
    const conformed = conform(read.schema, value);
    const said = "faults" in conformed
      ? conformed.faults.map(({ path, message }) => `${path.join(".")}: ${message}`)
      : [];
    assert.deepEqual(said, faults, JSON.stringify(schema));
  }
});

Deno.test("declared schemas: defaults are filled in, and neither they nor large values use up the process", () => {
  const address = { type: "object", properties: { city: { default: "Gdynia" } }, default: {} };
  const schema = {
    $defs: { address },
    properties: { to: { $ref: "#/$defs/address" }, n: { default: null }, list: { items: { $ref: "#/$defs/address" } } },
    allOf: [{ properties: { x: { default: 1 } } }],
    anyOf: [{ properties: { y: { default: 1 } } }],
  };
  assert.deepEqual(checked(schema, { list: [{}], n: 2 }), {
    list: [{ city: "Gdynia" }],
    n: 2,
    x: 1,
    to: { city: "Gdynia" },
  });
  const many = { items: { properties: { a: { default: "x".repeat(1_000) } } } };
  const too_large = [": is too large to be checked against the schema"];
  assert.deepEqual(checked(many, Array.from({ length: 1_000 }, () => ({}))), too_large);
  const wide = { items: { allOf: Array.from({ length: 900 }, () => ({ type: "number" })) } };
  assert.deepEqual(checked(wide, Array.from({ length: 100_000 }, () => 1)), too_large);
  const closed = { properties: { a: { type: "object", additionalProperties: false } } };
  const unknown = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`x${index}`, 1]));
  const faults = checked(closed, { a: unknown });
  assert.deepEqual(Array.isArray(faults) && [faults.length, faults[0]], [50, "a.x0: is not a known field"]);
});
