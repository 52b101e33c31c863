import assert from "node:assert/strict";
import { parseProgram } from "./program.ts";
import { describeSteps } from "./describe.ts";
import { STEP_TYPES } from "../steps/registry.ts";

const described = describeSteps();
const one = (type: string) => described.find((found) => found.type === type);

Deno.test("describe: each type has its words, and every key in its line is one of its fields", () => {
  assert.deepEqual(described.map(({ type }) => type), STEP_TYPES.map(({ type }) => type));
  for (const { type, line, title, fields, blank } of described) {
    const keys = fields.map(({ key }) => key);
    assert.ok(title);
    for (const [, key = ""] of line.matchAll(/\{(\w+)\}/g)) assert.ok(keys.includes(key), `${type}: ${key}`);
    for (const key of Object.keys(blank)) assert.ok(keys.includes(key), `${type}: ${key}`);
    for (const { key, required } of fields) {
      assert.ok(!required || Object.hasOwn(blank, key), `${type}: ${key} is blank`);
    }
  }
});

Deno.test("describe: a new step is valid, unless it must name something first", () => {
  for (const { type, blank, fields } of described) {
    const names = fields.some(({ kind }) => ["connector", "database", "flow"].includes(kind));
    const read = parseProgram([{ type, ...blank }]);
    assert.equal("faults" in read, names, `${type}: ${JSON.stringify(read)}`);
  }
});

Deno.test("describe: kinds of fields follow from the shapes", () => {
  const kinds = (type: string) => Object.fromEntries(one(type)?.fields.map(({ key, kind }) => [key, kind]) ?? []);
  const { connector_code, method, params, body, retry, timeout } = kinds("connector");
  assert.deepEqual([connector_code, method, params, body, retry, timeout], [
    "connector",
    "method",
    "values",
    "json",
    "object",
    "number",
  ]);
  assert.deepEqual([kinds("if").condition, kinds("if").then, kinds("if").else, kinds("if").timeout], [
    "condition",
    "steps",
    "steps",
    undefined,
  ]);
  assert.deepEqual([kinds("switch").cases, kinds("code").source, kinds("approval").roles], [
    "cases",
    "code",
    "choices",
  ]);
  const named = described.flatMap(({ type, fields }) =>
    fields.flatMap(({ key, names_of }) => names_of ? [`${type}.${key}: ${names_of}`] : [])
  );
  assert.deepEqual(named.toSorted(), [
    "connector.params: method",
    "flow.input: flow",
    "record.data: database",
    "record.filter: database",
    "record.match: database",
  ]);
  assert.deepEqual(one("record")?.fields.find(({ key }) => key === "action")?.options?.length, 6);
  const used = one("record")?.fields.flatMap(({ key, actions }) => actions ? [`${key}: ${actions.join(" ")}`] : []);
  assert.deepEqual(used, [
    "record_id: update delete get",
    "match: update upsert delete get",
    "data: create update upsert",
    "filter: list",
    "sort: list",
    "limit: list",
  ]);
  assert.deepEqual([one("wait")?.waits, one("connector")?.asks_outside, one("code")?.asks_outside], [
    true,
    true,
    false,
  ]);
});
