/** Steps that decide what is executed, how often, and how a run ends. */
import assert from "node:assert/strict";
import { until } from "../stage/until.ts";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

const get = (path: string, more: Record<string, unknown> = {}) => ({
  type: "connector",
  connector_code: "api",
  method: "get",
  params: { path },
  ...more,
});
const set = (id: string, values: Record<string, unknown>) => ({ type: "mutation", id, set: values });
const give = (data: unknown) => ({ type: "return", data });

interface Case {
  name: string;
  program: unknown[];
  input?: Record<string, unknown>;
  status?: string;
  data?: unknown;
  error?: string | RegExp;
  /** In the order of execution. */
  places?: string[];
}

const PAGES = {
  type: "repeat",
  id: "pages",
  while: "{json_object.next} exists",
  collect: "{json_object.items}",
  steps: [get("page_{index}")],
};
const ORDER = {
  type: "switch",
  id: "order",
  value: "{input.state}",
  cases: { paid: [set("ship", { word: "shipped" })], "402": [give("to pay")] },
  else: [{ type: "fail", message: "Order {input.state}?", data: { state: "{input.state}" } }],
};
const items = (more: Record<string, unknown>) => ({ type: "for_each", id: "each", items: "{input.list}", ...more });

const CASES: Case[] = [
  {
    name: "switch: the case of the value",
    program: [ORDER, give("{word}")],
    input: { state: "paid" },
    data: "shipped",
  },
  { name: "switch: a number names its case", program: [ORDER], input: { state: 402 }, data: "to pay" },
  {
    name: "fail: ends the run with its words and data",
    program: [ORDER, give("not reached")],
    input: { state: "lost" },
    status: "error",
    error: "Order lost?",
    data: { state: "lost" },
    places: ["order", "step_2"],
  },
  {
    name: "fail: a catch around it sees its words",
    program: [
      {
        ...items({ steps: [{ type: "fail", id: "no", message: "No {item}", data: 1 }] }),
        on_error: "catch",
        catch: [
          give("{steps.no}"),
        ],
      },
    ],
    input: { list: ["way"] },
    data: { status: "error", body: 1, error: "No way" },
  },
  {
    name: "repeat: until there is no next page",
    program: [PAGES],
    data: [1, 2, 3],
    places: [
      "pages",
      "pages.0.step_1",
      "pages.1.step_1",
      "pages.2.step_1",
    ],
  },
  {
    name: "repeat: the limit is a failure, and what was collected is kept",
    program: [{ ...PAGES, most: 2, on_error: "continue" }, give(["{steps.pages}", "{index|default:none}"])],
    data: [{ status: "error", body: [1, 2], error: "most: while still holds after 2 rounds" }, "none"],
  },
  {
    name: "repeat: a list of very many items is collected",
    program: [
      { type: "repeat", id: "all", while: "false == true", collect: "{input.list}", steps: [set("none", {})] },
      give("{steps.all.body.length}"),
    ],
    input: { list: Array.from({ length: 200_000 }, () => 1) },
    data: 200_000,
  },
  {
    name: "repeat: without collect the output is the number of rounds, and a return ends it",
    program: [
      { type: "repeat", id: "two", while: "{index} < 1", steps: [set("a", { n: "{index}" })] },
      { type: "repeat", id: "one", while: "{index} < 9", steps: [give(["{steps.two.body}", "{n}"])] },
    ],
    data: [{ count: 2 }, 1],
  },
  {
    name: "for_each: collect has what became of each item, and one that fails does not end it",
    program: [items({ collect: true, steps: [get("{item}")] })],
    input: { list: ["page_2", "missing", "bare"] },
    data: [
      { item: "page_2", status: 200, body: { items: [3] }, error: null },
      { item: "missing", status: 404, body: "not found", error: /^each\.1\.step_1: .*404/ },
      { item: "bare", status: 200, body: null, error: null },
    ],
  },
  {
    name: "for_each: several at once, each with names of its own, in the order of the items",
    program: [
      set("first", { word: "before" }),
      items({
        at_once: 20,
        collect: true,
        steps: [set("a", { word: "{item}" }), get("{word}"), set("b", { all: "{word} {index}" })],
      }),
      give(["{steps.each.body}", "{word}", "{item|default:gone}", "{steps.a}"]),
    ],
    input: { list: ["page_0", "page_1"] },
    data: [
      [
        { item: "page_0", status: "finished", body: { all: "page_0 0" }, error: null },
        { item: "page_1", status: "finished", body: { all: "page_1 1" }, error: null },
      ],
      "before",
      "gone",
      null,
    ],
    places: [
      "first",
      "each",
      ..."each.0.a each.0.step_1 each.0.b each.1.a each.1.step_1 each.1.b".split(" "),
      "step_2",
    ],
  },
  {
    name: "for_each: the first item in the list that returns or fails decides, not the fastest",
    program: [items({ at_once: 3, steps: [get("{item}"), give("{item}")] })],
    input: { list: ["slow", "missing", "page_1"] },
    data: "slow",
  },
  {
    name: "for_each: the limit of steps holds for all items together",
    program: [items({ at_once: 7, collect: true, steps: [set("a", {}), set("b", {}), set("c", {})] })],
    input: { list: Array.from({ length: 400 }, (_, n) => n) },
    status: "error",
    error: /more than 1000 steps$/,
  },
  {
    name: "return: from inside of every branch",
    program: [{
      ...items({
        at_once: 2,
        steps: [{
          type: "repeat",
          while: "{index} < 9",
          steps: [{
            type: "switch",
            value: "{index}",
            cases: {
              "2": [{
                ...get("missing"),
                on_error: "catch",
                catch: [
                  { type: "if", condition: "{item} == 1", then: [give("{item}.{index}")] },
                ],
              }],
            },
          }],
        }],
      }),
    }],
    input: { list: [0, 1] },
    data: "1.2",
  },
];

