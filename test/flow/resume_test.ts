/** Takeover: a run that one server starts is continued by another, without repeating its effects. */
import assert from "node:assert/strict";
import { createDatabase, on_postgres, startServer } from "../stage/harness.ts";
import { made } from "../stage/people.ts";
import { startApi } from "./flow_stage.ts";
import { until } from "../stage/until.ts";
import { testBeside } from "../stage/scenario.ts";

/** The environment that two servers use, one after the other. */
const placeFor = async (host: string) => ({
  DATA_DIR: await Deno.makeTempDir({ prefix: "atrium_resume_" }),
  EGRESS_ALLOW: host,
  ACTION_WAIT_MS: "0",
  ...on_postgres && { DATABASE_URL: await createDatabase() },
});

/** Calls of `/held` get no answer. @returns a function after which new calls are answered */
function hold({ answers }: ReturnType<typeof startApi>): () => void {
  let held = true;
  answers.set(
    "/held",
    (_, signal) =>
      held
        ? new Promise((resolve) => signal.addEventListener("abort", () => resolve(new Response())))
        : Response.json({ ok: true }),
  );
  return () => void (held = false);
}

testBeside({
  name: "resume: a server that stops hands its runs over, to itself when it comes back",
  // Timers of the database driver and of Deno KV end shortly after the server.
  async fn() {
    await using api = startApi();
    const environment = await placeFor(api.host);
    const large = "x".repeat(200_000);
    api.answers.set("/large", () => Response.json({ large }));
    const release = hold(api);
    const first = await startServer(environment);
    const post = async (path: string, json: unknown) => made(await first.request("POST", path, { json }));
    const methods = { get: { method: "GET", path: "/{path}" } };
    await post("/connect/connectors.json", {
      connector: { name: "API", code: "api", url: api.origin, fields: { auth: { type: "none" }, methods } },
    });
    await post("/platform/dbs.json", { db: { name: "Log", code: "log", schema: { fields: { n: "integer" } } } });
    const call = (path: string) => ({
      type: "connector",
      id: path,
      connector_code: "api",
      method: "get",
      params: { path },
    });
    const program = [
      { type: "mutation", set: { word: "none", random: "{= $random() & $now() }" } },
      { type: "code", id: "code", source: "export default () => { console.log('once'); return Math.random(); }" },
      call("large"),
      { type: "record", id: "log", action: "create", db_code: "log", data: { n: 1 } },
      { type: "if", condition: "{input.deep} == true", then: [call("held")] },
      {
        type: "return",
        data: { length: "{steps.large.body.large}", ok: "{json_object.ok}", word: "{word}", random: "{random}" },
      },
    ];
    const flow = await post("/connect/flows.json", { flow: { name: "Long", fields: { program } } });
    // Larger than a head may be, so it is stored in PostgreSQL.
    const input = { deep: true, word: "w".repeat(10_000) };
    const run = await first.request("POST", `/connect/flows/${flow.id}/run.json`, { json: { input } });
    assert.equal(run.body.status, "pending");
    const id = run.body.flow_process_id;
    await until(() => api.count("/held") === 1, "the second call comes");
    const steps = (await first.request("GET", `/connect/flow_processes/${id}.json`)).body.steps;
    assert.deepEqual(steps.map((step: { place: string }) => step.place), [
      "step_1",
      "code",
      "large",
      "log",
      "step_2",
      "held",
    ]);
    await first.close();

    release();
    const second = await startServer(environment);
    const inspect = async () => (await second.request("GET", `/connect/flow_processes/${id}.json`)).body;
    assert.equal((await inspect()).status, "pending", "it waits for whoever takes it");
    await second.sweep();
    await until(async () => (await inspect()).status !== "pending", "it ends");
    const ended = await inspect();
    assert.deepEqual([ended.status, ended.attempts, ended.data], [
      "finished",
      2,
      { length: large, ok: true, word: input.word, random: steps[0].output.random },
    ]);
    assert.deepEqual(ended.steps[1], steps[1], "the result of code is kept, with its console");
    assert.deepEqual([api.count("/large"), api.count("/held")], [1, 2]);
    assert.equal((await second.request("GET", "/platform/dbs/log/records.json")).body.length, 1);
    await second.close();
    await Deno.remove(environment.DATA_DIR, { recursive: true });
  },
});

