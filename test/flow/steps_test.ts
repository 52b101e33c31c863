/** Each step type, and its failures. */
import assert from "node:assert/strict";
import { says } from "../stage/scenario.ts";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

const get = (path: string, more: Record<string, unknown> = {}) => ({
  type: "connector",
  connector_code: "api",
  method: "get",
  params: { path },
  ...more,
});
// deno-lint-ignore no-explicit-any -- a test states what it expects
const step = (process: any, place: string) => process.steps.find((step: any) => step.place === place);

interface Case {
  name: string;
  program: unknown[];
  input?: Record<string, unknown>;
  status?: string;
  data?: unknown;
  error?: RegExp;
  /** Places of the steps, in the order of execution. */
  places?: string[];
  warnings?: Record<string, RegExp>;
}

const CASES: Case[] = [
  { name: "an empty program returns null", program: [], data: null, places: [] },
  {
    name: "without a return the last step's output is the data",
    program: [{ type: "mutation", set: { a: 1 } }, { type: "mutation", set: { b: "{a}" } }],
    data: { b: 1 },
    places: ["step_1", "step_2"],
  },
  {
    name: "a disabled step is left out, with the steps inside it, and is not the first mutation",
    program: [
      { type: "mutation", disabled: true, set: { a: 1 } },
      { type: "if", disabled: true, condition: "1 == 1", then: [{ type: "fail", message: "no" }] },
      { type: "mutation", id: "on", disabled: false, set: { a: 2 } },
      { type: "return", id: "off", disabled: true, data: 1 },
      { type: "return", data: "{a}" },
    ],
    input: { a: 3 },
    data: 3,
    places: ["on", "step_4"],
  },
  {
    name: "the caller overrides the names that the first mutation declares, and no others",
    program: [
      { type: "mutation", set: { base: "EUR", n: 1 } },
      { type: "mutation", set: { later: "mine" } },
      { type: "return", data: ["{base}", "{n}", "{later}", "{other}", "{input.other}"] },
    ],
    input: { base: "USD", later: "yours", other: 7 },
    data: ["USD", 1, "mine", null, 7],
    warnings: { step_3: /other/ },
  },
  {
    name: "the run and its user are there for templates",
    program: [{ type: "return", data: ["{run.trigger}", "{user.role}", "{run.date}"] }],
    data: ["manual", "admin", /^\d{4}-\d\d-\d\d$/],
  },
  {
    name: "a connector's body is json_object and its step's body, its status the answer's",
    program: [get("rates", { id: "rates" }), { type: "return", data: ["{json_object.mid}", "{steps.rates}"] }],
    data: [4.7, { status: 200, body: { mid: 4.7 }, error: null }],
  },
  {
    name: "all steps as a value are those before, and stay as they were",
    program: [
      { type: "mutation", id: "one", set: { a: 1 } },
      { type: "mutation", id: "two", set: { seen: "{steps}" } },
      { type: "return", data: ["{seen.one.body.a}", "{seen.two}", "{steps.two.status}"] },
    ],
    data: [1, null, "finished"],
  },
  {
    name: "an if takes one branch, whose steps are listed after it",
    program: [
      { type: "mutation", set: { n: 5 } },
      {
        type: "if",
        id: "big",
        condition: "{n} > 3",
        then: [{ type: "mutation", id: "yes", set: { r: "big" } }],
        else: [
          { type: "mutation", id: "no", set: { r: "small" } },
        ],
      },
      { type: "return", data: "{r}" },
    ],
    data: "big",
    places: ["step_1", "big", "yes", "step_2"],
  },
  {
    name: "an ordering against a missing value is false, with a warning",
    program: [{ type: "if", id: "cond", condition: "{nothing.here} > 3", then: [], else: [] }],
    data: false,
    warnings: { cond: /nothing/ },
  },
  {
    name: "for_each goes over a list, with its index, and a return ends it",
    program: [
      { type: "mutation", set: { found: null } },
      {
        type: "for_each",
        id: "each",
        items: "{input.list}",
        as: "word",
        steps: [{
          type: "if",
          id: "is",
          condition: { left: "{word}", operator: "eq", right: "b" },
          then: [{ type: "return", data: "{index}: {word}" }],
        }],
      },
    ],
    input: { list: ["a", "b", "c"] },
    data: "1: b",
    places: ["step_1", "each", "each.0.is", "each.1.is", "each.1.step_2"],
  },
  {
    name: "for_each that fails leaves the names as they were before it",
    program: [
      { type: "mutation", set: { seen: [] } },
      {
        type: "for_each",
        id: "outer",
        items: ["A", "B"],
        steps: [
          {
            type: "for_each",
            id: "inner",
            items: ["x", "y"],
            on_error: "continue",
            steps: [{ type: "for_each", id: "fails", items: "{item}", steps: [] }],
          },
          { type: "mutation", id: "note", set: { seen: ["{seen.0}", "{seen.1}", "{item}", "{index}"] } },
        ],
      },
      { type: "return", data: "{seen}" },
    ],
    data: [null, null, "B", 1],
  },
  {
    name: "a mutation that makes too much is a clear error, before it has made it all",
    program: [{
      type: "mutation",
      id: "grow",
      set: Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`n${n}`, "{input.text}-"])),
    }],
    input: { text: "x".repeat(700_000) },
    status: "error",
    error: /^grow: the run's context is larger than 1 MiB$/,
  },
  {
    name: "for_each over a value that is not a list is an error",
    program: [{ type: "for_each", id: "each", items: "{input.list}", steps: [] }],
    input: { list: 7 },
    status: "error",
    error: /each: items is no list/,
  },
  {
    name: "a failed step ends the run with its place",
    program: [get("missing", { id: "call" }), { type: "mutation", set: { never: 1 } }],
    status: "error",
    error: /^call: .*404/,
    places: ["call"],
  },
  {
    name: "on_error continue goes on with the next one",
    program: [get("missing", { id: "call", on_error: "continue" }), { type: "return", data: "{steps.call.status}" }],
    data: 404,
  },
  {
    name: "on_error catch does its steps instead",
    program: [
      get("missing", { id: "call", on_error: "catch", catch: [{ type: "mutation", id: "plan_b", set: { rate: 1 } }] }),
      { type: "return", data: ["{rate}", "{steps.call.error}"] },
    ],
    data: [1, /404/],
    places: ["call", "plan_b", "step_1"],
  },
  {
    name: "a failure inside an if is the if's failure, too",
    program: [
      { type: "if", id: "outer", condition: "1 == 1", then: [get("missing", { id: "call" })], on_error: "continue" },
      { type: "return", data: "{steps.outer.status}" },
    ],
    data: "error",
  },
  {
    name: "more than 1,000 executed steps are too many",
    program: [{
      type: "for_each",
      items: "{input.list}",
      steps: [{ type: "mutation", set: { a: 1 } }, { type: "mutation", set: { b: 1 } }],
    }],
    input: { list: Array.from({ length: 600 }, () => 1) },
    status: "error",
    error: /more than 1000 steps/,
  },
  {
    name: "numbers beyond 2^53 and 1e400 in an answer pass through as texts, and compare exactly",
    program: [
      get("numbers", { id: "call" }),
      {
        type: "if",
        id: "same",
        condition: { left: "{json_object.id}", operator: "eq", right: "12345678901234567891" },
        then: [{ type: "return", data: "rounded" }],
      },
      { type: "return", data: ["{json_object.id}", "{json_object.huge}", "{json_object.n}"] },
    ],
    data: ["12345678901234567890", "1e400", 7],
  },
  {
    name: "an answer that no run can hold is not read, and is its step's error",
    program: [get("huge", { id: "call", on_error: "continue" }), { type: "return", data: "{steps.call.error}" }],
    data: /^the answer is larger than 2,097,152 bytes/,
  },
  {
    name: "more than 1 MiB of context is too much",
    program: [get("large", { id: "a" }), get("large", { id: "b" }), get("large", { id: "c" })],
    status: "error",
    error: /1 MiB/,
  },
  {
    name: "an output that a later iteration replaces does not count",
    program: [
      get("large", { id: "a" }),
      { type: "for_each", id: "each", items: [1, 2, 3], steps: [get("large", { id: "b" })] },
      { type: "return", data: "done" },
    ],
    data: "done",
  },
];