inTeam("control: switch, fail, repeat, for_each and return", async ({ api, run }, t) => {
  for (const [page, next] of [[0, 1], [1, 2], [2, undefined]]) {
    api.answers.set(`/page_${page}`, () => Response.json({ items: [Number(page) + 1], next }));
  }
  api.answers.set("/bare", () => Response.json(null));
  // Answers after all others.
  api.answers.set("/slow", async () => {
    await until(() => api.count("/page_1") >= 3 && api.count("/missing") >= 2, "the other items were called");
    return Response.json("slow");
  });
  for (const { name, program, input, status = "finished", data, error, places } of CASES) {
    await t.step(name, async () => {
      const ended = await run(program, input);
      assert.deepEqual([ended.status, ended.process.status], [status, status], JSON.stringify(ended.process.error));
      if (data !== undefined) matches(ended.data, data);
      if (error !== undefined) matches(ended.process.error, error);
      if (places) assert.deepEqual(ended.process.steps.map(({ place }: { place: string }) => place), places);
    });
  }
});

/** Equal, where an expected pattern stands for a text. */
function matches(found: unknown, expected: unknown): void {
  if (expected instanceof RegExp) return assert.match(String(found), expected);
  if (typeof expected !== "object" || expected === null) return assert.deepEqual(found, expected);
  assert.deepEqual(Object.keys(Object(found)), Object.keys(expected));
  for (const [key, part] of Object.entries(expected)) matches(Reflect.get(Object(found), key), part);
}

inTeam("control: at_once is how many calls wait at a time", async ({ api, run }) => {
  let open = 0;
  let most = 0;
  const full = Promise.withResolvers<void>();
  api.answers.set("/call", async () => {
    most = Math.max(most, ++open);
    if (open === 4) full.resolve();
    await full.promise;
    open--;
    return Response.json(null);
  });
  const list = Array.from({ length: 12 }, (_, n) => n);
  const ended = await run([items({ at_once: 4, steps: [get("call")] })], { list });
  assert.deepEqual([ended.status, most], ["finished", 4]);
});

inTeam("control: what is not a program is refused at its path", async ({ ask }) => {
  const program = [
    { type: "switch", value: "{a}", cases: {} },
    { type: "switch", value: "{a}", cases: { b: [{ type: "fail" }] } },
    { type: "repeat", steps: [] },
    { type: "for_each", items: "{a}", at_once: 21, steps: [] },
  ];
  const flow = { name: "Wrong", fields: { program } };
  const { status, body } = await ask("POST", "/connect/flows.json", { json: { flow } });
  assert.equal(status, 422);
  assert.deepEqual(Object.keys(body.errors ?? body.fields ?? body).toSorted(), [
    "fields.program.0.cases",
    "fields.program.1.cases.b.0.message",
    "fields.program.2.while",
    "fields.program.3.at_once",
  ]);
});
