/** Deno KV fails under runs. A fault of the server's own store is never a fault of a step. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { addTeam, startStage } from "../flow/flow_stage.ts";
import { made } from "../stage/people.ts";
import { until } from "../stage/until.ts";

const RUNS = 5;

Deno.test({
  name: "Deno KV fails under runs, at first its writes, then its reads, too: each finishes, and no step has failed",
  // Timers of the database driver and of Deno KV end shortly after the server.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using stage = await startStage({ ACTION_WAIT_MS: "0" });
    const { api, server } = stage;
    const { ask, addFlow } = await addTeam(stage);
    const schema = { fields: { run: "string" } };
    made(await ask("POST", "/platform/dbs.json", { json: { db: { name: "Marks", code: "marks", schema } } }));
    const call = (id: string) => ({
      type: "connector",
      id,
      connector_code: "api",
      method: "post",
      params: { path: id, body: "{run.id}" },
      on_error: "continue",
      retry: { attempts: 3, delay: 0 },
    });
    const flow = await addFlow([
      call("held"),
      { type: "record", action: "create", db_code: "marks", data: { run: "{run.id}" }, on_error: "continue" },
      call("second"),
      { type: "return", data: "{json_object.path}" },
    ]);
    const held = Promise.withResolvers<void>();
    api.answers.set("/held", () => held.promise.then(() => Response.json({ path: "held" })));
    api.answers.set("/second", () => Response.json({ path: "second" }));
    const start = () => ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
    const ids = await Promise.all(Array.from({ length: RUNS }, async () => (await start()).body.flow_process_id));
    await until(() => api.count("/held") === RUNS, "all are in their first call");

    const waiting = () => server.logged.filter((line) => line.includes("a run waits for a store")).length;
    {
      using sqlite = new DatabaseSync(`${server.data_dir}/kv.sqlite3`);
      sqlite.exec("pragma busy_timeout = 60000");
      sqlite.exec("create trigger away before insert on kv begin select raise(abort, 'disk I/O error'); end");
      held.resolve();
      await until(() => waiting() >= RUNS, "all wait");
      const refused = await start();
      assert.equal(refused.status, 503, "a run that cannot be stored is not acknowledged");
      sqlite.exec("alter table kv rename to kv_away");
      for (const id of ids) {
        const { status, body } = await ask("GET", `/connect/flow_processes/${id}.json`);
        assert.deepEqual(status === 200 ? body.status : status, status === 200 ? "pending" : 503);
      }
      sqlite.exec("alter table kv_away rename to kv");
      sqlite.exec("drop trigger away");
    }
    const inspect = async (id: string) => (await ask("GET", `/connect/flow_processes/${id}.json`)).body;
    for (const id of ids) {
      await until(async () => (await inspect(id)).status !== "pending", "it ends");
      const { status, error, data, failed_steps, steps } = await inspect(id);
      assert.deepEqual([status, error, data, failed_steps], ["finished", null, "second", 0]);
      assert.deepEqual(steps.map(({ attempts }: { attempts: number }) => attempts), [1, 1, 1, 1]);
    }
    const called = (path: string) =>
      api.calls.filter((one) => one.path === path).map(({ body }) => JSON.parse(body)).toSorted();
    assert.deepEqual([called("/held"), called("/second")], [ids.toSorted(), ids.toSorted()], "each call once");
    const marks = (await ask("GET", "/platform/dbs/marks/records.json")).body;
    assert.deepEqual(marks.map((mark: { data: { run: string } }) => mark.data.run).toSorted(), ids.toSorted());
  },
});
