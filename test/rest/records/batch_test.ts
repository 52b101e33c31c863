/** `POST …/records/batch.json`: many writes in one transaction. */
import assert from "node:assert/strict";
import { NO_UUID } from "../../stage/addresses.ts";
import { addAccount, addPerson, as, made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";
import { addDb } from "../../stage/visitors.ts";

const test = onSharedServer();

const SCHEMA = {
  fields: { title: { type: "string", required: true }, n: "integer", note: "text" },
  indexes: { idx_int_1: "n" },
};
const create = (data: Record<string, unknown>, more = {}) => ({ action: "create", record: { data, ...more } });
const update = (id: string, data: Record<string, unknown>, more = {}) => ({
  action: "update",
  id,
  record: { data, ...more },
});
const remove = (id: string) => ({ action: "delete", id });

const run = (ask: Ask, code: string, operations: unknown) =>
  ask("POST", `/platform/dbs/${code}/records/batch.json`, { json: { operations } });

async function titles(ask: Ask, code: string, query = "sort=title"): Promise<string[]> {
  const { body } = await ask("GET", `/platform/dbs/${code}/records.json?${query}`);
  return body.map(({ data }: { data: { title: string } }) => data.title);
}

test("batch: creates, updates and deletes in one answer, in their order", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const [a, b] = (await run(ask, code, [create({ title: "a" }), create({ title: "b", n: 1 })])).body;
  assert.deepEqual([a.data.title, b.data.title, b.data.n], ["a", "b", 1]);
  const { status, body } = await run(ask, code, [
    update(a.id, { n: 7 }),
    create({ title: "c" }),
    remove(b.id),
    update(a.id, { note: "second" }),
    create({ title: "d" }),
  ]);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.map(({ data }: { data?: { title: string } }) => data?.title), ["a", "c", undefined, "a", "d"]);
  assert.deepEqual(body[2], { id: b.id });
  assert.deepEqual(body[3].data, { title: "a", n: 7, note: "second" });
  assert.deepEqual(await titles(ask, code), ["a", "c", "d"]);
  assert.deepEqual(await titles(ask, code, "filter[n]=7"), ["a"], "the index knows it");
  assert.deepEqual(await titles(ask, code, "sort=created_at"), ["a", "c", "d"], "creates stand in their order");
  const history = (await ask("GET", `/platform/dbs/${code}/records/${a.id}/history.json`)).body;
  assert.deepEqual(
    history.map((
      { action, before, after, user_name }: Record<string, unknown>,
    ) => [action, before, after, !!user_name]),
    [["update", { note: null }, { note: "second" }, true], ["update", { n: null }, { n: 7 }, true]],
    "each change is in the record's history, with its author",
  );
});

test("batch: one fault and nothing is written", async ({ ask, play }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const { body: [a, b] } = await run(ask, code, [create({ title: "a" }), create({ title: "b" })]);
  const path = `/platform/dbs/${code}/records/batch.json`;
  const rows: [name: string, operations: unknown, status: number, body?: Record<string, unknown>][] = [
    ["a blank field", [create({ title: "x" }), create({ title: "" })], 422, {
      "operations.1.record.data.title": ["can't be blank"],
    }],
    ["faults of several", [create({}), update(a.id, { n: "1" }), create({ title: "x", nope: 1 })], 422, {
      "operations.0.record.data.title": ["can't be blank"],
      "operations.1.record.data.n": /integer/,
      "operations.2.record.data.nope": /./,
    }],
    ["an update of nothing", [create({ title: "x" }), update(NO_UUID, { n: 1 })], 422, {
      "operations.1.id": ["must exist"],
    }],
    ["a delete of nothing", [remove(a.id), remove(NO_UUID)], 422, { "operations.1.id": ["must exist"] }],
    ["a delete twice", [remove(a.id), remove(a.id)], 422, { "operations.1.id": ["must exist"] }],
    ["an update of what it has deleted", [remove(b.id), update(b.id, { n: 1 })], 422, {
      "operations.1.id": ["must exist"],
    }],
    ["an action that is none", [create({ title: "x" }), { action: "upsert" }], 422, { "operations.1.action": /./ }],
    ["an id that is none", [update("7", {})], 422, { "operations.0.id": /./ }],
    ["no data", [{ action: "create", record: {} }], 422, { "operations.0.record.data": /./ }],
    ["no operations", [], 422, { operations: /./ }],
    ["operations that are none", "x", 422, { operations: /./ }],
    ["too many operations", Array.from({ length: 1001 }, () => remove(NO_UUID)), 422, { operations: /1000/ }],
    ["no such department", [create({ title: "x" }), create({ title: "x", n: "1" }, { department_id: 999_999 })], 422, {
      "operations.1.record.department_id": ["must exist"],
      "operations.1.record.data.n": ["must be an integer"],
    }],
    [
      "a name that objects have",
      [{ action: "create", record: { data: JSON.parse('{"title":"x","__proto__":1}') } }],
      422,
      {
        "operations.0.record.data.__proto__": ["is not a known field"],
      },
    ],
    ["a table that is not there", [create({ title: "x" }), create({ title: "x" }, { table_name: "dogs" })], 404, {
      error: "operations.1 names a table that is not there: dogs",
    }],
  ];
  await play(rows.map(([name, operations, status, body]): Scenario => ({
    name,
    method: "POST",
    path,
    sent: { json: { operations } },
    status,
    ...body && { body },
    then: async () => assert.deepEqual(await titles(ask, code), ["a", "b"]),
  })));
});

