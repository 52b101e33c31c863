/** Repetition of runs: an output is reused only for the same place and the same input. */
import assert from "node:assert/strict";
import { made } from "../stage/people.ts";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

const retryPath = (id: string) => `/connect/flow_processes/${id}/retry.json`;

/** Calls `/<prefix>_<item>` for each item. */
const fanOut = (prefix: string, items: readonly string[], more: Record<string, unknown> = {}) => [
  {
    type: "for_each",
    id: "each",
    items,
    steps: [{
      type: "connector",
      id: "call",
      connector_code: "api",
      method: "get",
      params: { path: `${prefix}_{item}` },
      ...more,
    }],
  },
];

inTeam("retry: after an edit, an output from another input is not reused", async ({ ask, api, addFlow }) => {
  const prefix = crypto.randomUUID();
  const up = new Set(["a", "b", "x", "d"]);
  for (const item of ["a", "b", "c", "d", "x"]) {
    api.answers.set(
      `/${prefix}_${item}`,
      () => up.has(item) ? Response.json({ item }) : new Response("down", { status: 500 }),
    );
  }
  const flow = await addFlow(fanOut(prefix, ["a", "b", "c", "d"]));
  const run = (await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} })).body;
  assert.match(run.error, /^each\.2\.call: /);
  up.add("c");
  // The same number of items, one of them another one and two in another order.
  const program = fanOut(prefix, ["a", "x", "c", "b", "d"]);
  const edited = await ask("PATCH", `/connect/flows/${flow.id}.json`, { json: { flow: { fields: { program } } } });
  assert.equal(edited.status, 200);
  const again = made(await ask("POST", retryPath(run.flow_process_id), { json: { from: "failed_step" } }));
  assert.equal(again.status, "finished");
  const outputs = again.steps.filter(({ id }: { id: string }) => id === "call").map((
    { output }: { output: { item: string } },
  ) => output.item);
  assert.deepEqual(outputs, ["a", "x", "c", "b", "d"], "each item has its own answer");
  const counts = ["a", "x", "b", "c", "d"].map((item) => api.count(`/${prefix}_${item}`));
  assert.deepEqual(counts, [1, 1, 2, 2, 1], "only the first item is where it was");
});

inTeam("retry: failed_items repeats exactly the failed items of a loop", async ({ ask, api, addFlow }) => {
  const prefix = crypto.randomUUID();
  const items = ["a", "b", "c", "d", "e"];
  const down = new Set(["b", "e"]);
  for (const item of items) {
    api.answers.set(
      `/${prefix}_${item}`,
      () => down.has(item) ? new Response("down", { status: 500 }) : Response.json({ item }),
    );
  }
  const flow = await addFlow(fanOut(prefix, items, { on_error: "continue" }));
  const run = (await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} })).body;
  assert.equal(run.status, "finished");
  down.clear();
  const again = made(await ask("POST", retryPath(run.flow_process_id), { json: { from: "failed_items" } }));
  assert.deepEqual([again.status, again.retry_of], ["finished", run.flow_process_id]);
  assert.deepEqual(items.map((item) => api.count(`/${prefix}_${item}`)), [1, 2, 1, 1, 2]);
  assert.deepEqual(again.steps.filter(({ error }: { error: string | null }) => error !== null), []);
  const refused = await ask("POST", retryPath(again.id), { json: { from: "failed_items" } });
  assert.deepEqual([refused.status, refused.body.error], [409, "No step inside of a for_each has failed"]);
});
