/** Flows that limit how many of their runs are in progress: further runs wait for their turn, or do not start. */
import assert from "node:assert/strict";
import { made } from "../stage/people.ts";
import { until } from "../stage/until.ts";
import { onStage, type Team } from "./flow_stage.ts";

const inTeam = onStage({ ACTION_WAIT_MS: "0" });
const PATH = "/connect/flow_processes";

const wait = (seconds: number) => ({ type: "wait", id: "pause", seconds });
const call = (path: string) => ({
  type: "connector",
  id: "call",
  connector_code: "api",
  method: "get",
  params: { path },
});

type Flow = { id: number; code: string };

const ask_run = ({ ask }: Team, { id }: Flow, more: Record<string, unknown> = {}) =>
  ask("POST", `/connect/flows/${id}/run.json`, { json: more });

async function start(team: Team, flow: Flow, more: Record<string, unknown> = {}) {
  const { status, body } = await ask_run(team, flow, more);
  assert.equal(status, 200, JSON.stringify(body));
  return body.flow_process_id as string;
}

const reaches = ({ inspect }: Team, id: string, status: string) =>
  until(async () => (await inspect(id)).status === status, `the run is ${status}`);

const isQueued = ({ inspect }: Team, id: string) =>
  until(async () => {
    const { queued, status } = await inspect(id);
    return queued && status === "waiting";
  }, "the run is queued");

const change = ({ ask }: Team, { id }: Flow, flow: Record<string, unknown>) =>
  ask("PATCH", `/connect/flows/${id}.json`, { json: { flow } });

inTeam("max_at_once: further runs wait for their turn in order, hold nothing, and can be cancelled", async (team) => {
  const { ask, api, addFlow, inspect, server } = team;
  const held = Array.from({ length: 4 }, () => Promise.withResolvers<Response>());
  api.answers.set("/held", (count) => held[count - 1]?.promise ?? Response.json(count));
  const flow = await addFlow([call("held"), { type: "return", data: ["{json_object}", "{input.n}"] }], {
    max_at_once: 1,
  });
  assert.deepEqual([flow.max_at_once, flow.overlap], [1, "queue"]);
  const first = await start(team, flow, { input: { n: 0 } });
  await until(() => api.count("/held") === 1, "the first one calls");
  const more: string[] = [];
  for (const n of [1, 2, 3]) {
    const id = await start(team, flow, { input: { n, large: "x".repeat(40_000) }, idempotency_key: `key_${n}` });
    await isQueued(team, id);
    more.push(id);
  }
  const [second = "", third = "", last = ""] = more;
  assert.equal(
    await start(team, flow, { input: { n: 1, large: "x".repeat(40_000) }, idempotency_key: "key_1" }),
    second,
  );
  const { started_at, wake_at, steps } = await inspect(second);
  assert.deepEqual([started_at, wake_at, steps], [null, null, []]);
  const { body: listed } = await ask("GET", `${PATH}.json?status=waiting`);
  assert.deepEqual(
    listed.map((run: { id: string; queued: boolean; started_at: null }) => [run.id, run.queued, run.started_at]),
    [[last, true, null], [third, true, null], [second, true, null]],
  );
  // A run leaves Deno KV, where runs in progress are counted, shortly after its row says `waiting`.
  await until(async () => (await ask("GET", "/account/limits.json")).body.runs.in_progress === 1, "one is in progress");
  const { runs } = (await ask("GET", "/account/limits.json")).body;
  assert.deepEqual([runs.waiting, runs.most_waiting], [3, 10_000]);
  using kv = await Deno.openKv(`${server.data_dir}/kv.sqlite3`);
  await until(async () => {
    const keys = await Array.fromAsync(kv.list({ prefix: ["flow_runs"] }), ({ key }) => key.at(-1));
    return keys.every((key) => !more.includes(`${String(key)}`));
  }, "they have left Deno KV");
  await server.sweep();
  assert.equal((await inspect(second)).queued, true, "the sweep wakes none");
  assert.equal((await ask("POST", `${PATH}/${second}/cancel.json`)).body.status, "cancelled");
  held[0]?.resolve(Response.json("first"));
  await reaches(team, first, "finished");
  await until(() => api.count("/held") === 2, "the next one calls");
  assert.equal((await inspect(third)).status, "pending");
  assert.equal((await inspect(last)).queued, true);
  held[1]?.resolve(Response.json("second"));
  await reaches(team, third, "finished");
  await until(() => api.count("/held") === 3, "the last one calls");
  // A cancelled run gives its turn back, too.
  const after = await start(team, flow);
  await isQueued(team, after);
  await ask("POST", `${PATH}/${last}/cancel.json`);
  held[2]?.resolve(Response.json("third"));
  held[3]?.resolve(Response.json("fourth"));
  await reaches(team, after, "finished");
  assert.deepEqual((await inspect(third)).data, ["second", 2]);
  await until(async () => (await server.sql`select from flow_turns`).length === 0, "no turn is left");
});

