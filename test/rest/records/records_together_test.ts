/** Reads and creates of records that arrive at the same moment share queries. No caller notices the others. */
import assert from "node:assert/strict";
import { addDb } from "../../stage/db.ts";
import { follow } from "../../stage/followers.ts";
import { addPerson, as, type Ask, made } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const SCHEMA = {
  fields: {
    n: "integer",
    title: { type: "string", required: true },
    ratio: "number",
    note: "text",
    done: "boolean",
    at: "datetime",
  },
  indexes: { idx_str_1: "title", idx_int_1: "n", idx_time_1: "at" },
};

const addDepartments = (ask: Ask, count: number): Promise<{ id: number }[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, i) =>
      made(await ask("POST", "/account/departments.json", { json: { department: { name: `Department ${i}` } } }))),
  );

inAccount("records together: callers who may see different records never share what they find", async ({ ask }) => {
  const [visible, hidden] = await addDepartments(ask, 2);
  assert.ok(visible && hidden);
  const db = await addDb(ask, { fields: { n: { type: "integer" } } });
  const records: { id: string; department_id: number }[] = await Promise.all(
    [visible, hidden, visible, hidden].map(async ({ id }, n) => await db.create({ n }, { department_id: id })),
  );
  const guest = await addPerson(ask, "user", { department_ids: [visible.id] });
  const read = (ask: Ask) => records.map(({ id }) => ask("GET", db.record(id.toUpperCase())));
  const answers = await Promise.all([...read(ask), ...read(as(ask, guest.token)), ...read(ask)]);
  assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200, 200, 200, 404, 200, 404, 200, 200, 200, 200]);
  const found = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.n);
  assert.deepEqual(found, [0, 1, 2, 3, 0, 2, 0, 1, 2, 3]);
});

inAccount(
  "records together: each create has its own answer, and its own author in the audit log",
  async ({ ask, admin }) => {
    const other = await addPerson(ask, "user");
    const callers = [admin, other];
    const db = await addDb(ask, SCHEMA);
    const values = Array.from({ length: 24 }, (_, n) => ({
      n: n === 0 ? 9_007_199_254_740_991 : n,
      title: `"${n}" \\ {,} \u{1F469} null`,
      ratio: n === 1 ? 1e-300 : n / 3,
      note: '{"null",NULL}\n',
      done: n % 2 === 0,
      at: "2026-11-21T08:30:00.123+00:00",
    }));
    const send = (data: unknown, i: number) =>
      as(ask, callers[i % 2]?.token ?? "")("POST", db.records(), { json: { record: { data } } });
    const answers = await Promise.all([...values, { n: 1 }, { title: "x", n: "many" }].map(send));
    assert.deepEqual(answers.map(({ status }) => status), [...values.map(() => 201), 422, 422]);
    const records = answers.slice(0, values.length).map(({ body }) => body);
    assert.deepEqual(records.map(({ data }) => data), values);
    assert.deepEqual(records.map(({ created_by_id }) => created_by_id), values.map((_, i) => callers[i % 2]?.id));
    const stored = await Promise.all(records.map(async ({ id }) => (await ask("GET", db.record(id))).body));
    assert.deepEqual(stored, records, "what is stored is what was answered");
    const found = await Promise.all(
      values.map(({ n, title }) =>
        ask(
          "GET",
          db.records({ "filter[n]": `${n}`, "filter[title]": title, "filter[at]": "2026-11-21T08:30:00.123Z" }),
        )
      ),
    );
    assert.deepEqual(
      found.map(({ body }) => body),
      records.map((record) => [record]),
      "each is in its index slots",
    );
    const { body } = await ask("GET", "/account/audit.json?object=record&action=create&per_page=500");
    const entries = body as { object_id: string; user_id: number; via: string; request_id: string }[];
    assert.deepEqual(
      Object.fromEntries(entries.map(({ object_id, user_id, via }) => [object_id, { user_id, via }])),
      Object.fromEntries(records.map(({ id }, i) => [id, { user_id: callers[i % 2]?.id, via: "token" }])),
    );
    assert.equal(
      new Set(entries.map(({ request_id }) => request_id)).size,
      values.length,
      "each names its own request",
    );
  },
);

inAccount(
  "records together: creates while the schema changes and a follower arrives are stored and told once",
  async (stage) => {
    const { ask, admin, server } = stage;
    const db = await addDb(ask, SCHEMA);
    const create = (title: string) => db.create({ title });
    const titles = (from: number) => Array.from({ length: 20 }, (_, i) => `${from + i}`);
    const before = Promise.all(titles(0).map(create));
    const change = db.change({ schema: { ...SCHEMA, fields: { ...SCHEMA.fields, more: "string" } } });
    const during = Promise.all(titles(20).map(create));
    assert.equal((await change).status, 200);
    await Promise.all([before, during]);
    await using follower = await follow(server, `/platform/dbs/${db.code}/changes`, {
      authorization: `Bearer ${admin.token}`,
    });
    await follower.tells(1);
    await Promise.all(titles(40).map(create));
    const told = (await follower.tells(21)).slice(1);
    assert.deepEqual(told.map(({ data }) => data.data.title).toSorted(), titles(40).toSorted());
    const { body } = await ask("GET", db.records("per_page=100"));
    assert.deepEqual(
      (body as { data: { title: string } }[]).map(({ data }) => data.title).toSorted(),
      [...titles(0), ...titles(20), ...titles(40)].toSorted(),
    );
  },
);
