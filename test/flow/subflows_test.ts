/** Flows that run other flows. */
import assert from "node:assert/strict";
import { until } from "../stage/until.ts";
import { onStage, type Team } from "./flow_stage.ts";

const inTeam = onStage({ ACTION_WAIT_MS: "0" });
const PATH = "/connect/flow_processes";

const call = (flow_code: string, more: Record<string, unknown> = {}) => ({
  type: "flow",
  id: "sub",
  flow_code,
  ...more,
});
const give = (data: unknown) => ({ type: "return", data });

async function run({ ask }: Team, flow: { id: number }, input: Record<string, unknown> = {}) {
  const { status, body } = await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: { input } });
  assert.equal(status, 200, JSON.stringify(body));
  return body.flow_process_id as string;
}

const reaches = ({ inspect }: Team, id: string, status: string) =>
  until(async () => (await inspect(id)).status === status, `the run is ${status}`);

inTeam("sub-flows: several at once, with their data; parent and child name each other", async (team) => {
  const { addFlow, inspect, api } = team;
  api.answers.set("/held", () => Response.json("called"));
  const get = { type: "connector", connector_code: "api", method: "get", params: { path: "held" } };
  const child = await addFlow([get, { type: "wait", seconds: 0.05 }, give("{input.n} {input.word} {json_object}")]);
  const parent = await addFlow([
    {
      type: "for_each",
      id: "each",
      items: [1, 2, 3],
      at_once: 3,
      collect: true,
      steps: [call(child.code, { input: { n: "{item}", word: "{input.word}" } })],
    },
  ]);
  const id = await run(team, parent, { word: "x" });
  await reaches(team, id, "finished");
  const { data, steps, parent_id } = await inspect(id);
  assert.deepEqual(data.map(({ body }: { body: unknown }) => body), [1, 2, 3].map((n) => `${n} x called`));
  assert.equal(parent_id, null);
  for (const { begun, type } of steps.filter(({ type }: { type: string }) => type === "flow")) {
    const child = await inspect(begun.awaits);
    assert.deepEqual([type, child.parent_id, child.status, child.trigger], ["flow", id, "finished", "manual"]);
  }
  assert.equal(api.count("/held"), 3);
});

inTeam("sub-flows: a failure is the step's; five flows deep; a missing flow; cancelling passes on", async (team) => {
  const { addFlow, inspect, ask, server } = team;
  const failing = await addFlow([{ type: "fail", message: "No {input.what}", data: 7 }]);
  const caught = await addFlow([
    { ...call(failing.code, { input: { what: "way" } }), on_error: "catch", catch: [give("{steps.sub}")] },
  ]);
  const first = await run(team, caught);
  await reaches(team, first, "finished");
  assert.deepEqual((await inspect(first)).data, { status: "error", body: 7, error: `${failing.code} failed: No way` });
  let last = await addFlow([give("the end")]);
  const chain = [last];
  for (let level = 2; level <= 6; level++) chain.push(last = await addFlow([call(last.code)]));
  const [five, six] = [await run(team, chain[4] ?? last), await run(team, last)];
  await reaches(team, five, "finished");
  assert.equal((await inspect(five)).data, "the end");
  await reaches(team, six, "error");
  assert.match((await inspect(six)).error, /would be called more than 5 flows deep$/);
  const missing = await addFlow([call("nowhere")]);
  assert.deepEqual(missing.warnings, { "fields.program.0.flow_code": ["names the flow nowhere, which is not there"] });
  const lost = await run(team, missing);
  await reaches(team, lost, "error");
  assert.equal((await inspect(lost)).error, "sub: flow_code does not exist");
  const slow = await addFlow([{ type: "wait", seconds: 3600 }]);
  const above = await addFlow([call(slow.code)]);
  const id = await run(team, above);
  await reaches(team, id, "waiting");
  const child = (await inspect(id)).steps[0].begun.awaits;
  await reaches(team, child, "waiting");
  assert.equal((await ask("POST", `${PATH}/${id}/cancel.json`)).body.status, "cancelled");
  await reaches(team, child, "cancelled");
  const other = await run(team, above);
  await reaches(team, other, "waiting");
  const own = (await inspect(other)).steps[0].begun.awaits;
  await reaches(team, own, "waiting");
  await ask("POST", `${PATH}/${own}/cancel.json`);
  await reaches(team, other, "error");
  assert.equal((await inspect(other)).error, `sub: ${slow.code} failed: Cancelled`);
  assert.equal((await server.sql`select from flow_waits where run_id in (${id}, ${other})`).length, 0);
});

inTeam("sub-flows: a circle is refused where a program or a code makes it visible", async ({ addFlow, ask }) => {
  const own = await ask("POST", "/connect/flows.json", {
    json: { flow: { name: "Own", code: "own_circle", fields: { program: [call("own_circle")] } } },
  });
  const fault = { "fields.program.0.flow_code": ["leads back to this flow"] };
  assert.deepEqual([own.status, own.body], [422, fault]);
  const first = await addFlow([]);
  const second = await addFlow([call(first.code)]);
  const third = await addFlow([call(second.code)]);
  const change = (flow: unknown) => ask("PATCH", `/connect/flows/${first.id}.json`, { json: { flow } });
  const closed = await change({ fields: { program: [call(third.code)] } });
  assert.deepEqual([closed.status, closed.body], [422, fault]);
  assert.equal((await change({ fields: { program: [call("to_come")] } })).status, 200);
  const renamed = await ask("PATCH", `/connect/flows/${third.id}.json`, { json: { flow: { code: "to_come" } } });
  assert.deepEqual([renamed.status, renamed.body], [422, fault]);
});
