import assert from "node:assert/strict";
import fc from "../../../test/packages/fast_check.ts";
import { EXAMPLE } from "../../../test/flow/example.ts";
import type { JsonValue } from "../../input/json_value.ts";
import type { KnownStep as Step } from "../steps/registry.ts";
import { parseProgram } from "./program.ts";
import { unknownNames } from "./unknown_names.ts";
import { unreached } from "./unreachable.ts";
import { unusedKeys } from "./unused_keys.ts";
import { walk } from "./walk.ts";

function stepsOf(program: unknown): Step[] {
  const read = parseProgram(program);
  if ("faults" in read) throw new Error(JSON.stringify(read.faults));
  return read.steps;
}

const common = { timeout: 30, on_error: "stop", catch: [] };

Deno.test("program: the example of the design, with every default", () => {
  const [start, rates, pick, save, high, end, ...more] = stepsOf(EXAMPLE);
  assert.deepEqual(more, []);
  assert.deepEqual(start, { type: "mutation", id: "start", ...common, set: { base: "EUR", limit: 4.5 } });
  assert.deepEqual(rates, {
    type: "connector",
    id: "rates",
    ...common,
    retry: { attempts: 3, delay: 2, backoff: "exponential", max_delay: 60, on: ["network", "timeout", 429, "5xx"] },
    connector_code: "fx",
    method: "latest",
    params: { base: "{base}", n: 1 },
  });
  assert.equal(pick?.id, "pick");
  assert.deepEqual(save?.type === "record" && [save.action, save.match, save.limit], [
    "upsert",
    { day: "{run.date}" },
    100,
  ]);
  assert.deepEqual(high?.type === "if" && [high.condition, high.then.map(({ id }) => id), high.else], [
    { left: "{json_object.rates.0.mid}", operator: "gt", right: "{limit}" },
    ["alert"],
    [],
  ]);
  assert.deepEqual(end, { type: "return", id: "step_1", ...common, data: { price: "{price}" } });
  assert.deepEqual(unknownNames(stepsOf(EXAMPLE)), []);
});

Deno.test("program: unreachable steps", () => {
  const nothing = { type: "mutation", set: {} };
  const done = { type: "return", data: 1 };
  const faults = unreached(stepsOf([
    { ...nothing, on_error: "catch" },
    nothing,
    { type: "if", condition: "{input} exists", then: [done, done, nothing], else: [nothing, done] },
    done,
    { ...nothing, on_error: "catch", catch: [done] },
    nothing,
  ]));
  assert.deepEqual(faults.map(({ path, message }) => `${path.join(".")} ${message}`), [
    "0.catch has no steps: an error is passed over",
    "2.then.1 is never reached: a return stands before it",
    "4 is never reached: a return stands before it",
  ]);
  assert.deepEqual(unreached(stepsOf(EXAMPLE)), []);
  assert.deepEqual(unreached(stepsOf([{ ...done, disabled: true }, nothing])), []);
});

Deno.test("program: keys that a step's type does not use", () => {
  const retry = { attempts: 2 };
  const faults = unusedKeys(stepsOf([
    { type: "flow", flow_code: "a", timeout: 2, retry },
    { type: "for_each", items: [1], timeout: 30, steps: [{ type: "wait", seconds: 1, retry }] },
    { type: "record", action: "list", db_code: "a", timeout: 2, retry },
    { type: "code", source: "export default () => 1", timeout: 2, retry },
  ]));
  assert.deepEqual(faults.map(({ path, message }) => `${path.join(".")} ${message}`), [
    "0.timeout is not used by flow",
    "0.retry is not used by flow",
    "1.steps.0.retry is not used by wait",
  ]);
});

