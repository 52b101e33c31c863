/** Triggers that changes of records start: order, once-ness, filters, visibility, overlap, pause, loops and gaps. */
import assert from "node:assert/strict";
import { ADMIN_TOKEN, beside, createDatabase, on_postgres, startServer } from "../../stage/harness.ts";
import { readPage } from "../../once/docs/pages.ts";
import {
  add,
  addFlow,
  addTrigger,
  at,
  batchesOf,
  change,
  changesOf,
  holdOpen,
  ledgerOf,
  name,
  proveOrder,
  remove,
  RETURN_CHANGES,
  SCHEMA,
  told,
} from "./record_stage.ts";
import { addPerson, as, made } from "../../stage/people.ts";
import { inTurn, onSharedServer, proven, testBeside } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";
import { addDb } from "../../stage/visitors.ts";

const inAccount = onSharedServer();

inAccount(
  "record triggers: each change once, in the order of the commits, in bounded batches",
  async ({ server, ask }) => {
    const db_code = await addDb(ask, { schema: SCHEMA });
    const early = await add(ask, db_code, { title: "early" });
    const { id, sentence, overlap, schedule, next_times, record } = await addTrigger(ask, { db_code, at_most: 3 });
    assert.deepEqual([sentence, overlap, schedule, next_times], [
      `When a record of ${db_code} is created, updated or deleted`,
      "queue",
      null,
      [],
    ]);
    const on = ["create", "update", "delete"];
    assert.deepEqual(record, { db_code, table_name: null, on, filter: null, at_most: 3 });
    await change(ask, db_code, early, { data: { title: "changed" } });
    await remove(ask, db_code, early);
    await Promise.all(Array.from({ length: 20 }, (_, n) => add(ask, db_code, { title: `t${n}`, n })));
    const operations = Array.from(
      { length: 5 },
      (_, n) => ({ action: "create", record: { data: { title: `b${n}` } } }),
    );
    await ask("POST", `/platform/dbs/${db_code}/records/batch.json`, { json: { operations } });
    const changes = await changesOf(server, id, 27);
    await proveOrder(server, id, changes);
    const [first, second] = changes;
    assert.deepEqual([first?.kind, first?.record?.title, first?.before?.title], ["update", "changed", "early"]);
    assert.deepEqual([second?.kind, second?.record, second?.before?.title], ["delete", null, "changed"]);
    assert.equal(first?.record_id, early);
    const sizes = (await batchesOf(server, id)).map(({ length }) => length);
    assert.ok(sizes.every((size) => size >= 1 && size <= 3), sizes.join());

    const long = await add(ask, db_code, { title: "long" });
    const text_db = await addDb(ask, { schema: { fields: { title: "text" } } });
    const of_texts = await addTrigger(ask, { db_code: text_db });
    await add(ask, text_db, { title: "x".repeat(300_000) });
    const [too_long] = await changesOf(server, of_texts.id, 1);
    assert.deepEqual([too_long?.too_long, too_long?.record], [true, null]);
    await changesOf(server, id, 28);

    const tested = [{ kind: "create", record: { title: "a test" } }];
    for (const [input, seen] of [[undefined, []], [{ changes: tested }, tested]]) {
      const { flow_process_id } = (await ask("POST", at(id, "/fire"), { json: { input } })).body;
      const run = async () => (await ask("GET", `/connect/flow_processes/${flow_process_id}.json`)).body;
      await until(async () => (await run()).status === "finished", "the run by hand has ended");
      assert.deepEqual((await run()).data, seen, "a run by hand has the changes of its input, or none");
    }
    await remove(ask, db_code, long);
    await changesOf(server, id, 29);
  },
);

