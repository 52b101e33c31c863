/** A slow API must not delay runs that do not call it. */
import assert from "node:assert/strict";
import { until } from "../stage/until.ts";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

/** More than the runs of an account that are at work at once. */
const WAITING = 60;

inTeam("slots: 60 runs that wait for a slow API do not delay another run of the account", async (team) => {
  const { ask, api, addFlow } = team;
  const held = Promise.withResolvers<void>();
  const [slow, refused] = [crypto.randomUUID(), crypto.randomUUID()];
  api.answers.set(`/${slow}`, () => held.promise.then(() => Response.json({})));
  api.answers.set(`/${refused}`, () => new Response("down", { status: 503 }));
  const call = (path: string) => ({ type: "connector", connector_code: "api", method: "get", params: { path } });
  const waiting = await addFlow([call(slow)]);
  // Half of them wait for their turn to call or for the answer, half of them between two attempts.
  const pausing = await addFlow([{ ...call(refused), retry: { attempts: 10, delay: 300, max_delay: 300 } }]);
  const start = (flow: { id: number }) => ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
  const pending = async ({ code }: { code: string }) =>
    (await ask("GET", `/connect/flow_processes.json?status=pending&flow_code=${code}&per_page=500`)).body;
  const pausing_runs = Array.from({ length: WAITING }, () => start(pausing));
  await until(async () => (await pending(pausing)).length === WAITING, "the runs that pause have begun");
  const waiting_runs = Array.from({ length: WAITING }, () => start(waiting));
  await until(async () => (await pending(waiting)).length === WAITING, "the runs that call have begun");
  const other = await addFlow([{ type: "return", data: "at once" }]);
  const { body } = await start(other);
  assert.deepEqual([body.status, body.data], ["finished", "at once"]);
  assert.deepEqual([(await pending(waiting)).length, (await pending(pausing)).length], [WAITING, WAITING]);
  held.resolve();
  await Promise.all(waiting_runs);
  await until(async () => (await pending(waiting)).length === 0, "the runs that called have ended");
  const ended = (await ask("GET", `/connect/flow_processes.json?flow_code=${waiting.code}&per_page=500`)).body;
  assert.deepEqual(ended.filter(({ status }: { status: string }) => status !== "finished"), []);
  const left: { id: string }[] = await pending(pausing);
  await Promise.all(left.map(({ id }) => ask("POST", `/connect/flow_processes/${id}/cancel.json`)));
  await Promise.all(pausing_runs);
});