test("batch: a thousand at once, over several tables", async ({ ask }) => {
  const fields = { title: "string", n: "integer" };
  const code = await addDb(ask, {
    schema: { tables: { people: { fields }, dogs: { fields, indexed_fields: ["n"] } } },
  });
  const operations = Array.from(
    { length: 1000 },
    (_, n) => create({ title: `${n}`, n }, { table_name: n % 3 ? "people" : "dogs" }),
  );
  const { status, body } = await run(ask, code, operations);
  assert.equal(status, 200);
  assert.deepEqual(body.map(({ data }: { data: { n: number } }) => data.n), operations.map((_, n) => n));
  assert.equal(body[3].table_name, "dogs");
  assert.deepEqual(await titles(ask, code, "table_name=dogs&filter[n]=999"), ["999"]);
  const unnamed = await run(ask, code, [create({ title: "x" }, { table_name: "dogs" }), create({ title: "x" })]);
  assert.deepEqual([unnamed.status, unnamed.body.code], [400, "table_name_required"]);
  assert.match(unnamed.body.error, /^operations\.1 names no table/);
});

test("batch: an id is enough for a record of several tables", async ({ ask, server }) => {
  const fields = { title: "string", n: "integer" };
  const one = { tables: { people: { fields }, dogs: { fields: { ...fields, age: "integer" } } } };
  const code = await addDb(ask, { schema: one });
  const { body: [ada, rex, bo] } = await run(ask, code, [
    create({ title: "Ada" }, { table_name: "people" }),
    create({ title: "Rex" }, { table_name: "dogs" }),
    create({ title: "Bo" }, { table_name: "dogs" }),
  ]);
  const { status, body } = await run(ask, code, [
    update(ada.id, { n: 1 }),
    update(rex.id.toUpperCase(), { age: 3 }),
    remove(bo.id),
    update(rex.id, { n: 2 }, { table_name: "dogs" }),
    create({ title: "Eve" }, { table_name: "people" }),
  ]);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.map(({ table_name }: { table_name?: string }) => table_name), [
    "people",
    "dogs",
    undefined,
    "dogs",
    "people",
  ]);
  assert.deepEqual([body[0].data.n, body[3].data], [1, { title: "Rex", n: 2, age: 3 }]);
  const refused = await run(ask, code, [
    update(ada.id, { age: 1 }),
    update(NO_UUID, { n: 1 }),
    remove(bo.id),
    update(rex.id, { n: 1 }),
  ]);
  assert.deepEqual(refused.body, {
    "operations.0.record.data.age": ["is not a field of this table"],
    "operations.1.id": ["must exist"],
    "operations.2.id": ["must exist"],
  });
  const elsewhere = await run(ask, code, [update(ada.id, { n: 1 }, { table_name: "dogs" })]);
  assert.deepEqual(elsewhere.body, { "operations.0.id": ["must exist"] }, "another table that is named is not its own");
  const theirs = as(ask, (await addAccount(server)).token);
  const other = await addDb(theirs, { schema: one });
  assert.deepEqual((await run(theirs, other, [remove(ada.id)])).body, { "operations.0.id": ["must exist"] });
});