testBeside({
  name: "resume: a run that was cancelled in a step stays cancelled where its first process could not record that",
  // Timers of the database driver and of Deno KV end shortly after the server.
  async fn() {
    await using api = startApi();
    const environment = await placeFor(api.host);
    hold(api);
    const first = await startServer(environment);
    const post = async (path: string, json: unknown) => made(await first.request("POST", path, { json }));
    await post("/connect/connectors.json", {
      connector: {
        name: "API",
        code: "api",
        url: api.origin,
        fields: { auth: { type: "none" }, methods: { held: { method: "GET", path: "/held" } } },
      },
    });
    const program = [{ type: "connector", id: "held", connector_code: "api", method: "held" }];
    const flow = await post("/connect/flows.json", { flow: { name: "Held", fields: { program } } });
    const run = await first.request("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
    const id = run.body.flow_process_id;
    await until(() => api.count("/held") === 1, "the call comes");
    await first.sql`
      create function refuse_outcomes() returns trigger language plpgsql as
      $$ begin raise exception 'out of order' using errcode = '57P03'; end $$
    `;
    await first.sql`create trigger refuse_outcomes before insert on flow_processes
      for each row execute function refuse_outcomes()`;
    assert.equal((await first.request("POST", `/connect/flow_processes/${id}/cancel.json`)).status, 200);
    await until(
      () => first.logged.some((line) => line.includes("an outcome could not be recorded")),
      "its outcome is refused",
    );
    await first.close();

    const second = await startServer(environment);
    await second.sql`drop trigger refuse_outcomes on flow_processes`;
    const inspect = async () => (await second.request("GET", `/connect/flow_processes/${id}.json`)).body;
    await second.sweep();
    await until(async () => (await inspect()).status !== "pending", "it ends");
    const { status, error, attempts } = await inspect();
    assert.deepEqual([status, error, attempts], ["cancelled", "Cancelled", 2]);
    assert.equal(api.count("/held"), 1, "the call is not repeated");
    await second.close();
    await Deno.remove(environment.DATA_DIR, { recursive: true });
  },
});

/**
 * @param by_ms by how much the run is aged while no server runs
 * @param calls how often each method is called
 * @param ends the run's final status and error
 */
async function leaveBehind({ by_ms, calls, ends }: { by_ms: number; calls: number; ends: unknown[] }): Promise<void> {
  await using api = startApi();
  const environment = await placeFor(api.host);
  // Too large for Deno KV, so the journal's entry is stored in PostgreSQL.
  api.answers.set("/large", () => Response.json({ large: "x".repeat(200_000) }));
  const release = hold(api);
  const first = await startServer(environment);
  const post = async (path: string, json: unknown) => made(await first.request("POST", path, { json }));
  const methods = { large: { method: "GET", path: "/large" }, held: { method: "GET", path: "/held" } };
  await post("/connect/connectors.json", {
    connector: { name: "API", code: "api", url: api.origin, fields: { auth: { type: "none" }, methods } },
  });
  const program = ["large", "held"].map((method) => ({ type: "connector", connector_code: "api", method }));
  const flow = await post("/connect/flows.json", { flow: { name: "Held", fields: { program } } });
  const run = await first.request("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
  const id = run.body.flow_process_id;
  await until(() => api.count("/held") === 1, "the second call comes");
  await first.close();
  const kv_path = `${environment.DATA_DIR}/kv.sqlite3`;
  {
    using kv = await Deno.openKv(kv_path);
    for await (const { key, value } of kv.list<Uint8Array>({ prefix: ["flow_runs"] })) {
      const head = JSON.parse(new TextDecoder().decode(value));
      const aged = JSON.stringify({ ...head, made_at: head.made_at - by_ms });
      await kv.set(key, new TextEncoder().encode(aged));
    }
  }
  release();
  const second = await startServer(environment);
  // As the sweep does after a day. On the embedded database a power failure can do the same.
  await second.sql`delete from flow_values where run_id = ${id}`;
  const inspect = async () => (await second.request("GET", `/connect/flow_processes/${id}.json`)).body;
  assert.deepEqual((await inspect()).steps, [], "nothing can be told of it");
  await second.sweep();
  await until(async () => (await inspect()).status !== "pending", "it ends");
  const { status, error } = await inspect();
  assert.deepEqual([status, error], ends);
  assert.deepEqual([api.count("/large"), api.count("/held")], [calls, calls]);
  await second.close();
  {
    using kv = await Deno.openKv(kv_path);
    const left = await Array.fromAsync(kv.list({ prefix: [] }), ({ key }) => key[0]);
    assert.deepEqual(left.filter((word) => word === "flow_runs" || word === "flow_steps"), []);
  }
  await Deno.remove(environment.DATA_DIR, { recursive: true });
}

const LEFT_BEHIND = [
  {
    name: "a run left behind for a day ends with that, and nothing more of it is done",
    by_ms: 24 * 3_600_000,
    calls: 1,
    ends: ["error", "Left behind for longer than a day"],
  },
  { name: "steps whose journal entries are gone run again", by_ms: 0, calls: 2, ends: ["finished", null] },
];
for (const { name, ...how } of LEFT_BEHIND) {
  testBeside({
    name: `resume: ${name}`,
    fn: () => leaveBehind(how),
  });
}

if (on_postgres) {
  testBeside({
    name: "cancel: through another process, the call in hand is cut off too",
    async fn() {
      await using api = startApi();
      const KV_URL = `${await Deno.makeTempDir({ prefix: "atrium_cancel_" })}/kv.sqlite3`;
      const environment = {
        DATABASE_URL: await createDatabase(),
        KV_URL,
        EGRESS_ALLOW: api.host,
        ACTION_WAIT_MS: "0",
      };
      const cut = Promise.withResolvers<void>();
      api.answers.set("/held", (_, signal) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => {
            cut.resolve();
            resolve(new Response());
          })
        ));
      const one = await startServer(environment);
      const other = await startServer(environment);
      const post = async (path: string, json: unknown) => made(await one.request("POST", path, { json }));
      const methods = { get: { method: "GET", path: "/held" } };
      await post("/connect/connectors.json", {
        connector: { name: "API", code: "api", url: api.origin, fields: { auth: { type: "none" }, methods } },
      });
      const program = [{ type: "connector", connector_code: "api", method: "get", timeout: 300 }];
      const flow = await post("/connect/flows.json", { flow: { name: "Held", fields: { program } } });
      const { body } = await one.request("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
      await until(() => api.count("/held") === 1, "the call comes");
      const path = `/connect/flow_processes/${body.flow_process_id}`;
      assert.equal((await other.request("POST", `${path}/cancel.json`)).status, 200);
      await cut.promise;
      const ended = async () => (await other.request("GET", `${path}.json`)).body.status;
      await until(async () => await ended() !== "pending", "it ends");
      assert.equal(await ended(), "cancelled");
      await other.close();
      await one.close();
    },
  });
}
