/** What a flow declares of its runs' input and output. */
import assert from "node:assert/strict";
import { until } from "../stage/until.ts";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

const INPUT = {
  type: "object",
  properties: {
    base: { type: "string", maxLength: 3 },
    days: { type: "integer", minimum: 1, default: 7 },
    tags: { type: "array", items: { type: "string" }, default: [] },
  },
  required: ["base"],
  additionalProperties: false,
};
const GIVE = { type: "return", data: "{input}" };
const FAULTS = { "input.base": ["can't be blank"], "input.days": ["must be an integer"] };
const SENTENCE = "input.base can't be blank; input.days must be an integer";

inTeam(
  "declared input: every way of starting is refused by field before a run begins, and gets defaults",
  async (team) => {
    const { ask, addFlow, addApp, inspect } = team;
    const { id, code, input, output } = await addFlow([GIVE], { input: INPUT });
    assert.deepEqual([input, output], [INPUT, null]);
    const at = (rest: string) => `/connect/flows/${id}/${rest}.json`;
    const wrong = { days: "two" };
    const count = async () => (await ask("GET", `/connect/flow_processes.json?flow_code=${code}`)).body.length;

    for (const json of [{ input: wrong }, { input: wrong, dry_run: true }]) {
      const refused = await ask("POST", at("run"), { json });
      assert.deepEqual([refused.status, refused.body], [422, FAULTS]);
    }
    const unknown = await ask("POST", at("run"), { json: { input: { base: "EUR", other: 1, tags: ["a", 2] } } });
    assert.deepEqual(unknown.body, { "input.other": ["is not a known field"], "input.tags.1": ["must be a string"] });
    const app = await addApp(code);
    const action = await ask("POST", `/platform/apps/${app}/action/go`, { json: wrong });
    assert.deepEqual([action.status, action.body], [422, { base: FAULTS["input.base"], days: FAULTS["input.days"] }]);
    assert.equal(await count(), 0, "no run has begun");

    const parent = await addFlow([{ type: "flow", id: "sub", flow_code: code, input: { days: "two" } }]);
    const called = await ask("POST", `/connect/flows/${parent.id}/run.json`, { json: { input: {} } });
    const ended = () => inspect(called.body.flow_process_id);
    await until(async () => (await ended()).status === "error", "the caller has failed");
    assert.equal((await ended()).error, `sub: ${SENTENCE}`);

    const full = { base: "EUR", days: 7, tags: [] };
    const run = await ask("POST", at("run"), { json: { input: { base: "EUR" } } });
    assert.deepEqual(run.body.data, full);
    assert.deepEqual((await inspect(run.body.flow_process_id)).input, full);
    const dry = await ask("POST", at("run"), { json: { input: { base: "EUR" }, dry_run: true } });
    assert.deepEqual(dry.body.data, full);
    const acted = await ask("POST", `/platform/apps/${app}/action/go`, { json: { base: "EUR", days: 1 } });
    assert.deepEqual(acted.body.data, { base: "EUR", days: 1, tags: [] });

    const retry = (json: unknown) =>
      ask("POST", `/connect/flow_processes/${run.body.flow_process_id}/retry.json`, { json });
    const edited = await retry({ input: wrong });
    assert.deepEqual([edited.status, edited.body], [422, FAULTS]);
    assert.deepEqual((await retry({ input: { base: "USD" } })).body.data, { ...full, base: "USD" });
    assert.equal(await count(), 3);
  },
);

inTeam("declared input: the ledger of a trigger says why no run was started", async ({ ask, addFlow }) => {
  const { code } = await addFlow([GIVE], { input: INPUT });
  const made = await ask("POST", "/account/crons.json", {
    json: { cron: { name: "Nightly", target_code: code, schedule: "0 4 * * *", input: { days: "two" } } },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const fired = await ask("POST", `/account/crons/${made.body.id}/fire.json`);
  assert.deepEqual([fired.status, fired.body], [422, FAULTS]);
  const { body: [row] } = await ask("GET", `/account/crons/${made.body.id}/runs.json`);
  assert.equal(row.state, "skipped");
  assert.ok(row.reason.endsWith(SENTENCE), row.reason);
});

inTeam(
  "declared output: data that does not match is the run's error; a schema belongs to its version",
  async (team) => {
    const { ask, addFlow, inspect } = team;
    const OUTPUT = {
      type: "object",
      properties: { price: { type: "number" }, unit: { default: "EUR" } },
      required: ["price"],
    };
    const program = [{ type: "return", data: { price: "{input.price}" } }];
    const { id, version } = await addFlow(program, { output: OUTPUT });
    const at = (rest: string) => `/connect/flows/${id}${rest}.json`;
    const run = async (price: unknown, more: Record<string, unknown> = {}) =>
      (await ask("POST", at("/run"), { json: { input: { price }, ...more } })).body;
    const good = await run(4);
    assert.deepEqual(good.data, { price: 4, unit: "EUR" });
    const error = "The output is not what the flow declares: data.price is not a number";
    const bad = await run("high");
    assert.deepEqual([bad.status, bad.error, bad.data], ["error", error, undefined]);
    assert.deepEqual([(await inspect(bad.flow_process_id)).data, (await run("high", { dry_run: true })).error], [
      null,
      error,
    ]);

    for (const run_id of [good.flow_process_id, bad.flow_process_id]) {
      assert.equal((await ask("POST", at("/examples"), { json: { run_id } })).status, 201);
    }
    const save = (flow: unknown) => ask("PATCH", at(""), { json: { flow } });
    const guarded = await save({ guarded: true, output: { ...OUTPUT, required: ["price", "day"] } });
    assert.deepEqual([guarded.status, Object.keys(guarded.body)], [422, ["examples"]]);
    const changed = await save({ output: null, input: { required: ["price"] } });
    assert.deepEqual([changed.status, changed.body.output, changed.body.version], [200, null, version + 1]);
    assert.equal(
      (await save({ name: "Named", output: null })).body.version,
      version + 1,
      "nothing of the version changed",
    );
    assert.equal((await run("high")).status, "finished");
    const then = await ask("POST", `/connect/flow_processes/${bad.flow_process_id}/retry.json`, {
      json: { program: "then" },
    });
    assert.equal(then.body.error, error, "the version of then declares it");
    const { before, after } = (await ask("GET", at(`/versions/${version}/diff`))).body;
    assert.deepEqual([before.output, after.output, after.input], [OUTPUT, null, { required: ["price"] }]);
    const restored = await ask("POST", at(`/versions/${version}/restore`));
    assert.deepEqual([restored.body.output, restored.body.input], [OUTPUT, null]);
  },
);

inTeam("declared schemas: what is no schema is refused by path at save", async ({ ask }) => {
  const flow = {
    name: "No schema",
    input: { type: "array" },
    output: { properties: { a: { type: "text", pattern: "(a+)+$" } }, $ref: "https://example.com/s.json" },
  };
  const { status, body } = await ask("POST", "/connect/flows.json", { json: { flow } });
  assert.equal(status, 422);
  assert.deepEqual(body["input.type"], ["must be object: the input of a run is an object"]);
  assert.deepEqual(body["output.properties.a.type"], ["is not a type of JSON Schema"]);
  assert.match(body["output.properties.a.pattern"][0], /^is not supported/);
});