test("batch: of a record that is hidden its id says nothing, in several tables either", async ({ ask }) => {
  const department = async (name: string) =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [one, two] = [await department("One"), await department("Two")];
  const code = await addDb(ask, { schema: { tables: { people: { fields: { title: "string" } } } } });
  const { body: [hidden] } = await run(ask, code, [create({}, { table_name: "people", department_id: two })]);
  const user = as(ask, (await addPerson(ask, "user", { department_ids: [one] })).token);
  await inTurn([hidden.id, NO_UUID], async (id) => {
    const { body } = await run(user, code, [update(id, { nope: 1 })]);
    assert.deepEqual(body, { "operations.0.id": ["must exist"] });
    const json = { record: { data: { nope: 1 } } };
    assert.equal((await user("PATCH", `/platform/dbs/${code}/records/${id}.json`, { json })).status, 404);
  });
});

test("batch: who may, and what is not theirs is not there", async ({ ask, server }) => {
  const department = async (name: string) =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [one, two] = [await department("One"), await department("Two")];
  const code = await addDb(ask, { schema: SCHEMA });
  const { body: [hidden, seen] } = await run(ask, code, [
    create({ title: "hidden" }, { department_id: two }),
    create({ title: "seen" }, { department_id: one }),
  ]);
  const user = as(ask, (await addPerson(ask, "user", { department_ids: [one] })).token);
  await inTurn([update(hidden.id, { n: 1 }), remove(hidden.id)], async (operation) => {
    const { status, body } = await run(user, code, [update(seen.id, { n: 1 }), operation]);
    assert.deepEqual([status, body], [422, { "operations.1.id": ["must exist"] }]);
  });
  assert.equal((await ask("GET", `/platform/dbs/${code}/records/${seen.id}.json`)).body.data.n, null);
  assert.equal((await run(user, code, [update(seen.id, { n: 1 })])).status, 200);

  const guest = as(ask, (await addPerson(ask, "guest")).token);
  assert.equal((await run(guest, code, [remove(seen.id)])).status, 403);
  const stranger = as(ask, (await addAccount(server)).token);
  assert.equal((await run(stranger, code, [remove(seen.id)])).status, 404);
  const theirs = await addDb(stranger, { schema: SCHEMA });
  assert.equal((await run(stranger, theirs, [remove(seen.id)])).status, 422, "by way of their own database, too");
  assert.deepEqual(await titles(ask, code), ["hidden", "seen"]);
});

test("batch: a statement that the database refuses undoes its batch, and ends nothing else", async ({ ask, server }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const { body: [a, b] } = await run(ask, code, [create({ title: "boom" }), create({ title: "b" })]);
  await server.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'refused' using errcode = '40P01'; end $$;
    create trigger refused before update on records for each row
      when (old.data ->> 'title' = 'boom') execute function refuse();
  `);
  const answer = await run(ask, code, [
    update(a.id, { n: 1 }),
    update(b.id, { n: 1 }),
    create({ title: "c" }),
    remove(b.id),
  ]);
  await server.sql.unsafe("drop function refuse cascade");
  assert.equal(answer.status, 503);
  assert.deepEqual(await titles(ask, code, "sort=title&filter[n]="), ["b", "boom"]);
});

test("batch: batches on the same records at once all get through, each whole", async ({ ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const { body: records } = await run(ask, code, Array.from({ length: 20 }, (_, i) => create({ title: `${i}`, n: 0 })));
  const ids: string[] = records.map(({ id }: { id: string }) => id);
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => {
    const order = n % 2 ? ids : ids.toReversed();
    return run(ask, code, order.map((id) => update(id, { n, note: `${n}` })));
  }));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  const { body } = await ask("GET", `/platform/dbs/${code}/records.json`);
  const last = new Set(body.map(({ data }: { data: { n: number; note: string } }) => `${data.n} ${data.note}`));
  assert.equal(last.size, 1, `one batch was the last: ${[...last]}`);
});