inAccount("record triggers: the example of the documentation runs", async ({ server, ask }) => {
  const { blocks } = await readPage("docs/triggers.md");
  const json = blocks.filter(({ info }) => info === "json").map(({ text }) => JSON.parse(text));
  const { fields } = json.find((value) => value.fields);
  const { cron } = json.find((value) => value.cron?.kind === "record");
  const { db_code } = cron.record;
  const fields_of = { total: "number", customer: "string", status: "string" };
  made(
    await ask("POST", "/platform/dbs.json", {
      json: { db: { name: db_code, code: db_code, schema: { fields: fields_of } } },
    }),
  );
  const log = { name: "Log", code: "large_orders", schema: { fields: { order: "string", total: "number" } } };
  made(await ask("POST", "/platform/dbs.json", { json: { db: log } }));
  const flow = { name: cron.target_code, code: cron.target_code, fields };
  made(await ask("POST", "/connect/flows.json", { json: { flow } }));
  made(await ask("POST", "/account/crons.json", { json: { cron } }));
  await add(ask, db_code, { total: 5, customer: "small" });
  const id = await add(ask, db_code, { total: 5_000, customer: "large" });
  const logged = async () => (await ask("GET", "/platform/dbs/large_orders/records.json")).body;
  await until(async () => (await logged()).length > 0, "the large order is noted");
  assert.deepEqual((await logged()).map(({ data }: { data: unknown }) => data), [{ order: id, total: 5_000 }]);
  assert.ok(server);
});

inAccount("record triggers: kinds, a table and a filter in the language of lists", async ({ server, ask }) => {
  const { fields } = SCHEMA;
  const db_code = await addDb(ask, {
    schema: { tables: { people: { fields, indexed_fields: ["n"] }, notes: { fields } } },
  });
  const table_name = "people";
  const filter = { n: { gte: 10, lt: 100 }, title: { contains: "ŁÓ" } };
  const chosen = await addTrigger(ask, { db_code, table_name, filter, on: ["update", "delete"] });
  const all = await addTrigger(ask, { db_code });
  const id = await add(ask, db_code, { title: "Łódź", n: 1 }, { table_name });
  await change(ask, db_code, id, { table_name, data: { n: 50 } });
  await change(ask, db_code, id, { table_name, data: { title: "Gdańsk" } });
  await change(ask, db_code, id, { table_name, data: { title: "łódź", n: 99 } });
  await add(ask, db_code, { title: "Łódź", n: 50 }, { table_name: "notes" });
  await remove(ask, db_code, id);
  const changes = await changesOf(server, chosen.id, 3);
  assert.deepEqual(told(changes), ["update Łódź", "update łódź", "delete łódź"]);
  assert.deepEqual(
    (await changesOf(server, all.id, 6)).map(({ table_name }) => table_name).filter((t) => t === "notes"),
    [
      "notes",
    ],
  );

  // The cursor stays with the database: a new filter holds for what has not been passed on.
  await ask("PATCH", at(chosen.id), { json: { cron: { record: { db_code, table_name: "notes", filter: { n: 7 } } } } });
  await add(ask, db_code, { title: "six", n: 6 }, { table_name: "notes" });
  await add(ask, db_code, { title: "seven", n: 7 }, { table_name: "notes" });
  assert.deepEqual(told((await changesOf(server, chosen.id, 4)).slice(3)), ["create seven"]);

  const single = await addDb(ask, { schema: SCHEMA });
  const rows: [cron: Record<string, unknown>, field: string][] = [
    [{ record: null }, "record"],
    [{}, "record"],
    [{ record: { db_code: single }, schedule: "0 9 * * *" }, "schedule"],
    [{ record: { db_code: single }, webhook: {} }, "webhook"],
    [{ kind: "webhook", record: { db_code: single } }, "record"],
    [{ record: { db_code: "missing" } }, "record.db_code"],
    [{ record: { db_code: single, table_name: "people" } }, "record.table_name"],
    [{ record: { db_code, filter: { n: 1 } } }, "record.filter"],
    [{ record: { db_code: single, filter: { m: 1 } } }, "record.filter"],
    [{ record: { db_code: single, filter: { n: { like: 1 } } } }, "record.filter"],
    [{ record: { db_code: single, on: [] } }, "record.on"],
    [{ record: { db_code: single, at_most: 501 } }, "record.at_most"],
    [{ record: { db_code: single, filtre: {} } }, "record.filtre"],
  ];
  const target_code = await addFlow(ask);
  await inTurn(rows, async ([cron, field]) => {
    const json = { cron: { kind: "record", target_code, ...cron } };
    const { status, body } = await ask("POST", "/account/crons.json", { json });
    assert.deepEqual([status, Object.keys(body)], [422, [field]], JSON.stringify(body));
  });
});