inTeam("flow steps: each kind, and what goes wrong", async ({ api, run }, t) => {
  api.answers.set("/rates", () => Response.json({ mid: 4.7 }));
  api.answers.set("/large", () => Response.json({ text: "x".repeat(500_000) }));
  const numbers = `{"id":12345678901234567890,"huge":1e400,"n":7}`;
  api.answers.set("/numbers", () => new Response(numbers, { headers: { "content-type": "application/json" } }));
  api.answers.set("/huge", () => new Response("x".repeat(3 * 2 ** 20)));
  for (const { name, program, input, status = "finished", data, error, places, warnings } of CASES) {
    await t.step(name, async () => {
      const answer = await run(program, input);
      assert.equal(answer.status, status, JSON.stringify(answer.process));
      if (error) assert.match(answer.error, error);
      else says(answer.data, data);
      assert.equal(answer.process.status, status);
      if (places) assert.deepEqual(answer.process.steps.map((step: { place: string }) => step.place), places);
      for (const [place, pattern] of Object.entries(warnings ?? {})) {
        assert.match(step(answer.process, place).warnings.join(), pattern);
      }
    });
  }
});

inTeam("flow steps: retries are used up before on_error counts, with one idempotency key", async ({ api, run }) => {
  const path = `/shaky_${crypto.randomUUID()}`;
  api.answers.set(path, (call) => call < 3 ? new Response("down", { status: 503 }) : Response.json({ call }));
  const retry = { attempts: 3, delay: 0, backoff: "fixed", on: ["5xx"] };
  const answer = await run([get(path.slice(1), { id: "call", retry })]);
  assert.deepEqual([answer.status, answer.data], ["finished", { call: 3 }]);
  assert.equal(step(answer.process, "call").attempts, 3);
  const keys = api.calls.filter((call) => call.path === path).map(({ headers }) => headers.get("idempotency-key"));
  assert.deepEqual(keys, Array(3).fill(`${answer.flow_process_id}:call`));

  const other = `/gone_${crypto.randomUUID()}`;
  api.answers.set(other, () => new Response("gone", { status: 410 }));
  const refused = await run([get(other.slice(1), { retry })]);
  assert.equal(refused.status, "error");
  assert.equal(api.count(other), 1, "a status that retry does not name is not tried again");
});

