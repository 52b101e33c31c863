/** The input of triggers, and the trigger as templates see it. */
import assert from "node:assert/strict";
import { made } from "../../stage/people.ts";
import { type Ask, onSharedServer } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const inAccount = onSharedServer();

const at = (id: number, rest = "") => `/account/crons/${id}${rest}.json`;
const addFlow = async (ask: Ask, code: string, more: Record<string, unknown> = {}) =>
  made(await ask("POST", "/connect/flows.json", { json: { flow: { name: code, code, ...more } } }));
const add = async (ask: Ask, cron: Record<string, unknown> = {}) =>
  made(await ask("POST", "/account/crons.json", { json: { cron: { target_code: "watch", ...cron } } }));

const untilEnded = (ask: Ask, run: string): Promise<void> =>
  until(async () => {
    const { body } = await ask("GET", `/connect/flow_processes/${run}.json`);
    return body.status === "finished";
  }, "the run has ended");

inAccount("crons: input, and the trigger as templates see it, also in a repeated run", async ({ server, ask }) => {
  const seen = {
    day: "{trigger.due_date}",
    at: "{trigger.due_at}",
    zone: "{trigger.timezone}",
    of: "{trigger.cron_id}",
  };
  const fail = { type: "connector", id: "call", connector_code: "nowhere", method: "x", on_error: "continue" };
  const program = [fail, { type: "return", data: { ...seen, base: "{input.base}", kind: "{input.kind}" } }];
  const flow = await addFlow(ask, "watch", { fields: { program } });
  assert.deepEqual(Object.keys(flow.warnings), ["fields.program.0.connector_code"], "trigger is a known name");
  const { id, input } = await add(ask, { timezone: "Asia/Kolkata", schedule: "* * * * *", input: { base: "EUR" } });
  assert.deepEqual(input, { base: "EUR" });
  const due = new Date(`${new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)}T23:30:00Z`);
  await server.sql`update crons set next_run_at = ${due}, catch_up = 604800 where id = ${id}`;
  await server.tick();
  const runs: { due_at: string; flow_process_id: string | null }[] = (await ask("GET", at(id, "/runs"))).body;
  const { flow_process_id = "", due_at = "" } = runs.find((run) => run.flow_process_id !== null) ?? {};
  assert.ok(flow_process_id);
  await untilEnded(ask, flow_process_id);
  const local = new Date(new Date(due_at).getTime() + 330 * 60_000).toISOString().slice(0, 19);
  const expected = {
    day: local.slice(0, 10),
    at: `${local}+05:30`,
    zone: "Asia/Kolkata",
    of: id,
    base: "EUR",
    kind: null,
  };
  const dataOf = async (run: string) => (await ask("GET", `/connect/flow_processes/${run}.json`)).body.data;
  assert.deepEqual(await dataOf(flow_process_id), expected);
  const repeated = await ask("POST", `/connect/flow_processes/${flow_process_id}/retry.json`, { json: {} });
  assert.deepEqual(repeated.body.data, expected);
  const refused = await ask("PATCH", at(id), { json: { cron: { input: { text: "x".repeat(17_000) } } } });
  assert.deepEqual([refused.status, Object.keys(refused.body)], [422, ["input"]]);
});
