/** Expressions in every place where templates are. */
import assert from "node:assert/strict";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

const ITEMS = [{ name: "Pen", price: 2, count: 10 }, { name: "Ink", price: 8.5, count: 1 }];

inTeam("expressions: in mutations, conditions, loops, calls and results, with on_error", async (team) => {
  team.api.answers.set("/orders", () => Response.json({ ok: true }));
  const { process, data } = await team.run([
    { type: "mutation", id: "sums", set: { items: [], total: "{= $sum(items.(price * count)) }", text: "{total}!" } },
    { type: "mutation", id: "bad", on_error: "continue", set: { kept: 1, total: "{= total + items }", text: "lost" } },
    {
      type: "for_each",
      items: "{= items[price > 5][] }",
      as: "item",
      steps: [{ type: "mutation", id: "dear", set: { dear: "{= item.name & '-' & index }" } }],
    },
    {
      type: "for_each",
      items: "{= [1..3] }",
      at_once: 3,
      collect: true,
      id: "several",
      steps: [
        { type: "mutation", id: "square", set: { square: "{= item * item }" } },
      ],
    },
    {
      type: "connector",
      id: "order",
      connector_code: "api",
      method: "post",
      params: { path: "orders", body: "{= { 'count': $count(items), 'total': total } }" },
    },
    {
      type: "if",
      id: "which",
      condition: "{= $max(items.price) } > 8 and {= $exists(items.gone) } == false",
      then: [{
        type: "return",
        data: { total: "{total}", text: "{text}", several: "{= steps.several.body.body.square }", bad: "{= kept }" },
      }],
    },
  ], { items: ITEMS });
  assert.deepEqual(process.error, null);
  assert.deepEqual(data, { total: 28.5, text: "28.5!", several: [1, 4, 9], bad: null });
  const step = (place: string) => process.steps.find((one: { place: string }) => one.place === place);
  assert.match(step("bad").error, /^\{= total \+ items \} .*\(at character \d+\)$/);
  assert.deepEqual(step("step_1.0.dear")?.output ?? step("step_2.0.dear")?.output, { dear: "Ink-0" });
  assert.deepEqual(JSON.parse(team.api.calls.at(-1)?.body ?? "null"), { count: 2, total: 28.5 });
  assert.deepEqual(step("which").compared.map(({ left }: { left: unknown }) => left), [8.5, false]);
});

inTeam("expressions: random values and the clock are those of the run and its step", async (team) => {
  const values = ["{= $random() }", "{= $millis() }", "{= run.started_at }"];
  const { data } = await team.run([
    { type: "mutation", set: { one: values[0], other: values[0] } },
    { type: "return", data: ["{one}", "{other}", ...values] },
  ]);
  assert.equal(new Set(data.slice(0, 3)).size, 3);
  assert.equal(data[3], Date.parse(data[4]));
});

inTeam("expressions: base64 is that of UTF-8, as in filters", async ({ run }) => {
  const { data } = await run([
    { type: "mutation", id: "bad", on_error: "continue", set: { x: "{= $base64decode('/w==') }" } },
    { type: "return", data: ["{= $base64encode(input.t) }", "{input.t|base64}", "{= $base64decode('xYHDsyE=') }"] },
  ], { t: "Łó!" });
  assert.deepEqual(data, ["xYHDsyE=", "xYHDsyE=", "Łó!"]);
});
