/** Recorded runs as regression tests, and guarded flows. */
import assert from "node:assert/strict";
import { addDb } from "../stage/db.ts";
import { addPerson } from "../stage/people.ts";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

const RATES = {
  type: "connector",
  id: "rates",
  connector_code: "api",
  method: "get",
  params: { path: "rates", base: "{input.base}" },
};
const HIGH = { type: "mutation", id: "high", set: { high: "{json_object.mid}" } };
const RETURN = { type: "return", id: "end", data: { high: "{high}", day: "{run.started_at}", who: "{user.role}" } };

inTeam("examples: a run is kept, and programs are checked against it without calling anything", async (team) => {
  const { ask, addFlow, api, server } = team;
  const { code } = await addDb(ask, { fields: { mid: "number" } });
  const SAVE = { type: "record", id: "save", action: "create", db_code: code, data: { mid: "{high}" } };
  api.answers.set("/rates", () => Response.json({ mid: 4.5 }));
  const { id } = await addFlow([RATES, HIGH, SAVE, RETURN]);
  const at = (rest: string) => `/connect/flows/${id}/${rest}.json`;
  const run = async (input: Record<string, unknown>) =>
    (await ask("POST", at("run"), { json: { input } })).body.flow_process_id;
  const keep = async (json: Record<string, unknown>) => await ask("POST", at("examples"), { json });
  const check = async (program?: unknown) => (await ask("POST", at("examples/check"), { json: { program } })).body;
  assert.deepEqual(await check(), { ok: true, examples: [] });

  const run_id = await run({ base: "EUR" });
  const kept = await keep({ run_id, name: "Euro" });
  assert.equal(kept.status, 201, JSON.stringify(kept.body));
  assert.deepEqual([kept.body.name, kept.body.run_id, kept.body.status], ["Euro", run_id, "finished"]);
  api.answers.set("/rates", () => new Response("down", { status: 503 }));
  const failed = await keep({ run_id: await run({ base: "USD" }) });
  assert.deepEqual([failed.status, failed.body.status], [201, "error"], "a run that failed is an example, too");
  const calls = api.calls.length;
  const records = async () => (await ask("GET", `/platform/dbs/${code}/records.json`)).body.length;
  const before = await records();

  const same = await check();
  assert.deepEqual([same.ok, same.examples.map(({ ok, differences }: never) => [ok, differences])], [
    true,
    [[true, []], [true, []]],
  ]);
  const harmless = await check([RATES, { type: "mutation", id: "more", set: { more: 1 } }, HIGH, SAVE, RETURN]);
  assert.deepEqual([
    harmless.ok,
    harmless.examples[0].differences.map(({ place, what, fails }: never) => [place, what, fails]),
  ], [
    true,
    [["more", "added", false]],
  ]);
  const other = await check([
    { ...RATES, params: { path: "rates", base: "GBP" } },
    { ...HIGH, set: { high: "{json_object.mid|times:2}" } },
    { ...RATES, id: "again" },
    RETURN,
  ]);
  assert.equal(other.ok, false);
  const [euro, usd] = other.examples;
  assert.deepEqual(
    euro.differences.map(({ place, what, fails }: never) => [place, what, fails]),
    [
      ["rates", "input", true],
      ["high", "output", false],
      ["save", "missing", true],
      ["end", "missing", false],
      ["again", "added", true],
      [null, "status", true],
      [null, "data", true],
      [null, "error", true],
    ],
  );
  assert.deepEqual([euro.differences[1].before, euro.differences[1].after], [{ high: 4.5 }, { high: 9 }]);
  assert.match(euro.differences.at(-1).after, /again: has no answer/);
  assert.deepEqual(usd.differences.map(({ place, what }: never) => [place, what]), [["rates", "input"]]);
  assert.deepEqual([api.calls.length, await records()], [calls, before], "nothing was called or changed");

  await server.sql`delete from flow_processes where id = ${run_id}`;
  const renamed = await ask("PATCH", at(`examples/${kept.body.id}`), { json: { name: "Rates in euro" } });
  assert.equal(renamed.body.name, "Rates in euro");
  const list = (await ask("GET", at("examples"))).body;
  assert.deepEqual(list.map(({ name }: { name: string }) => name), ["Rates in euro", failed.body.run_id]);
  const taken = await ask("PATCH", at(`examples/${failed.body.id}`), { json: { name: "Rates in euro" } });
  assert.deepEqual([taken.status, taken.body], [422, { name: ["has already been taken"] }]);
  assert.equal((await check()).ok, true, "an example outlives its run");
  assert.equal((await ask("DELETE", at(`examples/${failed.body.id}`))).status, 204);
  assert.equal((await ask("DELETE", at(`examples/${failed.body.id}`))).status, 404);
  assert.equal((await check()).examples.length, 1);
  const user = await addPerson(ask, "user");
  assert.equal((await ask("POST", at("examples"), { token: user.token, json: { run_id } })).status, 403);
});