Deno.test("program: wrong members of what every run defines", () => {
  const faults = unknownNames(stepsOf([
    { type: "mutation", id: "set", set: { a: 1 } },
    {
      type: "return",
      data: [
        "{run.dat} {run.date}",
        "{user.nme}",
        "{steps.set.bdy.a} {steps.set.body.a}",
        "{= user.role }",
        "{trigger.due_date} {trigger.due}",
      ],
    },
  ]));
  assert.deepEqual(faults.map(({ path, message }) => `${path.join(".")} ${message}`), [
    "1.data.0 has {run.dat}, and {run} has id, date, started_at, trigger",
    "1.data.1 has {user.nme}, and {user} has id, login, name, email, role",
    "1.data.2 has {steps.set.bdy}, and {steps.set} has status, body, error",
    "1.data.4 has {trigger.due}, and {trigger} has kind, cron_id, due_at, due_date, timezone",
  ]);
  const own = [{ type: "mutation", set: { trigger: { due: 1 } } }, { type: "return", data: "{trigger.due}" }];
  assert.deepEqual(unknownNames(stepsOf(own)), []);
});

Deno.test("program: names and steps of items that are worked on at once end with the item", () => {
  const faultsWith = (at_once: number) =>
    unknownNames(stepsOf([
      { type: "mutation", set: { a: 1 } },
      {
        type: "for_each",
        id: "each",
        items: [1],
        at_once,
        steps: [
          { type: "mutation", id: "inner", set: { a: 2, b: 3 } },
          { type: "if", condition: "{b} > 1", then: [{ type: "mutation", set: { c: "{steps.inner.body}" } }] },
          {
            type: "for_each",
            as: "deep",
            items: [1],
            at_once,
            steps: [{ type: "mutation", set: { d: "{c} {deep}" } }],
          },
          { type: "mutation", set: { e: "{d}" } },
        ],
      },
      { type: "return", data: ["{a} {steps.each.body}", "{b|default:0}", "{= steps.inner.body.b }"] },
    ])).map(({ path, message }) => `${path.join(".")} ${message.split(":", 1)}`);
  assert.deepEqual(faultsWith(1), []);
  const ends = "which ends with its item in a loop with at_once";
  assert.deepEqual(faultsWith(2), [
    `1.steps.3.set.e has {d}, ${ends}`,
    `2.data.1 has {b}, ${ends}`,
    `2.data.2 has {steps.inner}, ${ends}`,
  ]);
});

Deno.test("program: placeholders of other tools stay texts, with a warning", () => {
  const faults = unknownNames(
    stepsOf([{
      type: "return",
      data: { a: "Hello {{ input.name }}", b: '{{"x": 1}}', c: "{{$json.id}} {{$jso.id}}" },
    }]),
  );
  assert.deepEqual(faults.map(({ path, message }) => `${path.join(".")} ${message}`), [
    "0.data.a has {{ input.name }}, which stays a text: a placeholder has single braces, as in {input.name}",
    "0.data.c has {{$json.id}}, which stays a text: a placeholder has single braces, as in {json_object.id}",
  ]);
});

Deno.test("program: placeholders in choices, labels and cases stay texts, with a warning", () => {
  const faults = unknownNames(stepsOf([
    {
      type: "approval",
      question: "{input.sum}?",
      choices: ["pay {input.sum|round:2}", "{no}"],
      form: { note: { label: "For {user.name}" }, other: {} },
      roles: ["admin"],
    },
    { type: "switch", value: "{input.a}", cases: { "{input.b}": [], "{}": [] } },
  ]));
  const plain = "which stays a text: there are no placeholders here";
  assert.deepEqual(faults.map(({ path, message }) => `${path.join(".")} ${message}`), [
    `0.choices has {input.sum|round:2}, ${plain}`,
    `0.form has {user.name}, ${plain}`,
    `1.cases has {input.b}, ${plain}`,
  ]);
});

Deno.test("program: names and ids of disabled steps are not there, and their own templates are not looked at", () => {
  const faults = unknownNames(stepsOf([
    { type: "mutation", id: "off", disabled: true, set: { a: "{none}" } },
    { type: "if", disabled: true, condition: "{input} exists", then: [{ type: "mutation", id: "in", set: { b: 1 } }] },
    { type: "return", data: ["{a}", "{b}", "{steps.off.body}", "{steps.in.body}"] },
  ]));
  assert.deepEqual(faults.map(({ message }) => message), [
    "has {a}, which no step sets",
    "has {b}, which no step sets",
    "has {steps.off}, and this step is disabled",
    "has {steps.in}, and this step is disabled",
  ]);
});

