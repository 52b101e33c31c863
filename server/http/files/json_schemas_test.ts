import assert from "node:assert/strict";
import { Ajv2020 } from "../../../test/packages/ajv.ts";
import { EXAMPLE } from "../../../test/flow/example.ts";
import { parseProgram } from "../../flow/flow.ts";
import { flowSchema } from "./json_schemas.ts";

const validate = new Ajv2020({ strict: false }).compile(flowSchema());

Deno.test("schemas: a flow's program, with every type of step and of condition", () => {
  const programs: unknown[] = [
    [],
    EXAMPLE,
    [{ type: "if", condition: "{a} > 1", then: [{ type: "return" }] }],
    [{ type: "if", condition: { any: ["{a} > 1", { not: { left: "{a}", operator: "exists" } }] }, then: [], else: [] }],
    [{ type: "for_each", items: ["a", 1], steps: [{ type: "return", data: { x: ["{item}"] } }] }],
    [{ type: "record", action: "list", db_code: "x", filter: { a: { gt: 1 } }, sort: "-a", limit: 5 }],
    [{
      type: "connector",
      connector_code: "x",
      method: "y",
      on_error: "catch",
      catch: [{ type: "return" }],
      retry: {},
    }],
  ];
  for (const program of programs) {
    assert.ok(validate(program), JSON.stringify(validate.errors));
    assert.ok("steps" in parseProgram(program), JSON.stringify(program));
  }
});

Deno.test("schemas: invalid programs are refused by the schema and at save", () => {
  const programs: unknown[] = [
    {},
    null,
    ["x"],
    [{}],
    [{ type: "loop" }],
    [{ type: "mutation" }],
    [{ type: "mutation", set: { "a-b": 1 } }],
    [{ type: "mutation", set: {}, id: "Big" }],
    [{ type: "mutation", set: {}, timeout: 0 }],
    [{ type: "connector", connector_code: "fx", method: "a", metod: "b" }],
    [{ type: "connector", connector_code: "fx", method: "a", retry: { on: [200] } }],
    [{ type: "if", condition: "{a} > 1", then: [{ type: "connector" }] }],
    [{ type: "if", condition: { left: 1, operator: "gtt", right: 1 }, then: [] }],
    [{ type: "if", condition: { all: [] }, then: [] }],
    [{ type: "if", condition: { not: { not: { all: [{ left: 1 }] } } }, then: [] }],
    [{ type: "record", action: "put", db_code: "x" }],
    [{ type: "record", action: "list", db_code: "x", limit: 501 }],
    [{ type: "for_each", items: 5, steps: [] }],
    [{ type: "wait" }],
    [{ type: "wait", seconds: 5, until: "2027-01-01" }],
    [{ type: "approval", question: "Yes?" }],
    [{ type: "switch", value: "{a}" }],
    [{ type: "repeat", steps: [] }],
    [{ type: "fail" }],
    [{ type: "flow" }],
    [{ type: "code" }],
    [{ type: "transform" }],
    [{ type: "transform", from: "a" }],
    [{ type: "transform", from: "{a}", reduce: {} }],
    [{ type: "for_each", items: "a {b}", steps: [] }],
    [{ type: "wait", seconds: "60" }],
    [{ type: "switch", value: "{a}", cases: {} }],
    [{ type: "connector", connector_code: "fx", method: "a", pick: {} }],
    [{ type: "record", action: "get", db_code: "x", match: {} }],
  ];
  for (const program of programs) {
    assert.equal(validate(program), false, JSON.stringify(program));
    assert.ok("faults" in parseProgram(program), JSON.stringify(program));
  }
});

Deno.test("schemas: every name that it refers to is its own", () => {
  const schema = JSON.stringify(flowSchema());
  const names = [...schema.matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)].map(([, name]) => name);
  assert.deepEqual([...new Set(names)].sort(), ["Condition", "Retry", "Step"]);
  assert.equal(flowSchema().$schema, "https://json-schema.org/draft/2020-12/schema");
});
