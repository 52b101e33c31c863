/** How often a process may die with a run: only processes that worked on it count. */
import assert from "node:assert/strict";
import { until } from "../stage/until.ts";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

inTeam("crashes: a run that waited for its turn is not given up, one that was worked on is", async (team) => {
  const { ask, server, addFlow } = team;
  const flow = await addFlow([{ type: "return", data: "done" }]);
  const { account_id } = (await server.sql<{ account_id: number }[]>`
    select account_id from flows where id = ${flow.id}
  `)[0] ?? {};
  assert.ok(account_id);
  using kv = await Deno.openKv(`${server.data_dir}/kv.sqlite3`);
  const ids: string[] = [];
  for (const working of [false, true]) {
    const id = `${Date.now().toString(16).padStart(12, "0").replace(/^(.{8})(.{4})$/, "$1-$2")}-7000-8000-${
      crypto.randomUUID().slice(-12)
    }`;
    const head = {
      id,
      account_id,
      department_id: null,
      flow_id: flow.id,
      flow_version: 1,
      flow_code: flow.code,
      trigger: "manual",
      user_id: null,
      app_id: null,
      action: null,
      cron_id: null,
      retry: null,
      made_at: Date.now(),
      begun_at: null,
      owner: "a process that has died",
      working,
      lost: 4,
      attempts: 5,
      input: {},
    };
    await kv.set(["flow_runs", account_id, id], new TextEncoder().encode(JSON.stringify(head)));
    ids.push(id);
  }
  await server.sweep();
  const ends = await Promise.all(ids.map(async (id) => {
    const inspect = async () => (await ask("GET", `/connect/flow_processes/${id}.json`)).body;
    await until(async () => (await inspect()).status !== "pending", "it ends");
    const { status, error } = await inspect();
    return [status, error];
  }));
  assert.deepEqual(ends, [["finished", null], [
    "error",
    "Given up: 5 processes went away while they worked on it",
  ]]);
});
