/** Reads, lists and writes of records that arrive at the same moment share queries. No caller notices the others. */
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

inAccount("records together: lists have their own values, and nobody else's records", async ({ ask }) => {
  const [visible, hidden] = await addDepartments(ask, 2);
  assert.ok(visible && hidden);
  const db = await addDb(ask, SCHEMA);
  await Promise.all(
    Array.from(
      { length: 40 },
      (_, i) =>
        db.create({ title: `t${i % 10}`, n: i % 4, at: `2026-11-2${i % 3}T00:00:00Z` }, {
          department_id: [visible.id, hidden.id][i % 2],
        }),
    ),
  );
  const { body: all } = await ask("GET", db.records("per_page=100"));
  const guest = await addPerson(ask, "user", { department_ids: [visible.id] });
  interface Listed {
    data: { title: string; n: number; at: string };
    department_id: number;
  }
  const pages: [Record<string, string>, (record: Listed) => boolean][] = [
    ...Array.from(
      { length: 12 },
      (_, i) => [{ "filter[title]": `t${i}` }, ({ data }: Listed) => data.title === `t${i}`] as const,
    ).map(([query, has]) => [query, has] as [Record<string, string>, (record: Listed) => boolean]),
    [{ "filter[n]": "3" }, ({ data }) => data.n === 3],
    [{ "filter[n]": "-9007199254740991" }, () => false],
    [{ "filter[at]": "2026-11-21T00:00:00Z" }, ({ data }) => data.at.startsWith("2026-11-21")],
    [{ "filter[title]": "" }, () => false],
    [{}, () => true],
  ];
  const listed = (ask: Ask) => pages.map(([query]) => ask("GET", db.records({ ...query, per_page: "50" })));
  const answers = await Promise.all([...listed(ask), ...listed(as(ask, guest.token)), ...listed(ask)]);
  const expected = (sees: (record: Listed) => boolean) =>
    pages.map(([, has]) => (all as Listed[]).filter((record) => has(record) && sees(record)));
  const whole = expected(() => true);
  assert.deepEqual(
    answers.map(({ body }) => body),
    [...whole, ...expected(({ department_id }) => department_id === visible.id), ...whole],
  );
  const first = await Promise.all(
    Array.from({ length: 10 }, (_, i) => ask("GET", db.records({ "filter[title]": `t${i}`, per_page: "3" }))),
  );
  for (const { headers, body } of first) {
    assert.equal(body.length, 3);
    assert.match(headers.get("link") ?? "", /&page=2>; rel="next"/);
  }
});

inAccount("records together: each update changes its own record, told with its own author", async ({ ask, admin }) => {
  const [visible, hidden] = await addDepartments(ask, 2);
  assert.ok(visible && hidden);
  const guest = await addPerson(ask, "user", { department_ids: [visible.id] });
  const db = await addDb(ask, SCHEMA);
  const records: { id: string }[] = await Promise.all(
    Array.from(
      { length: 24 },
      (_, i) =>
        db.create({ title: `T${i}`, n: i, ratio: 1, done: true }, { department_id: [visible.id, hidden.id][i % 2] }),
    ),
  );
  const callers = [admin, guest];
  const data = (i: number) => ({
    title: `Ü "${i}" \\ {,}`,
    n: i === 0 ? -9_007_199_254_740_991 : 1_000 + i,
    ratio: null,
    note: `N\n${i}`,
    at: `2026-11-21T08:30:0${i % 10}.123+00:00`,
  });
  const send = (i: number, by: number) =>
    as(ask, callers[by]?.token ?? "")("PATCH", db.record(records[i]?.id.toUpperCase() ?? ""), {
      json: { record: { data: data(i) } },
    });
  const by = (i: number) => i % 4 === 0 ? 1 : 0;
  const nobody = ask("PATCH", db.record(crypto.randomUUID()), { json: { record: { data: data(1) } } });
  const answers = await Promise.all([...records.map((_, i) => send(i, by(i))), send(1, 1), nobody]);
  assert.deepEqual(answers.map(({ status }) => status), [...records.map(() => 200), 404, 404]);
  const changed = answers.slice(0, records.length).map(({ body }) => body);
  assert.deepEqual(changed.map(({ data }) => data), records.map((_, i) => ({ ...data(i), done: true })));
  const stored = await Promise.all(records.map(async ({ id }) => (await ask("GET", db.record(id))).body));
  assert.deepEqual(stored, changed, "what is stored is what was answered");
  for (const [i, { id }] of records.entries()) {
    const { title, n, at } = data(i);
    const queries: Record<string, string>[] = [
      { "filter[title]": title },
      { "filter[n]": `${n}` },
      { "filter[at]": at, "filter[n]": `${n}` },
    ];
    for (const query of queries) {
      assert.deepEqual((await ask("GET", db.records(query))).body.map(({ id }: { id: string }) => id), [id]);
    }
    assert.ok((await ask("GET", db.records({ q: `ü "${i}"` }))).body.some((found: { id: string }) => found.id === id));
  }
  const { body: entries } = await ask("GET", "/account/audit.json?object=record&action=update&per_page=500");
  interface Entry {
    object_id: string;
    user_id: number;
    before: unknown;
    after: unknown;
  }
  assert.deepEqual(
    Object.fromEntries(
      (entries as Entry[]).map(({ object_id, user_id, before, after }) => [object_id, { user_id, before, after }]),
    ),
    Object.fromEntries(records.map(({ id }, i) => [id, {
      user_id: callers[by(i)]?.id,
      before: { title: `T${i}`, n: i, ratio: 1, note: null, at: null },
      after: data(i),
    }])),
  );
});

inAccount("records together: updates of one record keep their order, and lose no field", async ({ ask }) => {
  const db = await addDb(ask, SCHEMA);
  const [one, other] = [await db.create({ title: "one" }), await db.create({ title: "other" })];
  const change = (id: string, data: unknown) => ask("PATCH", db.record(id), { json: { record: { data } } });
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) => [
      change(one.id, { n: i }),
      change(other.id, { n: 100 + i }),
      change(one.id, { note: `note ${i}` }),
    ]).flat(),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  const { body } = await ask("GET", `/account/audit.json?object=record&object_id=${one.id}&action=update&per_page=500`);
  const numbers = (body as { after: { n?: number } }[]).flatMap(({ after }) => after.n ?? []);
  assert.equal(new Set(numbers).size, 30, "each update has its entry");
  const { body: now } = await ask("GET", db.record(one.id));
  assert.equal(now.data.n, numbers[0], "the record has the last value");
});

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