inAccount("record triggers: only what the trigger's author sees at that time", async ({ server, ask }) => {
  const department = async (name: string): Promise<number> =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [one, two] = [await department("One"), await department("Two")];
  const db_code = await addDb(ask, { schema: SCHEMA, department_id: one });
  const manager = await addPerson(ask, "manager", { department_ids: [one], without_department: false });
  const as_manager = as(ask, manager.token);
  const target_code = made(
    await as_manager("POST", "/connect/flows.json", {
      json: { flow: { name: name("flow"), department_id: one, fields: { program: RETURN_CHANGES } } },
    }),
  ).code;
  const { id } = await addTrigger(as_manager, { db_code }, { target_code, department_id: one });
  const hidden = await addDb(ask, { schema: SCHEMA, department_id: two });
  const unseen = await as_manager("POST", "/account/crons.json", {
    json: { cron: { kind: "record", target_code, department_id: one, record: { db_code: hidden } } },
  });
  assert.deepEqual([unseen.status, Object.keys(unseen.body)], [422, ["record.db_code"]]);
  const other = await add(ask, db_code, { title: "other" }, { department_id: two });
  const own = await add(ask, db_code, { title: "own" }, { department_id: one });
  await change(ask, db_code, other, { data: { title: "other still" } });
  await change(ask, db_code, own, { department_id: two });
  await change(ask, db_code, other, { department_id: one, data: { title: "shown" } });
  assert.deepEqual(told(await changesOf(server, id, 3)), ["create own", "delete own", "create shown"]);

  // What the author sees counts when the change is passed on, not when it is made.
  const end = await holdOpen(server, id);
  await add(ask, db_code, { title: "seen then" }, { department_id: one });
  await ask("PATCH", `/account/user_settings/${manager.id}.json`, {
    json: { user_setting: { department_ids: [two] } },
  });
  await end();
  const read = async () => (await ask("GET", at(id))).body;
  await until(async () => !(await read()).active, "the trigger is paused");
  const { paused_reason, obstacle } = await read();
  assert.equal(paused_reason, `there is no database ${db_code}`);
  assert.notEqual(obstacle, null);
  assert.equal((await changesOf(server, id, 3)).length, 3);
});

inAccount("record triggers: overlap, an inactive flow, pause and resume", async ({ server, ask }) => {
  const db_code = await addDb(ask, { schema: SCHEMA });
  const [queue, skip] = [await addTrigger(ask, { db_code }), await addTrigger(ask, { db_code }, { overlap: "skip" })];
  const allow = await addTrigger(ask, { db_code }, { overlap: "allow" });
  const ends = [await holdOpen(server, queue.id), await holdOpen(server, skip.id)];
  await holdOpen(server, allow.id);
  const skipped = async (id: number) => {
    const rows: { state: string; slots: number; reason: string }[] = await ledgerOf(ask, id);
    return rows.filter(({ state }) => state === "skipped");
  };
  const skippedCount = async (id: number) => (await skipped(id)).reduce((sum, { slots }) => sum + slots, 0);
  await add(ask, db_code, { title: "a" });
  await until(async () => await skippedCount(skip.id) === 1, "the change was skipped");
  await add(ask, db_code, { title: "b" });
  await until(async () => await skippedCount(skip.id) === 2, "the second one, too");
  assert.deepEqual((await skipped(skip.id)).map(({ reason, slots }) => [reason, slots]), [[
    "the run before has not ended",
    2,
  ]]);
  assert.deepEqual(told(await changesOf(server, allow.id, 2)), ["create a", "create b"]);
  assert.deepEqual(await batchesOf(server, queue.id), []);
  await inTurn(ends, (end) => end());
  assert.deepEqual(await batchesOf(server, skip.id), []);
  await changesOf(server, queue.id, 2);
  const [batch, ...others] = await batchesOf(server, queue.id);
  assert.deepEqual([told(batch ?? []), others], [["create a", "create b"], []]);

  await ask("PATCH", at(queue.id), { json: { cron: { active: false } } });
  await add(ask, db_code, { title: "c" });
  await changesOf(server, allow.id, 3);
  assert.equal((await batchesOf(server, queue.id)).length, 1);
  await ask("POST", at(queue.id, "/resume"));
  assert.deepEqual(told((await changesOf(server, queue.id, 3)).slice(2)), ["create c"]);

  const flows = (await ask("GET", "/connect/flows.json?per_page=100")).body;
  const flow = flows.find(({ code }: { code: string }) => code === queue.target_code);
  await ask("PATCH", `/connect/flows/${flow.id}.json`, { json: { flow: { active: false } } });
  await add(ask, db_code, { title: "d" });
  await until(async () => await skippedCount(queue.id) === 1, "the inactive flow was not started");
  const { last_status, failures, active } = (await ask("GET", at(queue.id))).body;
  assert.deepEqual([last_status, failures, active], ["skipped", 0, true]);
  await ask("DELETE", `/connect/flows/${flow.id}.json?force=true`);
  await ask("PATCH", at(queue.id), { json: { cron: { max_failures: 1 } } });
  await add(ask, db_code, { title: "e" });
  await until(async () => !(await ask("GET", at(queue.id))).body.active, "a missing flow is a failure");
  assert.equal((await ask("GET", at(queue.id))).body.last_status, "skipped");
});

