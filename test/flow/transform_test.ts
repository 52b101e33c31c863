/** The step `transform`, and what mutations add to lists and objects. */
import assert from "node:assert/strict";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

const ORDERS = [
  { city: "Gdynia", price: 30, paid: true },
  { city: "Łódź", price: "12.5", paid: true },
  { city: "Gdynia", price: 99, paid: false },
  { city: null, paid: true },
  { city: "Gdynia", price: 8, paid: true },
];

/** The keys of a transform of `orders`, and its output. */
const ROWS: [keys: Record<string, unknown>, output: unknown][] = [
  [{}, ORDERS],
  [{ where: "{item.price} > 20", map: "{item.city}" }, ["Gdynia", "Gdynia"]],
  [{ where: "{= $number(item.price) > 20 }", map: "{= item.price * 2 }" }, [60, 198]],
  [{ map: "{index}:{item.city|default:-}", limit: 2 }, ["0:Gdynia", "1:Łódź"]],
  [{ map: "{item.price}", sort: "item" }, [8, "12.5", 30, 99, null]],
  [{ map: "{item.price}", sort: "-item" }, [99, 30, "12.5", 8, null]],
  [{ sort: ["-item.paid", "item.city", "-item.price"], map: "{item}", limit: 2 }, [ORDERS[0], ORDERS[4]]],
  [{ as: "order", map: "{order.city}", unique: "order" }, ["Gdynia", "Łódź", null]],
  [{ unique: "item.city", limit: 0 }, []],
  [{ where: "{item.city} exists", group: "item.city", map: { city: "{item.city}" } }, [
    { key: "Gdynia", items: [{ city: "Gdynia" }, { city: "Gdynia" }, { city: "Gdynia" }] },
    { key: "Łódź", items: [{ city: "Łódź" }] },
  ]],
  [{ reduce: { sum: { sum: "item.price" }, average: { average: "item.price" }, n: { count: "item.price" } } }, {
    sum: 149.5,
    average: 37.375,
    n: 4,
  }],
  [{ map: "{item.price|number|minus:0.9}", reduce: { total: { sum: "item" } } }, { total: 145.9 }],
  [{ reduce: { min: { min: "item.price" }, max: { max: "item.price" }, none: { max: "item.gone" } } }, {
    min: 8,
    max: 99,
    none: null,
  }],
  [{ reduce: { first: { first: "item.city" }, last: { last: "item.price" }, all: { list: "item.price" } } }, {
    first: "Gdynia",
    last: 8,
    all: [30, "12.5", 99, 8],
  }],
  [{ group: "item.city", reduce: { total: { sum: "item.price" }, n: { count: "item" } } }, [
    { key: "Gdynia", total: 137, n: 3 },
    { key: "Łódź", total: 12.5, n: 1 },
    { key: null, total: 0, n: 1 },
  ]],
];

inTeam("transform: its keys, one after the other, and its errors", async ({ run, addFlow, ask }) => {
  const { process, data } = await run([
    { type: "mutation", set: { orders: [], item: "outer" } },
    ...ROWS.map(([keys], index) => ({ type: "transform", id: `row_${index}`, from: "{orders}", ...keys })),
    { type: "transform", id: "no_list", from: "{run}", on_error: "continue" },
    { type: "transform", id: "null", from: "{gone}" },
    { type: "transform", id: "text", from: ["{run.id}"], reduce: { n: { sum: "item" } }, on_error: "continue" },
    { type: "transform", id: "many", from: "{= [1..50001] }", on_error: "continue", limit: 1 },
    {
      type: "transform",
      id: "dates",
      from: ["2026-10-25T02:15:00+01:00", "2026-10-25T02:30:00+02:00", "2026-10-25"],
      sort: "item",
    },
    { type: "return", data: "{item}" },
  ], { orders: ORDERS });
  const step = (place: string) => process.steps.find((one: { place: string }) => one.place === place);
  assert.equal(process.error, null);
  assert.equal(data, "outer", "the item is a name of the step alone");
  ROWS.forEach(([keys, output], index) => assert.deepEqual(step(`row_${index}`).output, output, JSON.stringify(keys)));
  assert.deepEqual(step("null").output, []);
  const by_moment = ["2026-10-25", "2026-10-25T02:30:00+02:00", "2026-10-25T02:15:00+01:00"];
  assert.deepEqual(step("dates").output, by_moment);
  assert.equal(step("no_list").error, "from is no list");
  assert.match(step("text").error, /^reduce: n: sum of item needs a number, not /);
  assert.equal(step("many").error, "from has more than 50000 items");

  const wrong = { type: "transform", from: "x", sort: "price", group: "other.city", reduce: { key: { sum: "item" } } };
  const flow = { kind: "platform/custom_flow", code: "wrong", name: "Wrong" };
  const { status, body } = await ask("POST", "/connect/flows.json", {
    json: { flow: { ...flow, fields: { program: [{ ...wrong, from: "{x}" }] } } },
  });
  assert.equal(status, 422);
  assert.deepEqual(body, {
    "fields.program.0.sort": ["must begin with item, such as item.price"],
    "fields.program.0.group": ["must begin with item, such as item.price"],
    "fields.program.0.reduce.key": ["is the name of the group"],
  });
  await addFlow([{ type: "transform", from: "{x}", sort: "-item" }]);
});

inTeam("mutations: append and merge add to what a name has, within the limit of the run's values", async ({ run }) => {
  const { process, data } = await run([
    { type: "mutation", append: { list: 0 }, set: { n: 1, half: "x".repeat(200) } },
    {
      type: "for_each",
      items: [1, 2],
      steps: [
        {
          type: "mutation",
          id: "add",
          append: { list: ["{item}"], list_2: "{list.length}" },
          merge: { seen: { last: "{item}", "n{item}": "{n}" } },
        },
      ],
    },
    { type: "mutation", id: "no_list", append: { list: 9, n: 1 }, on_error: "continue" },
    { type: "mutation", id: "no_object", merge: { list: {} }, on_error: "continue" },
    { type: "mutation", set: { big: "{half}" }, id: "grow", on_error: "continue" },
    {
      type: "for_each",
      on_error: "continue",
      id: "loop",
      items: "{= [1..30] }",
      steps: [{ type: "mutation", id: "too_much", append: { all: "{= $pad('', 50000, 'x') }" } }],
    },
    { type: "return", data: { list: "{list}", other: "{list_2}", seen: "{seen}", all: "{all.length}" } },
  ], { n: 7 });
  const step = (place: string) => process.steps.find((one: { place: string }) => one.place === place);
  assert.deepEqual(data, {
    list: [0, [1], [2]],
    other: [2, 3],
    seen: { last: 2, "n{item}": 7 },
    all: 19,
  });
  const [first] = process.steps;
  assert.deepEqual(first.output, { n: 7, half: "x".repeat(200), list: 0 });
  assert.equal(step("no_list").error, "append: n is no list");
  assert.equal(step("no_object").error, "merge: list is no object");
  assert.match(step("loop.19.too_much").error, /^the run's context is larger than 1 MiB/);
});
