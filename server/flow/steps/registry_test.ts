import assert from "node:assert/strict";
import { z } from "zod";
import { parseProgram } from "../program/program.ts";
import { walk } from "../program/walk.ts";
import { hasBranches, hasEffect, STEP_TYPES, StepShape, stepTypeOf } from "./registry.ts";
import { templatesOf } from "./rendered_keys.ts";

/** A step of each type that uses every optional key. A new type needs an entry here. */
const EXAMPLES: Record<string, Record<string, unknown>> = {
  mutation: { set: { a: 1 }, append: { b: "{a}" }, merge: { c: { d: "{a}" } } },
  connector: {
    connector_code: "fx",
    method: "latest",
    params: { base: "{input.base}" },
    query: { n: "{a}" },
    headers: { "x-a": "{a}" },
    body: "{a}",
  },
  if: { condition: "{a} > 1", then: [{ type: "return" }], else: [{ type: "return" }] },
  record: { action: "update", db_code: "prices", match: { day: "{run.date}" }, data: { price: "{a}" } },
  for_each: { items: "{input.all}", as: "one", at_once: 5, collect: true, steps: [{ type: "return" }] },
  switch: {
    value: "{a}",
    cases: { paid: [{ type: "return" }], open: [{ type: "return" }] },
    else: [{ type: "return" }],
  },
  repeat: { while: "{a} exists", most: 5, collect: "{a}", steps: [{ type: "return" }] },
  transform: {
    from: "{input.all}",
    as: "one",
    where: "{one.n} > 1",
    map: "{one.n}",
    sort: ["-one", "one"],
    unique: "one",
    limit: 3,
    group: "one",
    reduce: { all: { sum: "one" } },
  },
  code: { source: "export default () => 1" },
  return: { data: "{a}" },
  wait: { until: "{a}" },
  flow: { flow_code: "other", input: { a: "{a}" } },
  approval: {
    question: "{a}?",
    choices: ["yes"],
    form: { note: {} },
    roles: ["admin"],
    ask: [{ type: "return" }],
    on_timeout: [{ type: "return" }],
  },
  fail: { message: "{a} is missing", data: "{a}" },
};

interface JsonSchema {
  properties: Record<string, { const?: string }>;
  required: string[];
}

/** The JSON Schema of each type's shape, by the literal of its `type`. */
function schemas(): Map<string | undefined, JsonSchema> {
  const { $defs } = z.toJSONSchema(StepShape, { io: "input", unrepresentable: "any" });
  const choices: JsonSchema[] = JSON.parse(JSON.stringify($defs?.Step?.oneOf));
  return new Map(choices.map((schema) => [schema.properties.type?.const, schema]));
}

Deno.test("registry: each type has a shape with its literal type, and the keys of every step", () => {
  const known = schemas();
  assert.deepEqual([...known.keys()], STEP_TYPES.map(({ type }) => type));
  assert.equal(new Set(known.keys()).size, STEP_TYPES.length);
  for (const { properties, required } of known.values()) {
    assert.equal(Object.keys(properties).slice(0, 7).join(), "type,id,name,timeout,retry,on_error,catch");
    assert.ok(required.includes("type"));
  }
});

Deno.test("registry: keys of templates and branches are keys of the shape", () => {
  const known = schemas();
  for (const type of STEP_TYPES) {
    const properties = known.get(type.type)?.properties ?? {};
    for (const key of type.templates) assert.ok(Object.hasOwn(properties, key), `${type.type}: ${key}`);
  }
});

for (const type of STEP_TYPES) {
  Deno.test(`registry: ${type.type} is complete`, () => {
    const read = parseProgram([{ type: type.type, id: "one", ...EXAMPLES[type.type] }]);
    assert.ok("steps" in read, JSON.stringify(read));
    const [step] = read.steps;
    assert.ok(step);
    assert.equal(stepTypeOf(step), type);
    assert.ok(type.code || Object.keys(templatesOf(step, type.templates)).length > 0, "it has templates");
    const ways = [type.effect, type.execute, type.pause].filter((way) => way !== undefined);
    assert.equal(ways.length, 1, "it computes, has an effect or pauses");
    assert.equal(hasEffect(type.type), type.execute === undefined);
    assert.equal(hasBranches(type.type), type.branches !== undefined);
    for (const [path, steps] of type.branches?.(step) ?? []) {
      const found: unknown = path.reduce((part: object, key) => Reflect.get(part, key), step);
      assert.equal(found, steps, "a branch is the value at its path");
      assert.equal(steps.length, 1);
    }
    const inner = (type.branches?.(step) ?? []).length;
    assert.equal([...walk(read.steps)].length, 1 + inner, "every branch is walked");
    for (const { key, code } of type.references?.(step) ?? []) assert.equal(Reflect.get(step, key), code);
    assert.deepEqual(type.faults?.(step) ?? [], []);
  });
}
