/** The limit of a run's context: what is in scope counts, and exceeding it is the step's error. */
import assert from "node:assert/strict";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

const get = (path: string, more: Record<string, unknown> = {}) => ({
  type: "connector",
  connector_code: "api",
  method: "get",
  params: { path },
  ...more,
});

inTeam("context: a loop over 300 answers of 8 KB stays within it", async ({ api, run }) => {
  api.answers.set("/eight", () => Response.json({ text: "x".repeat(8_000) }));
  const { status, data } = await run([
    { type: "for_each", id: "each", items: Array.from({ length: 300 }, (_, n) => n), steps: [get("eight")] },
    { type: "return", data: "{index|default:done}" },
  ]);
  assert.deepEqual([status, data], ["finished", "done"]);
});

inTeam("context: an answer over 1 MiB is its step's error, which continue and catch tolerate", async ({ api, run }) => {
  api.answers.set("/large", () => Response.json({ text: "x".repeat(1_200_000) }));
  const continued = await run([
    get("large", { id: "large", on_error: "continue" }),
    { type: "return", data: ["{steps.large.error}", "{steps.large.body}"] },
  ]);
  assert.deepEqual([continued.status, continued.data], ["finished", ["the run's context is larger than 1 MiB", null]]);
  const caught = await run([
    get("large", { id: "large", on_error: "catch", catch: [{ type: "return", data: "caught" }] }),
  ]);
  assert.deepEqual([caught.status, caught.data], ["finished", "caught"]);
  const stopped = await run([get("large", { id: "large" })]);
  assert.deepEqual([stopped.status, stopped.error], ["error", "large: the run's context is larger than 1 MiB"]);
});

inTeam("context: pick keeps parts of an answer of several MiB", async ({ api, run, ask }) => {
  const items = Array.from({ length: 40 }, (_, n) => ({ id: n, text: "x".repeat(100_000) }));
  api.answers.set("/items", () => Response.json({ items, rates: [{ mid: 4.2 }] }));
  const { status, data, process } = await run([
    get("items", { id: "items", pick: { ids: "items.*.id", mid: "rates.0.mid", none: "rates.7.mid" } }),
    { type: "return", data: "{json_object}" },
  ]);
  assert.equal(status, "finished");
  assert.deepEqual(data, { ids: items.map(({ id }) => id), mid: 4.2, none: null });
  assert.deepEqual(process.steps[0].warnings, ["pick: the answer has no rates.7.mid"]);
  const one = await run([get("items", { pick: "items.*.id" }), { type: "return", data: "{json_object.1}" }]);
  assert.equal(one.data, 1, "a path alone is the output");
  api.answers.set("/gaps", () => Response.json([{ id: 1, tags: [{ a: 1 }, { b: 2 }] }, { tags: [] }, { id: null }]));
  const gaps = await run([get("gaps", { pick: { ids: "*.id", tags: "*.tags.*.a" } }), {
    type: "return",
    data: "{json_object}",
  }]);
  assert.deepEqual(gaps.data, { ids: [1, null, null], tags: [[1, null], [], null] });
  assert.deepEqual(gaps.process.steps[0].warnings, [
    "pick: 1 item has no *.id",
    "pick: 2 items have no *.tags.*.a",
  ]);
  const flow = {
    kind: "platform/custom_flow",
    name: "Bad",
    fields: { program: [get("items", { pick: { a: "b..c" } })] },
  };
  const refused = await ask("POST", "/connect/flows.json", { json: { flow } });
  assert.deepEqual([refused.status, Object.keys(refused.body)], [422, ["fields.program.0.pick.a"]]);
});

inTeam("context: the stored steps of a run are bounded, and what is left out is marked", async ({ api, run }) => {
  api.answers.set("/half", () => Response.json({ text: "x".repeat(500_000) }));
  const { status, process } = await run([
    {
      type: "for_each",
      id: "each",
      items: Array.from({ length: 12 }, (_, n) => n),
      steps: [get("half", { id: "half" })],
    },
  ]);
  assert.equal(status, "finished");
  const half = process.steps.filter(({ id }: { id: string }) => id === "half");
  assert.deepEqual(
    half.map(({ output, truncated = false }: { output: unknown; truncated?: boolean }) => [output === null, truncated]),
    [...Array(8).fill([false, false]), ...Array(4).fill([true, true])],
  );
});
