/** Flows that are called when a run of another flow fails, and what names a flow. */
import assert from "node:assert/strict";
import { until } from "../stage/until.ts";
import { onStage, type Team } from "./flow_stage.ts";

const inTeam = onStage();

const FAIL = { type: "fail", id: "end", message: "No {input.what}: {input.password}" };
const GIVE = { type: "return", data: "{input}" };

async function run({ ask }: Team, id: number, input: Record<string, unknown> = {}) {
  const { status, body } = await ask("POST", `/connect/flows/${id}/run.json`, { json: { input } });
  assert.equal(status, 200, JSON.stringify(body));
  return body.flow_process_id as string;
}

const runsOf = async ({ ask }: Team, flow_code: string) =>
  (await ask("GET", `/connect/flow_processes.json?flow_code=${flow_code}`)).body;

inTeam("on_failure: the flow is called with the error and without secrets; both runs name each other", async (team) => {
  const { ask, addFlow, inspect } = team;
  const tell = await addFlow([GIVE]);
  const bad = {
    type: "connector",
    id: "bad",
    connector_code: "api",
    method: "get",
    params: { path: "nowhere" },
    on_error: "continue",
  };
  const { id, code, on_failure } = await addFlow([bad, FAIL], {
    on_failure: tell.code,
    secret_inputs: ["password"],
  });
  assert.equal(on_failure, tell.code);
  const failed = await run(team, id, { what: "way", password: "hunter2-hunter2" });
  const before = await inspect(failed);
  assert.equal(before.error, "No way: [redacted]");
  const called = () => inspect(before.failure_run_id);
  await until(async () => (await called()).status === "finished", "the flow was called");
  const { input, failure_of, parent_id, trigger, failure_run_id } = await called();
  assert.deepEqual([failure_of, parent_id, trigger, failure_run_id], [failed, null, "manual", null]);
  const { failed_steps: [first, last, ...none], ...rest } = input;
  assert.deepEqual(rest, {
    flow_code: code,
    run_id: failed,
    error: "No way: [redacted]",
    input: { what: "way", password: "[secret]" },
  });
  assert.deepEqual([first.place, first.type, none], ["bad", "connector", []]);
  assert.deepEqual(last, { place: "end", type: "fail", name: null, error: "No way: [redacted]", http_status: null });

  const waits = await addFlow([{ type: "wait", seconds: 3600 }], { on_failure: tell.code });
  const cancelled = await run(team, waits.id);
  await ask("POST", `/connect/flow_processes/${cancelled}/cancel.json`);
  assert.equal((await inspect(cancelled)).status, "cancelled");
  const good = await addFlow([GIVE], { on_failure: tell.code });
  await run(team, good.id);
  assert.equal((await runsOf(team, tell.code)).length, 1, "neither for a cancelled run nor for one that has finished");
});

inTeam("on_failure: no loops; a missing flow does no harm", async (team) => {
  const { ask, addFlow, inspect } = team;
  const call = (flow_code: string) => ({ type: "flow", id: "sub", flow_code });
  const last = await addFlow([GIVE]);
  const child = await addFlow([FAIL]);
  const handler = await addFlow([call(child.code)], { on_failure: last.code });
  const change = (id: number, flow: unknown) => ask("PATCH", `/connect/flows/${id}.json`, { json: { flow } });
  assert.equal((await change(child.id, { on_failure: handler.code })).status, 200);
  assert.deepEqual((await change(child.id, { on_failure: child.code })).body, {
    on_failure: ["names this flow itself"],
  });
  const id = await run(team, child.id);
  const called = async () => (await inspect((await inspect(id)).failure_run_id));
  await until(async () => (await called()).status === "error", "the called flow has failed");
  const below = (await called()).steps[0].begun.awaits;
  assert.deepEqual([(await inspect(below)).status, (await inspect(below)).failure_run_id], ["error", null]);
  assert.equal((await called()).failure_run_id, null);
  assert.deepEqual([(await runsOf(team, handler.code)).length, (await runsOf(team, last.code)).length], [1, 0]);

  const missing = await addFlow([FAIL], { on_failure: "nowhere" });
  assert.deepEqual(missing.warnings, { on_failure: ["names the flow nowhere, which is not there"] });
  const lost = await inspect(await run(team, missing.id));
  assert.deepEqual([lost.status, lost.failure_run_id], ["error", null]);
});

inTeam("on_failure: a process that dies after the start is taken over, and the flow is called once", async (team) => {
  const { addFlow, inspect, server } = team;
  const { sql } = server;
  const tell = await addFlow([GIVE]);
  const { id } = await addFlow([FAIL], { on_failure: tell.code });
  // What the process would do next fails, as if it had died.
  await sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'as if it had died'; end $$;
    create trigger refused before update of failure_run_id on flow_processes execute function refuse();
  `).simple();
  const failed = await run(team, id);
  assert.equal((await inspect(failed)).failure_run_id, null);
  await sql.unsafe("drop trigger refused on flow_processes; drop function refuse()").simple();
  await until(async () => {
    await server.sweep();
    return (await inspect(failed)).failure_run_id !== null;
  }, "the run was taken over");
  const runs = await runsOf(team, tell.code);
  assert.deepEqual(runs.map(({ failure_of }: { failure_of: string }) => failure_of), [failed]);
  assert.equal(runs[0].id, (await inspect(failed)).failure_run_id);
});

inTeam("uses: a flow step and on_failure name a flow that is in use", async ({ ask, addFlow }) => {
  const used = await addFlow([GIVE]);
  const at = (flow: { id: number }) => `/connect/flows/${flow.id}.json`;
  const uses = async () =>
    (await ask("GET", at(used))).body.used_by.map(({ kind, name }: { kind: string; name: string }) =>
      `${kind} ${name}`
    );
  const step = { type: "if", condition: "1 == 1", then: [{ type: "flow", flow_code: used.code }] };
  const caller = await addFlow([step]);
  const failing = await addFlow([FAIL], { on_failure: used.code });
  assert.deepEqual(await uses(), [`flow ${caller.name}`, `flow ${failing.name}`].toSorted());
  const refused = await ask("DELETE", at(used));
  assert.deepEqual([refused.status, refused.body.used_by.length], [409, 2]);
  await ask("PATCH", at(failing), { json: { flow: { on_failure: null } } });
  assert.deepEqual(await uses(), [`flow ${caller.name}`]);
  await ask("PATCH", at(caller), { json: { flow: { fields: { program: [] } } } });
  assert.equal((await ask("DELETE", at(used))).status, 204);
});
