/** PostgreSQL is stopped under runs. A fault of the server's own database is never a fault of a step. */
import assert from "node:assert/strict";
import { on_postgres, startServer } from "../stage/harness.ts";
import { addAccount, as, made } from "../stage/people.ts";
import { startPostgres } from "../stage/postgres/postgres.ts";
import { proven } from "../stage/scenario.ts";
import { until } from "../stage/until.ts";
import { startApi } from "./flow_stage.ts";

const RUNS = 20;

for (const mode of ["immediate", "fast"] as const) {
  Deno.test({
    name: `PostgreSQL is restarted (${mode}) under runs: each finishes, with all its records`,
    ignore: !on_postgres,
    // Timers of the database driver and of Deno KV end shortly after the server.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      await using stack = new AsyncDisposableStack();
      const api = stack.use(startApi());
      // Stock durability: without it, PostgreSQL loses its last commits when it is stopped immediately.
      const postgres = await startPostgres();
      assert.ok(postgres);
      stack.defer(() => postgres.stop());
      const DATABASE_URL = await postgres.createDatabase("flows");
      const server = await startServer({ DATABASE_URL, EGRESS_ALLOW: api.host, ACTION_WAIT_MS: "0" });
      stack.defer(() => server.close());
      const ask = as(proven(server.request), (await addAccount(server)).token);
      const methods = { get: { method: "GET", path: "/{path}" } };
      const post = async (path: string, json: unknown) => made(await ask("POST", path, { json }));
      for (const code of ["api", "late"]) {
        await post("/connect/connectors.json", {
          connector: { name: code, code, url: api.origin, fields: { auth: { type: "none" }, methods } },
        });
      }
      const schema = { fields: { run: "string", large: "text" } };
      await post("/platform/dbs.json", { db: { name: "Marks", code: "marks", schema } });
      const call = (id: string, connector_code: string) => ({
        type: "connector",
        id,
        connector_code,
        method: "get",
        params: { path: id },
        on_error: "continue",
      });
      const list = { type: "record", id: "list", action: "list", db_code: "marks", filter: { run: "{run.id}" } };
      const program = [
        call("held", "api"),
        { type: "record", action: "create", db_code: "marks", data: { run: "{run.id}" }, on_error: "continue" },
        // Its output is stored in PostgreSQL before the next call.
        { ...list, on_error: "continue" },
        call("large", "api"),
        call("free", "late"),
        { type: "return", data: { ok: "{json_object.ok}", listed: "{steps.list.body.0.run}" } },
      ];
      const flow = await post("/connect/flows.json", { flow: { name: "Long", fields: { program } } });
      const held = Promise.withResolvers<void>();
      api.answers.set("/held", () => held.promise.then(() => Response.json({})));
      api.answers.set("/large", () => Response.json({ large: "x".repeat(100_000) }));
      api.answers.set("/free", () => Response.json({ ok: true }));
      const start = async () => (await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} })).body;
      const ids: string[] = [];
      for (let i = 0; i < RUNS; i++) ids.push((await start()).flow_process_id);
      await until(() => api.count("/held") >= 10, "runs wait for the first call");

      const comeBack = await postgres.interrupt(mode);
      held.resolve();
      await until(
        () => server.logged.some((line) => line.includes('"event":"a run waits for a store"')),
        "a step meets the stopped database",
      );
      await comeBack();

      const inspect = async (id: string) => (await ask("GET", `/connect/flow_processes/${id}.json`)).body;
      for (const id of ids) {
        await until(async () => !["pending", undefined].includes((await inspect(id)).status), `${id} ends`);
        const { status, error, data, steps } = await inspect(id);
        assert.deepEqual([status, error], ["finished", null]);
        assert.deepEqual(steps.map((step: { error: unknown }) => step.error), [null, null, null, null, null, null]);
        assert.deepEqual(data, { ok: true, listed: id });
      }
      const marks = (await ask("GET", "/platform/dbs/marks/records.json?per_page=500")).body;
      const runs = marks.map(({ data }: { data: { run: string } }) => data.run);
      assert.deepEqual(runs.toSorted(), ids.toSorted(), "one record of each run");
    },
  });
}