inTeam("max_at_once: a run that waits at a step has a turn; a change of the number lets others begin", async (team) => {
  const { addFlow, inspect, ask } = team;
  const flow = await addFlow([wait(3600)], { max_at_once: 1 });
  const runs: string[] = [];
  for (let n = 0; n < 4; n++) runs.push(await start(team, flow));
  const [first = "", second = "", third = "", fourth = ""] = runs;
  await reaches(team, first, "waiting");
  for (const id of [second, third, fourth]) await isQueued(team, id);
  assert.equal((await inspect(first)).queued, false);
  const atStep = (id: string) =>
    until(async () => {
      const { status, queued, wake_at } = await inspect(id);
      return status === "waiting" && !queued && wake_at !== null;
    }, "the run waits at its step");
  assert.equal((await change(team, flow, { max_at_once: 2 })).body.version, 1, "no new version");
  await atStep(second);
  assert.equal((await inspect(third)).queued, true);
  assert.equal((await change(team, flow, { max_at_once: null })).status, 200);
  await Promise.all([third, fourth].map(atStep));
  for (const max_at_once of [0, 1_001, 1.5]) {
    assert.deepEqual(Object.keys((await change(team, flow, { max_at_once })).body), ["max_at_once"]);
  }
  // Queued runs of a flow that is deleted end.
  const gone = await addFlow([wait(3600)], { max_at_once: 1 });
  const [one, two] = [await start(team, gone), await start(team, gone)];
  await reaches(team, one, "waiting");
  await isQueued(team, two);
  assert.equal((await ask("DELETE", `/connect/flows/${gone.id}.json`)).status, 204);
  await until(async () => {
    await team.server.sweep();
    return (await inspect(two)).queued === false;
  }, "the sweep passes the turn on");
});

inTeam("max_at_once: with skip a further run does not start, and everybody is told why", async (team) => {
  const { ask, addFlow, addApp, inspect, server } = team;
  const flow = await addFlow([wait(3600)], { max_at_once: 1, overlap: "skip" });
  const first = await start(team, flow, { idempotency_key: "first" });
  await reaches(team, first, "waiting");
  const reason = `1 run is in progress, which is as many as ${flow.code} may have`;
  const refused = await ask_run(team, flow);
  assert.deepEqual([refused.status, refused.body], [409, {
    error: reason,
    code: "conflict",
    current: { flow_code: flow.code, max_at_once: 1 },
  }]);
  assert.equal(await start(team, flow, { idempotency_key: "first" }), first, "a repeated start is no further run");
  const app = await addApp(flow.code);
  const action = await ask("POST", `/platform/apps/${app}/action/go`, { json: {} });
  assert.deepEqual([action.status, action.body.error], [409, reason]);
  const parent = await addFlow([{ type: "flow", id: "sub", flow_code: flow.code }]);
  const above = await start(team, parent);
  await reaches(team, above, "error");
  assert.equal((await inspect(above)).error, `sub: ${reason}`);
  const told = `the flow ${flow.code} could not be started: ${reason}`;
  const cron = { kind: "webhook", target_code: flow.code, webhook: {} };
  const hook = made(await ask("POST", "/account/crons.json", { json: { cron } }));
  const { pathname } = new URL(hook.webhook_url);
  const deliver = async () => {
    const response = await server.handler(
      new Request(`http://atrium.test${pathname}`, { method: "POST", body: "{}" }),
    );
    return { status: response.status, body: await response.json() };
  };
  assert.deepEqual(await deliver(), { status: 202, body: { flow_process_id: null, state: "skipped", reason: told } });
  assert.equal((await ask("POST", `/account/crons/${hook.id}/fire.json`)).status, 409);
  const ledger = (await ask("GET", `/account/crons/${hook.id}/runs.json`)).body;
  assert.deepEqual(
    ledger.map(({ state, reason }: { state: string; reason: string }) => [state, reason]),
    [["skipped", `by hand: ${reason}`], ["skipped", told]],
  );
  const { active, last_status, failures } = (await ask("GET", `/account/crons/${hook.id}.json`)).body;
  assert.deepEqual([active, last_status, failures], [true, "skipped", 0], "which is no failure of the trigger");
  assert.equal((await ask("POST", `${PATH}/${first}/cancel.json`)).status, 200);
  const next = await start(team, flow);
  await reaches(team, next, "waiting");
});

inTeam("max_at_once: what a process left behind that died is mended by the sweep", async (team) => {
  const { addFlow, inspect, server } = team;
  const flow = await addFlow([wait(3600)], { max_at_once: 1 });
  const [row] = await server.sql<{ account_id: number }[]>`select account_id from flows where id = ${flow.id}`;
  const take = (held_since: string | null) =>
    server.sql`
      insert into flow_turns (run_id, account_id, flow_id, held_since)
      values (${crypto.randomUUID()}, ${row?.account_id ?? 0}, ${flow.id}, ${held_since})
    `;
  // It had taken a turn, and another one its place in the queue, before the runs were stored.
  await take("2020-01-31T09:00:00Z");
  await take(null);
  const first = await start(team, flow);
  const second = await start(team, flow);
  await isQueued(team, first);
  await isQueued(team, second);
  await server.sweep();
  await server.sql`update flow_turns set held_since = '2020-01-31' where held_since is not null`;
  const begins = (id: string) =>
    until(async () => {
      await server.sweep();
      const { status, queued } = await inspect(id);
      return status === "waiting" && !queued;
    }, "it is its turn");
  await begins(first);
  assert.equal((await inspect(second)).queued, true);
  // It had recorded the outcome, and not passed the turn on.
  await server.sql`
    insert into flow_processes (
      id, account_id, flow_id, flow_version, flow_code, trigger, status, attempts, input, steps, started_at, finished_at
    )
    select run_id, account_id, flow_id, flow_version, flow_code, trigger, 'finished', attempts, '{}', '[]', now(), now()
    from flow_waits
    where run_id = ${first}
  `;
  await server.sql`delete from flow_waits where run_id = ${first}`;
  await begins(second);
});