inTeam("flow steps: a call that takes too long is cut off, and may be tried again", async ({ api, run }) => {
  const path = `/slow_${crypto.randomUUID()}`;
  const late = Promise.withResolvers<Response>();
  api.answers.set(path, (call) => call > 1 ? Response.json(1) : late.promise);
  const retry = { attempts: 2, delay: 0, on: ["timeout"] };
  const answer = await run([get(path.slice(1), { id: "call", timeout: 1, retry })]);
  late.resolve(Response.json(0));
  assert.deepEqual([answer.status, answer.data, api.count(path)], ["finished", 1, 2]);
});

inTeam("flow steps: what an API sends that cannot be stored becomes a replacement character", async ({ api, run }) => {
  api.answers.set("/odd", () =>
    new Response(String.raw`{"a":"x\u0000y","b":"\ud800","c":"\\u0000"}`, {
      headers: { "content-type": "application/json" },
    }));
  const answer = await run([get("odd")]);
  const stored = { a: "x\ufffdy", b: "\ufffd", c: "\\u0000" };
  assert.deepEqual(answer.process.data, stored);
  assert.deepEqual(answer.data, stored, "who waits is told what is stored");
});

inTeam("flow steps: what the steps were given is kept up to a MiB, and the flow goes on", async ({ api, run }) => {
  api.answers.set("/take", () => Response.json({ ok: true }));
  const { status, process } = await run([{
    type: "for_each",
    id: "each",
    items: "{input.items}",
    steps: [{ ...get("take"), id: "send", params: { path: "take", text: "{input.text}" } }],
  }], { items: [1, 2, 3], text: "x".repeat(400_000) });
  assert.equal(status, "finished");
  const sent = process.steps.filter(({ id }: { id: string }) => id === "send");
  assert.deepEqual(sent.map(({ input }: { input: unknown }) => input !== null), [true, true, false]);
  assert.match(sent[2].warnings[0], /more than 1 MiB/);
});

inTeam("flow steps: numbers beyond 2^53 in the input pass through as texts", async ({ ask, addFlow }) => {
  const { id } = await addFlow([{ type: "return", data: ["{input.id}", "{input.huge}"] }]);
  const { status, body } = await ask("POST", `/connect/flows/${id}/run.json`, {
    raw: `{"input":{"id":12345678901234567890,"huge":-1e400}}`,
    headers: { "content-type": "application/json" },
  });
  assert.deepEqual([status, body.data], [200, ["12345678901234567890", "-1e400"]]);
});