Deno.test("program: a function that JSONata does not have is a warning at its place", () => {
  const faults = unknownNames(stepsOf([
    { type: "mutation", set: { sum: "{= $sums(input.prices) }" } },
    { type: "if", condition: "{= $count(input.prices) > 3 }", then: [{ type: "return", data: ["{= $foo }"] }] },
  ]));
  assert.deepEqual(faults.map(({ path, message }) => `${path.join(".")} ${message.split(",", 1)}`), [
    "0.set.sum has $sums",
    "1.then.0.data.0 has $foo",
  ]);
});

Deno.test("program: steps without an id are numbered in order, skipping ids in use", () => {
  const nothing = { type: "mutation", set: {} };
  const steps = stepsOf([
    nothing,
    { ...nothing, id: "step_2" },
    {
      type: "if",
      condition: "{input} exists",
      then: [nothing, { type: "for_each", items: [1], steps: [nothing] }],
      else: [nothing],
      on_error: "catch",
      catch: [{ ...nothing, id: "caught" }, nothing],
    },
    nothing,
  ]);
  const seen = [...walk(steps)].map(({ step, path, depth }) => `${step.id} ${path.join(".")} ${depth}`);
  assert.deepEqual(seen, [
    "step_1 0 1",
    "step_2 1 1",
    "step_3 2 1",
    "step_4 2.then.0 2",
    "step_5 2.then.1 2",
    "step_6 2.then.1.steps.0 3",
    "step_7 2.else.0 2",
    "caught 2.catch.0 2",
    "step_8 2.catch.1 2",
    "step_9 3 1",
  ]);
});

Deno.test("program: reading changes nothing, is repeatable, and keeps the order of names", () => {
  const program = [{ type: "mutation", set: { zebra: 1, apple: "{zebra}", mango: "{apple}" } }, { type: "return" }];
  const before = JSON.stringify(program);
  assert.deepEqual(stepsOf(program), stepsOf(JSON.parse(before)));
  assert.equal(JSON.stringify(program), before);
  const [first] = stepsOf(program);
  assert.deepEqual(first?.type === "mutation" && Object.keys(first.set ?? {}), ["zebra", "apple", "mango"]);
});

Deno.test("program: defaults of a retry, a loop and a return", () => {
  const [call, loop, end] = stepsOf([
    { type: "connector", connector_code: "fx", method: "latest", retry: {} },
    { type: "for_each", items: "{input.all}", steps: [] },
    { type: "return" },
  ]);
  assert.deepEqual(call?.retry, {
    attempts: 3,
    delay: 1,
    backoff: "exponential",
    max_delay: 60,
    on: ["network", "timeout", 429, "5xx"],
  });
  assert.equal(loop?.type === "for_each" && loop.as, "item");
  assert.equal(end?.type === "return" && end.data, null);
});

Deno.test("program: a short condition becomes the tree, inside of trees, too", () => {
  const [step] = stepsOf([{
    type: "if",
    condition: { any: ["{a} > 1 and {b} exists", { not: "{a} == 'x'" }] },
    then: [],
  }]);
  assert.deepEqual(step?.type === "if" && step.condition, {
    any: [
      { all: [{ left: "{a}", operator: "gt", right: 1 }, { left: "{b}", operator: "exists" }] },
      { not: { left: "{a}", operator: "eq", right: "x" } },
    ],
  });
});

Deno.test("program: a mutation may use earlier names and its own earlier value", () => {
  for (
    const set of [{ a: 1, b: "{a}", c: "{a}{b}" }, { sum: "{sum} more" }, { b: "{a}", a: 1 }, { a: "{b.a}", c: "{a}" }]
  ) {
    stepsOf([{ type: "mutation", set }]);
  }
  const read = parseProgram([{ type: "mutation", set: { x: "{b}", a: "{b}", b: { deep: ["{a.x|default:1}"] } } }]);
  assert.deepEqual(read, { faults: [{ path: [0, "set", "a"], message: "needs itself in a circle: a → b → a" }] });
});