inAccount(
  "record triggers: a trigger's own changes do not start it, those of its sub-flows included",
  async ({ server, ask }) => {
    const db_code = await addDb(ask, { schema: SCHEMA });
    const create = (title: string) => ({ type: "record", action: "create", db_code, data: { title } });
    const child = await addFlow(ask, [create("by the child")]);
    const target_code = await addFlow(ask, [
      create("by the run"),
      { type: "flow", flow_code: child },
      { type: "return", data: "{input.changes}" },
    ]);
    const own = await addTrigger(ask, { db_code }, { target_code });
    const other = await addTrigger(ask, { db_code });
    await add(ask, db_code, { title: "by hand" });
    assert.deepEqual(told(await changesOf(server, other.id, 3)), [
      "create by hand",
      "create by the run",
      "create by the child",
    ]);
    await until(async () => (await batchesOf(server, own.id)).length === 1, "the run has ended");
    await server.tick();
    await add(ask, db_code, { title: "again" });
    assert.deepEqual(told(await changesOf(server, own.id, 2)), ["create by hand", "create again"]);
  },
);

inAccount(
  "record triggers: a deleted database pauses, and one of the same code begins anew",
  async ({ server, ask }) => {
    const db_code = await addDb(ask, { schema: SCHEMA });
    const { id } = await addTrigger(ask, { db_code });
    const used = await ask("DELETE", `/platform/dbs/${db_code}.json`);
    assert.deepEqual([used.status, used.body.used_by.map(({ kind }: { kind: string }) => kind)], [409, ["cron"]]);
    await add(ask, db_code, { title: "a" });
    await changesOf(server, id, 1);
    assert.equal((await ask("DELETE", `/platform/dbs/${db_code}.json?force=true`)).status, 204);
    const read = async () => (await ask("GET", at(id))).body;
    await until(async () => !(await read()).active, "the trigger is paused");
    const reason = `there is no database ${db_code}`;
    const { paused_reason, obstacle, last_status } = await read();
    assert.deepEqual([paused_reason, obstacle, last_status], [reason, reason, "skipped"]);
    assert.deepEqual((await ledgerOf(ask, id)).map(({ state }: { state: string }) => state), ["ran", "skipped"]);
    await ask("POST", at(id, "/resume"));
    await until(async () => !(await read()).active, "it is paused again");
    made(await ask("POST", "/platform/dbs.json", { json: { db: { name: db_code, code: db_code, schema: SCHEMA } } }));
    await add(ask, db_code, { title: "before the resume" });
    assert.equal((await ask("POST", at(id, "/resume"))).body.active, true);
    await add(ask, db_code, { title: "after it" });
    assert.deepEqual(told((await changesOf(server, id, 2)).slice(1)), ["create after it"]);

    // A filter that no longer fits pauses, too: the changes stay in the feed.
    await ask("PATCH", at(id), { json: { cron: { record: { db_code, filter: { n: 1 } } } } });
    await ask("PATCH", `/platform/dbs/${db_code}.json`, { json: { db: { schema: { fields: { title: "string" } } } } });
    await add(ask, db_code, { title: "unfiltered" });
    await until(async () => !(await read()).active, "the filter names no field");
    assert.match((await read()).paused_reason, /filter\[n\] names no field/);
    await ask("PATCH", at(id), { json: { cron: { active: true, record: { db_code } } } });
    assert.deepEqual(told((await changesOf(server, id, 3)).slice(2)), ["create unfiltered"]);
  },
);

