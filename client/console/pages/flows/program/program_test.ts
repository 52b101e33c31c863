/** Changes of programs, and programs as text. */
import { deepEqual, equal } from "node:assert/strict";
import { describeSteps } from "../../../../../server/flow/flow.ts";
import { inputFields, inputOf } from "../run/input_form.ts";
import { difference } from "./brief.ts";
import type { Json } from "./json.ts";
import { readJson, writeJson } from "./json_text.ts";
import { lineOf } from "./line.ts";
import { branchesOf, idsOf, insert, move, moveIn, moveOut, newStep, rowsOf, withFreeIds, wrap } from "./steps.ts";
import { textOfValue, valueOfText } from "./value_text.ts";

const DESCRIBED = describeSteps();
const TYPES = new Map(DESCRIBED.map((type) => [type.type, type]));
function typeOf(name: string) {
  const found = TYPES.get(name);
  if (!found) throw new Error(`${name} is no type`);
  return found;
}

const a = { type: "mutation", id: "a", set: { x: 1 } };
const b = { type: "return", data: "{x}" };
const c = { type: "fail", message: "no" };
const branch = { type: "if", condition: "{x} > 1", then: [b], else: [c] };
const PROGRAM: Json[] = [a, branch];

Deno.test("steps: rows have every step and the headings of several or empty lists", () => {
  const said = (program: Json, folded: string[] = []) =>
    rowsOf(program, TYPES, new Set(folded)).map(({ level, number, id, label }) =>
      `${level} ${number || label} ${id}`.trim()
    );
  deepEqual(said(PROGRAM), ["1 1 a", "1 2 step_1", "2 then", "2 3 step_2", "2 else", "2 4 step_3"]);
  deepEqual(said(PROGRAM, ["1"]), ["1 1 a", "1 2 step_1"]);
  deepEqual(said([{ type: "for_each", items: "{x}", steps: [a] }]), ["1 1 step_1", "2 2 a"]);
  deepEqual(said([{ type: "for_each", items: "{x}", steps: [] }]), ["1 1 step_1", "2 steps"]);
  deepEqual(said([{ type: "newer" }, "no step"]), ["1 1 step_1", "1 2 step_2"]);
});

Deno.test("steps: they move within their list, out of it and into the step before them", () => {
  deepEqual(move(PROGRAM, [0], 1), { program: [branch, a], path: [1] });
  equal(move(PROGRAM, [0], -1), undefined);
  const without = { type: "if", condition: "{x} > 1", then: [], else: [c] };
  deepEqual(move(PROGRAM, [1, "then", 0], 1), { program: [a, without, b], path: [2] });
  deepEqual(moveOut(PROGRAM, [1, "then", 0], -1), { program: [a, b, without], path: [1] });
  const moved = moveIn([...PROGRAM, a], [2], TYPES);
  deepEqual(moved, { program: [a, { ...branch, then: [b, a] }], path: [1, "then", 1] });
  deepEqual(branchesOf(branch, [1], TYPES).map(({ path }) => path), [[1, "then"], [1, "else"]]);
});

Deno.test("steps: a step is wrapped in each type with steps inside", () => {
  const wrapped = (name: string) => wrap([a], [0], typeOf(name))?.program;
  deepEqual(wrapped("for_each"), [{ type: "for_each", items: "{input.items}", as: "item", steps: [a] }]);
  deepEqual(wrapped("switch"), [{ type: "switch", value: "{input.value}", cases: { one: [a] } }]);
  equal(wrapped("return"), undefined);
  deepEqual(insert([], [], 0, [newStep(typeOf("wait"))]), [{ type: "wait", seconds: 60 }]);
});

Deno.test("steps: copies have ids of their own", () => {
  deepEqual(withFreeIds([{ ...a, set: { id: "a" } }], [a], TYPES), [{ ...a, id: "a_2", set: { id: "a" } }]);
  deepEqual([...idsOf([{ type: "return", id: "step_1" }, b], TYPES).values()], ["step_1", "step_2"]);
});