inTeam("examples: limits, and runs that are none", async ({ ask, addFlow, server }) => {
  const { id } = await addFlow([{ type: "return", data: "{input}" }]);
  const other = await addFlow([]);
  const run = async (flow: number, input = {}) =>
    (await ask("POST", `/connect/flows/${flow}/run.json`, { json: { input } })).body.flow_process_id;
  const keep = async (json: Record<string, unknown>) => {
    const { status, body } = await ask("POST", `/connect/flows/${id}/examples.json`, { json });
    return status === 201 ? status : body;
  };
  const run_id = await run(id);
  assert.match((await keep({ run_id: await run(other.id) })).run_id[0], /is not the id of a run of this flow/);
  assert.match((await keep({ run_id: await run(id, { large: "x".repeat(300_000) }) })).run_id[0], /262144 characters/);
  const changed = await run(id);
  await server.sql`update flow_processes set status = 'error', error = 'else' where id = ${changed}`;
  assert.match((await keep({ run_id: changed })).run_id[0], /cannot be repeated .* a rehearsal finishes/);
  for (let count = 0; count < 20; count++) assert.equal(await keep({ run_id, name: `${count}` }), 201);
  assert.deepEqual(await keep({ run_id }), { base: ["A flow has at most 20 examples"] });
  assert.equal((await ask("DELETE", `/connect/flows/${id}.json`)).status, 204);
  assert.deepEqual([...await server.sql`select from flow_examples where flow_id = ${id}`], []);
});

inTeam("guarded: no save or activation while an example fails, unless forced", async ({ ask, addFlow }) => {
  const program = (data: unknown) => [{ type: "return", id: "end", data }];
  const { id, guarded } = await addFlow(program("{input.n|plus:1}"));
  assert.equal(guarded, false);
  const run = (await ask("POST", `/connect/flows/${id}/run.json`, { json: { input: { n: 1 } } })).body;
  await ask("POST", `/connect/flows/${id}/examples.json`, { json: { run_id: run.flow_process_id, name: "One" } });
  const save = async (flow: Record<string, unknown>) =>
    await ask("PATCH", `/connect/flows/${id}.json`, { json: { flow } });
  const refusal = { examples: ["“One” fails: data was 2 and is 3"] };
  const wrong = { fields: { program: program("{input.n|plus:2}") } };

  assert.equal((await save(wrong)).status, 200, "not guarded");
  const turned_on = await save({ guarded: true });
  assert.deepEqual([turned_on.status, turned_on.body], [422, refusal]);
  assert.equal((await save({ guarded: true, fields: { program: program("{input.n|times:2}") } })).status, 200);
  const saved = await save(wrong);
  assert.deepEqual([saved.status, saved.body], [422, refusal]);
  assert.equal((await save({ name: "Renamed" })).status, 200);
  const restored = await ask("POST", `/connect/flows/${id}/versions/2/restore.json`);
  assert.deepEqual([restored.status, restored.body], [422, refusal], "a restore is a save");
  const forced = await save({ ...wrong, force: true });
  assert.deepEqual([forced.status, forced.body.guarded, forced.body.force], [200, true, undefined]);
  assert.equal((await save({ active: false })).status, 200);
  assert.deepEqual((await save({ active: true })).body, refusal);
  assert.equal((await save({ active: true, force: true })).status, 200);
  assert.equal((await save({ guarded: false, ...wrong })).status, 200);
});