inAccount("record triggers: the feed stays open, and a gap in it is noted as missed", async ({ server, ask }) => {
  const { sql } = server;
  const db_code = await addDb(ask, { schema: SCHEMA });
  const { id } = await addTrigger(ask, { db_code });
  const isHeld = async () =>
    (await sql`select from dbs where code = ${db_code} and live_until = 'infinity'`).length === 1;
  assert.ok(await isHeld());
  await ask("PATCH", at(id), { json: { cron: { active: false } } });
  await inTurn(["a", "b", "c"], (title) => add(ask, db_code, { title }));
  await sql`
    update record_changes set created_at = now() - interval '25 hours'
    where db_id = (select db_id from record_cursors where id = ${id})
  `;
  await server.sweep();
  await add(ask, db_code, { title: "d" });
  await ask("POST", at(id, "/resume"));
  const missed = async () =>
    (await ledgerOf(ask, id)).filter(({ state }: { state: string }) => state === "missed") as {
      slots: number;
      reason: string;
    }[];
  await until(async () => (await missed()).length === 1, "the gap is noted");
  const [row] = await missed();
  assert.equal(row?.slots, 4);
  assert.match(row?.reason ?? "", /24 hours/);
  await add(ask, db_code, { title: "e" });
  assert.deepEqual(told(await changesOf(server, id, 1)), ["create e"]);

  // Departments change what subscribers see. No change of a record is missing then.
  await ask("PATCH", at(id), { json: { cron: { active: false } } });
  await add(ask, db_code, { title: "f" });
  made(await ask("POST", "/account/departments.json", { json: { department: { name: "New" } } }));
  await ask("POST", at(id, "/resume"));
  assert.deepEqual(told((await changesOf(server, id, 2)).slice(1)), ["create f"]);
  assert.equal((await missed()).length, 1);

  await server.tick();
  assert.ok(await isHeld());
  await ask("DELETE", at(id));
  await server.tick();
  assert.equal(await isHeld(), false);
});

testBeside({
  name: "record triggers: two processes pass on each change once and in order",
  ignore: !on_postgres,
  async fn() {
    const DATABASE_URL = await createDatabase();
    const here = await startServer({ DATABASE_URL });
    const there = await startServer(beside(here, DATABASE_URL));
    const asks = [here, there].map(({ request }) => as(proven(request), ADMIN_TOKEN));
    const [ask] = asks;
    assert.ok(ask);
    const db_code = await addDb(ask, { schema: SCHEMA });
    const triggers = [await addTrigger(ask, { db_code, at_most: 7 }), await addTrigger(ask, { db_code, at_most: 1 })];
    const count = 60;
    await Promise.all(
      asks.flatMap((ask, i) => Array.from({ length: count / 2 }, (_, n) => add(ask, db_code, { title: `${i} ${n}` }))),
    );
    await inTurn(triggers, async ({ id }) => await proveOrder(here, id, await changesOf(here, id, count)));
    await there.close();
    await add(ask, db_code, { title: "last" });
    await inTurn(triggers, async ({ id }) => await proveOrder(here, id, await changesOf(here, id, count + 1)));
    await here.close();
  },
});
