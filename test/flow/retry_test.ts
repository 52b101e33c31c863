/** Repetition of runs: an output is reused only for the same place and the same input. */
import assert from "node:assert/strict";
import type { StepRecord } from "../../server/flow/flow.ts";
import { addPerson, made } from "../stage/people.ts";
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
  assert.deepEqual([refused.status, refused.body.error], [409, "No call and no item of a loop has failed"]);
});

inTeam("retry: failed_items repeats an item that a fail step or a branch has ended as a whole", async (team) => {
  const { ask, api, addFlow } = team;
  const prefix = crypto.randomUUID();
  const items = ["ready", "late", "broken"];
  const state = new Map<string, unknown>([["ready", true], ["late", false], ["broken", "no list"]]);
  for (const item of items) {
    api.answers.set(`/${prefix}_${item}`, () => Response.json({ value: state.get(item) }));
  }
  const [loop] = fanOut(prefix, items);
  const flow = await addFlow([{
    ...loop,
    collect: true,
    steps: [
      ...loop?.steps ?? [],
      {
        type: "if",
        id: "check",
        condition: { left: "{steps.call.body.value}", operator: "eq", right: false },
        then: [{ type: "fail", id: "stop", message: "{item} is not ready" }],
      },
      {
        type: "if",
        id: "odd",
        condition: { left: "{item}", operator: "eq", right: "broken" },
        then: [
          { type: "for_each", id: "inner", items: "{steps.call.body.value}", steps: [] },
        ],
      },
    ],
  }]);
  const run = (await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} })).body;
  const { steps } = (await ask("GET", `/connect/flow_processes/${run.flow_process_id}.json`)).body;
  const failed = steps.filter(({ status }: StepRecord) => status === "error").map(({ place }: StepRecord) => place);
  assert.deepEqual(failed, ["each.1.check", "each.1.stop", "each.2.odd", "each.2.inner"]);
  state.set("late", true).set("broken", []);
  const again = made(await ask("POST", retryPath(run.flow_process_id), { json: { from: "failed_items" } }));
  assert.deepEqual(again.steps.filter(({ error }: { error: string | null }) => error !== null), []);
  assert.deepEqual(items.map((item) => api.count(`/${prefix}_${item}`)), [1, 2, 2]);
});

inTeam("retry: failed_items repeats no call that succeeded, where the flow has handled what failed", async (team) => {
  const { ask, api, addFlow } = team;
  const prefix = crypto.randomUUID();
  const items = ["a", "b", "c"];
  const down = new Set(["c"]);
  for (const item of items) {
    api.answers.set(`/${prefix}_${item}`, () => new Response("{}", { status: down.has(item) ? 500 : 200 }));
  }
  const [loop] = fanOut(prefix, items, { on_error: "continue" });
  for (const on_error of ["continue", "catch"]) {
    down.add("c");
    const counts = items.map((item) => api.count(`/${prefix}_${item}`));
    const stop = { type: "fail", id: "stop", message: "noted", on_error, ...on_error === "catch" && { catch: [] } };
    const flow = await addFlow([{ ...loop, steps: [...loop?.steps ?? [], stop] }]);
    const run = (await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} })).body;
    assert.equal(run.status, "finished");
    down.clear();
    made(await ask("POST", retryPath(run.flow_process_id), { json: { from: "failed_items" } }));
    const more = items.map((item, index) => api.count(`/${prefix}_${item}`) - (counts[index] ?? 0));
    assert.deepEqual(more, [1, 1, 2], on_error);
  }
  const handled = { type: "fail", id: "stop", message: "noted", on_error: "continue" };
  const only = await addFlow([{ ...loop, steps: [handled] }]);
  const run = (await ask("POST", `/connect/flows/${only.id}/run.json`, { json: {} })).body;
  const refused = await ask("POST", retryPath(run.flow_process_id), { json: { from: "failed_items" } });
  assert.deepEqual([refused.status, refused.body.error], [409, "No call and no item of a loop has failed"]);
});

