/** The step type `record`, and its failures. */
import assert from "node:assert/strict";
import { on_postgres } from "../stage/harness.ts";
import { addDb } from "../stage/db.ts";
import { until } from "../stage/until.ts";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

inTeam("flow steps: records are made, found, changed and deleted", async ({ ask, run }) => {
  const schema = {
    fields: { day: { type: "string", required: true }, price: "number" },
    indexes: { idx_str_1: "day" },
  };
  const code = `prices_${crypto.randomUUID().slice(0, 8)}`;
  assert.equal(
    (await ask("POST", "/platform/dbs.json", { json: { db: { name: "Prices", code, schema } } })).status,
    201,
  );
  const record = (action: string, more: Record<string, unknown>) => ({
    type: "record",
    action,
    db_code: code,
    ...more,
  });
  const upsert = record("upsert", { match: { day: "{input.day}" }, data: { price: "{input.price}" } });
  const first = await run([upsert], { day: "mon", price: 1 });
  assert.deepEqual([first.data.day, first.data.price], ["mon", 1]);
  const second = await run([upsert], { day: "mon", price: 2 });
  assert.deepEqual([second.data.id, second.data.price], [first.data.id, 2]);
  const blind = await run([record("delete", { match: { day: "{inptu.day}" } })]);
  assert.match(blind.error, /match: .*inptu/, "a missing value is not replaced by a blank");
  const made = await run([record("create", { data: { day: "tue", price: "{input.price}" } })], { price: 3 });
  const list = await run([record("list", { filter: { price: { gte: 2 } }, sort: "-price", limit: 1 })]);
  assert.deepEqual(list.data.map((row: { day: string }) => row.day), ["tue"]);
  const got = await run([record("get", { record_id: "{input.id}" })], { id: made.data.id });
  assert.equal(got.data.day, "tue");
  const shouted = await run([record("get", { record_id: "{input.id}" })], { id: made.data.id.toUpperCase() });
  assert.deepEqual(shouted.data, got.data, "an id may come in capitals");
  assert.equal((await run([record("get", { match: { day: "wed" } })])).data, null);
  const changed = await run([record("update", { match: { day: "tue" }, data: { price: null } })]);
  assert.equal(changed.data.price, null);
  const missing = await run([record("update", { match: { day: "wed" }, data: { price: 1 } })]);
  assert.match(missing.error, /not found/i);
  const gone = await run([record("delete", { record_id: made.data.id })]);
  assert.deepEqual(gone.data, { id: made.data.id, deleted: true });
  const wrong = await run([record("create", { id: "make", data: { price: "much" } })]);
  assert.match(wrong.error, /^make: price must be a number; day can't be blank$/);
  const nowhere = await run([{ ...record("create", { data: {} }), db_code: "nowhere" }]);
  assert.match(nowhere.error, /nowhere/);
  const records = (await ask("GET", `/platform/dbs/${code}/records.json`)).body;
  assert.deepEqual(records.map((row: { data: unknown }) => row.data), [{ day: "mon", price: 2 }]);
});

inTeam("flow steps: runs that look for the same record at once make one", async ({ ask, addFlow }) => {
  const code = `once_${crypto.randomUUID().slice(0, 8)}`;
  const schema = { fields: { day: "string", n: "integer" } };
  assert.equal((await ask("POST", "/platform/dbs.json", { json: { db: { name: "Once", code, schema } } })).status, 201);
  const flow = await addFlow([
    { type: "record", action: "upsert", db_code: code, match: { day: "mon" }, data: { n: "{input.n}" } },
  ]);
  const runs = await Promise.all(
    Array.from({ length: 12 }, (_, n) => ask("POST", `/connect/flows/${flow.id}/run.json`, { json: { input: { n } } })),
  );
  assert.deepEqual([...new Set(runs.map(({ body }) => body.status))], ["finished"]);
  assert.equal((await ask("GET", `/platform/dbs/${code}/records.json`)).body.length, 1);
});

inTeam("flow steps: a value from outside names a record, and is never how it is looked for", async (team) => {
  const { ask, addFlow } = team;
  const code = `vip_${crypto.randomUUID().slice(0, 8)}`;
  const schema = { fields: { code: "string", n: "integer" } };
  assert.equal((await ask("POST", "/platform/dbs.json", { json: { db: { name: "Vip", code, schema } } })).status, 201);
  const records = `/platform/dbs/${code}/records.json`;
  await ask("POST", records, { json: { record: { data: { code: "one", n: 1 } } } });
  await ask("POST", records, { json: { record: { data: { n: 2 } } } });
  const on = { type: "record", db_code: code };
  const steps: Record<string, Record<string, unknown>> = {
    "get by match": { ...on, action: "get", match: { code: "{input.code}" } },
    "delete by match": { ...on, action: "delete", match: { code: "{input.code}" } },
    "update by match": { ...on, action: "update", match: { code: "{input.code}" }, data: { n: 9 } },
    "upsert": { ...on, action: "upsert", match: { code: "{input.code}" }, data: { n: 9 } },
    "get by id": { ...on, action: "get", record_id: "{input.code}" },
    "delete by id": { ...on, action: "delete", record_id: "{input.code}" },
    "list by filter": { ...on, action: "list", filter: { code: "{input.code}" } },
  };
  const values = [{ ne: "nobody" }, { contains: "o" }, ["one"], null, "", 5, true];
  const flows = await Promise.all(Object.values(steps).map((step) => addFlow([step])));
  for (const [index, name] of Object.keys(steps).entries()) {
    for (const value of values) {
      if (name === "list by filter" && (typeof value !== "object" || value === null)) continue;
      const path = `/connect/flows/${flows[index]?.id}/run.json`;
      const { body } = await ask("POST", path, { json: { input: { code: value } } });
      const found = JSON.stringify([name, value, body]);
      if (name === "get by id" && value === "") assert.deepEqual([body.status, body.data], ["finished", null], found);
      else if (name === "delete by id" && value === "") assert.equal(body.data.deleted, false, found);
      else assert.equal(body.status, "error", found);
    }
  }
  const left = (await ask("GET", `${records}?sort=created_at`)).body;
  assert.deepEqual(left.map(({ data }: { data: unknown }) => data), [{ code: "one", n: 1 }, { code: null, n: 2 }]);
});

if (on_postgres) {
  inTeam("flow steps: a record step whose time is over has not happened", async ({ ask, addFlow, server }) => {
    const code = `slow_${crypto.randomUUID().slice(0, 8)}`;
    const schema = { fields: { n: "integer" } };
    assert.equal(
      (await ask("POST", "/platform/dbs.json", { json: { db: { name: "Slow", code, schema } } })).status,
      201,
    );
    const flow = await addFlow([{
      type: "record",
      id: "save",
      action: "create",
      db_code: code,
      data: { n: 1 },
      timeout: 1,
    }]);
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = server.sql.begin(async (tx) => {
      await tx`lock table records in exclusive mode`;
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const running = ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
    // The step's time began before its statement did.
    const is_overdue = async () => {
      const [row] = await server.sql`
        select 1
        from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
          and query ~* 'records' and query_start < clock_timestamp() - interval '1 second'
      `;
      return row !== undefined;
    };
    await until(is_overdue, "the step has waited for longer than its time");
    held.resolve();
    await holding;
    const { body } = await running;
    const { steps } = (await ask("GET", `/connect/flow_processes/${body.flow_process_id}.json`)).body;
    const records = (await ask("GET", `/platform/dbs/${code}/records.json`)).body;
    assert.deepEqual([body.status, body.error, steps[0].status, records.length], [
      "error",
      "save: took longer than 1 s",
      "error",
      0,
    ]);
  });
}

inTeam("flow steps: a list that ends at the default limit warns", async ({ ask, run }) => {
  const { code } = await addDb(ask, { fields: { day: "string" } });
  const operations = Array.from({ length: 100 }, () => ({ action: "create", record: { data: { day: "sun" } } }));
  assert.equal((await ask("POST", `/platform/dbs/${code}/records/batch.json`, { json: { operations } })).status, 200);
  const warned = async (more: Record<string, unknown>) =>
    (await run([{ type: "record", action: "list", db_code: code, ...more }])).process.steps[0].warnings;
  assert.deepEqual(await warned({}), ["lists 100 records, the most without limit: there may be more"]);
  assert.deepEqual(await warned({ limit: 100 }), []);
});