Deno.test("JSON: what is written is read again, with the position of each value", () => {
  const text = writeJson(PROGRAM);
  const read = readJson(text);
  if ("fault" in read) throw new Error(read.fault);
  deepEqual(read.value, PROGRAM);
  const span = read.spans.get("1.then.0.data");
  equal(text.slice(span?.from, span?.to), '"{x}"');
  const values: Json[] = [[], {}, 'ż\n"', -1.5e3, null, true, { a: [{}] }];
  for (const value of values) deepEqual(JSON.parse(writeJson(value)), value);
});

for (
  const [text, at, fault] of [
    ["[1, ]", 4, /comma before/],
    ["[1", 2, /text ends/],
    ['{"a": 1, "a": 2}', 9, /twice/],
    ['["a', 1, /closing quote/],
    ["[] x", 3, /ends before/],
    ["[nul]", 1, /value/],
  ] as const
) {
  Deno.test(`JSON: the mistake in ${text} has its position`, () => {
    const read = readJson(text);
    deepEqual("fault" in read && [read.at, fault.test(read.fault)], [at, true]);
  });
}

Deno.test("values: a text that could be JSON stands in quotes", () => {
  for (const value of ["x", "{price}", "", 171, "171", null, true, { a: 1 }, "null", '"q"']) {
    deepEqual(valueOfText(textOfValue(value)), value);
  }
  equal(textOfValue("{price} EUR"), "{price} EUR");
});

Deno.test("line: a step reads as a sentence, with its placeholders apart", () => {
  const said = (step: Record<string, Json>) =>
    lineOf(step, TYPES.get(String(step.type))).map(({ kind, text }) => kind === "tpl" ? `<${text}>` : text).join("");
  equal(said({ type: "if", condition: "{x} > 1" }), "If <x> > 1");
  equal(said({ type: "for_each", items: "{people}" }), "For each item of <people>");
  equal(
    said({ type: "record", action: "upsert", db_code: "rates", match: { day: "{run.date}" } }),
    "Upsert in rates where day <run.date>",
  );
  equal(said({ type: "wait", until: "{day}" }), "Wait until <day>");
  equal(said({ type: "return", name: "The end" }), "The end");
  equal(said({ type: "mutation" }), "Set names");
  equal(said({ type: "newer" }), "newer");
});

Deno.test("input: the form of a run comes from the declared schema, or from the first mutation", () => {
  const input = {
    type: "object",
    properties: { sum: { type: "number" }, in: { enum: ["EUR", "PLN"], default: "EUR" } },
    required: ["sum"],
  };
  const fields = inputFields({ input, secret_inputs: ["in"] }, []);
  deepEqual(fields?.map(({ name, kind, required, initial, secret }) => [name, kind, required, initial, secret]), [
    ["sum", "number", true, "", false],
    ["in", "choice", false, "EUR", true],
  ]);
  deepEqual(inputOf(fields ?? [], { sum: "21", in: "" }), { sum: 21 });
  deepEqual(inputFields({}, [a])?.map(({ name, initial }) => [name, initial]), [["x", "1"]]);
  equal(inputFields({}, [b]), undefined);
});

Deno.test("differences: the part that differs, or both values in full where a short form would be the same", () => {
  deepEqual(difference({ seconds: 1 }, { seconds: 2 }), { path: ".seconds", texts: ["1", "2"] });
  deepEqual(difference({ a: [1, { b: "x" }] }, { a: [1, { b: "y" }] }), { path: ".a.1.b", texts: ["x", "y"] });
  deepEqual(difference({ a: 1, b: 1 }, { a: 2, b: 2 }), { path: "", texts: ['{"a":1,"b":1}', '{"a":2,"b":2}'] });
  deepEqual(difference(undefined, { a: 1 }), { path: "", texts: ["null", "{ a }"] });
});
