/** Which flows are followed to find what a run deletes: callers in progress, failures of failures, and how many. */
import assert from "node:assert/strict";
import { answer, connectAgent } from "../../stage/agents/agent.ts";
import { until } from "../../stage/until.ts";
import { onStage } from "../../flow/flow_stage.ts";

const inTeam = onStage({ ACTION_WAIT_MS: "0" });

const DELETES = { type: "record", id: "gone", action: "delete", db_code: "orders", match: { title: "A" } };
const HARMLESS = [{ type: "return", data: 1 }];
const calls = (flow_code: string) => ({ type: "flow", id: "call", flow_code });

inTeam("agents: a flow that a run in progress will call is asked about", async (team) => {
  const { ask, admin, api, addFlow, server } = team;
  const agent = await connectAgent(server, admin.token);
  const held = Promise.withResolvers<Response>();
  api.answers.set("/held", () => held.promise);
  const called = await addFlow(HARMLESS);
  const holds = { type: "connector", id: "held", connector_code: "api", method: "get", params: { path: "held" } };
  const caller = await addFlow([holds, calls(called.code)]);
  const changes = { fields: { program: [DELETES] } };
  const patch = (id: number) => agent.call("patch", { kind: "flow", id, changes, dry_run: true });
  assert.equal((await patch(called.id)).needs_confirmation, undefined);
  await ask("POST", `/connect/flows/${caller.id}/run.json`, { json: {} });
  await until(() => api.count("/held") === 1, "the run is in progress");
  assert.deepEqual((await patch(called.id)).needs_confirmation, [
    "It deletes records of a database that the caller does not see",
  ]);
  assert.equal((await patch(caller.id)).needs_confirmation, undefined, "a run keeps its own program");
  held.resolve(Response.json({}));
  await agent.close();
});

inTeam("agents: flows are followed through all failures, and a hundred of them", async (team) => {
  const { admin, addFlow, server } = team;
  const agent = await connectAgent(server, admin.token);
  const run = (id: number) => agent.call("run", { what: "flow", id });
  let { code } = await addFlow([DELETES]);
  let first = 0;
  for (let depth = 0; depth < 8; depth++) {
    ({ code, id: first } = await addFlow([{ type: "fail", message: "x" }], { on_failure: code }));
  }
  const asked = await run(first);
  assert.deepEqual(asked.plan.effects, ["It deletes records of a database that the caller does not see"]);

  const missing = Array.from({ length: 100 }, (_, n) => ({ ...calls(`missing_${n}`), id: `call_${n}` }));
  const many = await addFlow([{ type: "if", condition: "1 > 2", then: missing.slice(1) }]);
  assert.notEqual((await run(many.id)).status, "needs_confirmation");
  const more = await addFlow([{ type: "if", condition: "1 > 2", then: missing }]);
  assert.deepEqual((await run(more.id)).plan.effects, [
    "It involves more than 100 flows: what the others delete is not known",
  ]);
  await agent.close();
});

inTeam("agents: a confirmed run is refused if an input's default has changed meanwhile", async (team) => {
  const { ask, admin, addFlow, server } = team;
  const agent = await connectAgent(server, admin.token);
  const declared = (value: string) => ({ type: "object", properties: { title: { type: "string", default: value } } });
  const { id } = await addFlow([{ ...DELETES, match: { title: "{input.title}" } }], { input: declared("A") });
  const run = { what: "flow", id };
  const { confirmation } = await agent.call("run", run);
  await answer(server, admin.id, confirmation, true);
  await ask("PATCH", `/connect/flows/${id}.json`, { json: { flow: { input: declared("B") } } });
  assert.equal((await agent.refused("run", { ...run, confirmation })).status, 409);
  await agent.close();
});