inTeam("retry: with edited input, from any step, on the program of now or of then", async (team) => {
  const { ask, api, addFlow, server } = team;
  const prefix = crypto.randomUUID();
  for (const name of ["a", "b", "c"]) {
    api.answers.set(`/${prefix}_${name}`, (call) => Response.json(`${name}${call}`));
  }
  const call = (id: string, name: string) => ({
    type: "connector",
    id,
    connector_code: "api",
    method: "get",
    params: { path: `${prefix}_${name}` },
  });
  const program = (note: string) => [
    call("first", "a"),
    call("second", "{input.name}"),
    { type: "return", id: "end", data: ["{steps.first.body}", "{steps.second.body}", note] },
  ];
  const flow = await addFlow(program("then"));
  const run = (await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: { input: { name: "b" } } })).body;
  assert.deepEqual(run.data, ["a1", "b1", "then"]);
  await ask("PATCH", `/connect/flows/${flow.id}.json`, { json: { flow: { fields: { program: program("now") } } } });
  const retry = (json: Record<string, unknown>, token?: string) =>
    ask("POST", retryPath(run.flow_process_id), { json, ...token && { token } });
  const dataOf = async (json: Record<string, unknown>) => made(await retry(json)).data;

  assert.deepEqual(await dataOf({ from_step: "second" }), ["a1", "b2", "now"], "the step is executed again");
  assert.deepEqual(await dataOf({ from_step: "second", program: "then" }), ["a1", "b3", "then"]);
  assert.deepEqual(await dataOf({ input: { name: "c" } }), ["a2", "c1", "now"]);
  assert.deepEqual(await dataOf({ input: { name: "c" }, from_step: "second" }), ["a1", "c2", "now"]);
  const last = made(await retry({ from_step: "end", program: "then" }));
  assert.deepEqual([last.data, last.flow_version, last.input], [["a1", "b1", "then"], 1, { name: "b" }], "all is kept");
  assert.equal(last.retry_of, run.flow_process_id);

  const refusals = [
    [await retry({ from_step: "nowhere" }), 422, ["from_step"]],
    [await retry({ from_step: "second", from: "failed_step" }), 422, ["from_step"]],
    [await retry({ program: "then" }, (await addPerson(ask, "user")).token), 403, undefined],
  ] as const;
  for (const [{ status, body }, expected, fields] of refusals) {
    assert.equal(status, expected, JSON.stringify(body));
    if (fields) assert.deepEqual(Object.keys(body), fields);
  }
  // The sweep would delete the version with its last runs, but another run of it begins.
  await server.sql`
    update flow_versions set dropped_at = now() - interval '20 days' where flow_id = ${flow.id} and version = 1
  `;
  made(await retry({ program: "then" }));
  await server.sweep();
  assert.equal((await ask("GET", `/connect/flow_processes/${last.id}/program.json`)).status, 200);
  await server.sql`delete from flow_versions where flow_id = ${flow.id} and version = 1`;
  assert.deepEqual((await retry({ program: "then" })).body, { program: ["is not kept any more"] });
});

inTeam("retry: who edits the input of a trigger's run is its user", async ({ ask, addFlow, server, admin }) => {
  const { id, code } = await addFlow([{ type: "return", data: ["{input}", "{user.id}"] }]);
  const cron = made(
    await ask("POST", "/account/crons.json", { json: { cron: { target_code: code, schedule: "0 0 1 1 *" } } }),
  );
  const { body } = await ask("POST", `/connect/flows/${id}/run.json`, { json: {} });
  await server.sql`
    update flow_processes set user_id = null, trigger = 'cron', cron_id = ${cron.id} where id = ${body.flow_process_id}
  `;
  const retry = async (json: Record<string, unknown>) =>
    made(await ask("POST", retryPath(body.flow_process_id), { json }));
  assert.deepEqual((await retry({})).data, [{}, null]);
  assert.deepEqual((await retry({ input: { n: 1 } })).data, [{ n: 1 }, admin.id]);
});