Deno.test("program: an invalid program is reported, and the reader never throws", () => {
  const deep = (open: string, close: string) => JSON.parse(`${open.repeat(50_000)}1${close.repeat(50_000)}`);
  const circular: unknown[] = [];
  circular.push(circular);
  const values: [value: unknown, path: string, message: string][] = [
    [undefined, "", "can't be blank"],
    [null, "", "can't be blank"],
    ["[]", "", "must be an array"],
    [[new Date()], "0", "must be JSON"],
    [[new Map()], "0", "must be JSON"],
    [[1n], "0", "must be JSON"],
    [[() => 1], "0", "must be JSON"],
    [[NaN], "0", "must be a finite number"],
    [[undefined], "0", "must be JSON"],
    [deep("[", "]"), Array(64).fill(0).join("."), "is nested deeper than 64 levels"],
    [deep('[{"then":', "}]"), Array(32).fill("0.then").join("."), "is nested deeper than 64 levels"],
    [[Array(500_000).fill(1)], "", "is too long (maximum is 262144 bytes of JSON)"],
    [circular, Array(64).fill(0).join("."), "is nested deeper than 64 levels"],
  ];
  for (const [value, path, message] of values) {
    const read = parseProgram(value);
    assert.ok("faults" in read);
    assert.deepEqual(read.faults.map(({ path, message }) => [path.join("."), message]), [[path, message]]);
  }
});

Deno.test("program: at most 50 faults are reported", () => {
  const read = parseProgram(Array(200).fill({ type: "mutation", set: { a: "{" } }));
  assert.equal("faults" in read && read.faults.length, 50);
});

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).map((value): JsonValue => JSON.parse(JSON.stringify(value))),
  fc.constantFrom<JsonValue>("{", "{a}", "{a} > 1", [], {}, -1, 0, 1e9, "if", "catch", { type: "return" }, [{
    type: "return",
  }]),
);

/** A copy of the value in which one part is replaced, or a key is added. */
function changed(value: JsonValue, path: readonly number[], part: JsonValue, key: string): JsonValue {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== "object" || value === null) return part;
  const keys = Object.keys(value);
  const at = keys[first % (keys.length + 1)] ?? key;
  const inner = Object.hasOwn(value, at) ? Object.entries(value).find(([name]) => name === at)?.[1] ?? null : null;
  const becomes = changed(inner, rest, part, key);
  if (Array.isArray(value)) return keys.includes(at) ? value.with(Number(at), becomes) : [...value, becomes];
  return Object.fromEntries([...Object.entries(value).filter(([name]) => name !== at), [at, becomes]]);
}

Deno.test("program: property: a changed program is read, or its faults have paths into it", () => {
  const program: JsonValue = JSON.parse(JSON.stringify(EXAMPLE));
  let read_again = 0;
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 6 }), odd, fc.string(), (path, part, key) => {
      const other = changed(program, path, part, key);
      const read = parseProgram(other);
      if ("steps" in read) {
        read_again++;
        const ids = [...walk(read.steps)].map(({ step }) => step.id);
        assert.equal(new Set(ids).size, ids.length);
        assert.ok(ids.every((id) => /^[a-z][a-z0-9_]{0,39}$/.test(id)));
        return;
      }
      assert.ok(read.faults.length > 0);
      for (const { path, message } of read.faults) {
        assert.doesNotMatch(message, /undefined|\[object|Invalid/);
        // A missing key has no value at its path, but the step around it exists.
        const there = path.slice(0, -1).reduce<unknown>((value, key) => Object(value)[key], other);
        assert.notEqual(there, undefined, `${path.join(".")} in ${JSON.stringify(other)}`);
      }
    }),
    { numRuns: 2_000 },
  );
  assert.ok(read_again > 20, "some of them are programs");
});
