/** The effects of a schema change on records, and on requests that read and write them at the same time. */
import assert from "node:assert/strict";
import { addDb, dbAt, type Listed, type TestDb } from "../../stage/db.ts";
import { type Ask, inTurn, onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const FIELDS = { name: "string", story: "text", n: "integer", price: "number" };
const DATA = [
  { name: "Ada", story: "Loves numbers", n: 3, price: 1.5 },
  { name: "Bob", story: "x".repeat(300), n: 1, price: 2 },
  { name: null, story: null, n: null, price: null },
];

interface Stage {
  ask: Ask;
  db: TestDb;
  ids: string[];
  /** Changes the schema. */
  becomes(schema: unknown, status?: number): Promise<Record<string, string[]>>;
  /** The indexes of the records in a list, in its order. */
  sees(query: Record<string, string>): Promise<number[]>;
  data(i: number): Promise<Record<string, unknown>>;
}

/** Creates a database of three records. */
function onRecords(name: string, schema: unknown, work: (stage: Stage) => Promise<void>): void {
  inAccount(name, async ({ ask }) => {
    const db = await addDb(ask, schema);
    const ids: string[] = [];
    await inTurn(DATA, async (data) => void ids.push((await db.create(data)).id));
    const get = async (path: string) => {
      const { status, body } = await ask("GET", path);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    const stamps = () => Promise.all(ids.map(async (id) => (await get(db.record(id))).updated_at));
    const before = await stamps();
    await work({
      ask,
      db,
      ids,
      async becomes(schema, status = 200) {
        const answer = await db.change({ schema });
        assert.equal(answer.status, status, JSON.stringify(answer.body));
        if (status === 200) assert.deepEqual([answer.body.schema, answer.body.reindexing], [schema, null]);
        return answer.body;
      },
      sees: async (query) => (await get(db.search(query))).map(({ id }: Listed) => ids.indexOf(id)),
      data: async (i) => (await get(db.record(ids[i] ?? ""))).data,
    });
    assert.deepEqual(await stamps(), before, "nobody has changed the records themselves");
  });
}

onRecords("schema: a new optional field is null in the records that are there", { fields: FIELDS }, async (stage) => {
  await stage.becomes({ fields: { ...FIELDS, note: "text", ok: "boolean" } });
  assert.deepEqual(await stage.data(0), { ...DATA[0], note: null, ok: null });
  assert.deepEqual(await stage.sees({ "filter[note]": "" }), [2, 1, 0], "a blank");
  assert.deepEqual(await stage.sees({ "filter[note][contains]": "x" }), []);
  assert.deepEqual(await stage.sees({ q: "LOVES" }), [0], "other texts are found as before");
  await stage.ask("POST", stage.db.records(), { json: { record: { data: { note: "Loves notes" } } } });
  assert.deepEqual(await stage.sees({ q: "loves" }), [-1, 0], "and so is the new field's");
});

onRecords(
  "schema: an index comes, moves and goes, and lists stay as they are",
  { fields: FIELDS },
  async ({ becomes, sees }) => {
    const lists = () =>
      Promise.all([
        sees({ sort: "n" }),
        sees({ sort: "-story" }),
        sees({ "filter[n][gt]": "1" }),
        sees({ "filter[n]": "" }),
        sees({ "filter[story]": "x".repeat(300) }),
        sees({ "filter[name][in]": "Ada,", sort: "name" }),
      ]);
    const before = await lists();
    assert.deepEqual(before, [[2, 1, 0], [1, 0, 2], [0], [2], [1], [2, 0]]);
    await inTurn([
      { idx_int_1: "n", idx_str_1: "story", idx_str_2: "name" },
      { idx_int_2: "n", idx_str_1: "name", idx_str_3: "story" },
      { idx_str_1: "story" },
      {},
    ], async (indexes) => {
      await becomes({ fields: FIELDS, indexes });
      assert.deepEqual(await lists(), before, JSON.stringify(indexes));
    });
  },
);

onRecords(
  "schema: a type that takes every value is taken",
  { fields: FIELDS, indexes: { idx_int_1: "n" } },
  async (stage) => {
    await stage.becomes({ fields: { ...FIELDS, name: "text", n: "number" } });
    assert.deepEqual(await stage.data(0), DATA[0]);
    assert.deepEqual(await stage.sees({ sort: "-n" }), [0, 1, 2]);
    await stage.becomes({ fields: { ...FIELDS, n: "integer" }, indexes: { idx_int_2: "n" } });
    assert.deepEqual(await stage.sees({ "filter[n][gte]": "1", sort: "n" }), [1, 0]);
  },
);

/** Schemas that some records do not fit, with the indexes of these records. */
const NARROWER: [
  name: string,
  schema: Record<string, unknown>,
  unfit: Record<string, [reason: string, records: number[]]>,
][] = [
  ["texts as integers", { fields: { ...FIELDS, name: "integer" } }, { name: ["must be an integer", [0, 1]] }],
  ["integers as texts", { fields: { ...FIELDS, n: "string" } }, { n: ["must be a string", [0, 1]] }],
  ["fractions as integers", { fields: { ...FIELDS, price: "integer" } }, { price: ["must be an integer", [0]] }],
  ["a text too long for a string", { fields: { ...FIELDS, story: "string" } }, {
    story: ["is too long (maximum is 255 characters)", [1]],
  }],
  ["a field that is now required", { fields: { ...FIELDS, name: { type: "string", required: true } } }, {
    name: ["can't be blank", [2]],
  }],
  ["a new field that is required", { fields: { ...FIELDS, note: { type: "text", required: true } } }, {
    note: ["can't be blank", [0, 1, 2]],
  }],
  ["two reasons for one record", {
    fields: { ...FIELDS, name: { type: "text", required: true }, n: { type: "integer", required: true } },
  }, { name: ["can't be blank", [2]], n: ["can't be blank", [2]] }],
  ["each field that some do not fit", {
    fields: { ...FIELDS, name: "integer", n: { type: "integer", required: true } },
  }, { name: ["must be an integer", [0, 1]], n: ["can't be blank", [2]] }],
];

onRecords(
  "schema: what records do not fit is refused by field with their count and first ids, and nothing is changed",
  { fields: FIELDS, indexes: { idx_str_1: "name" } },
  async ({ ask, db, ids, becomes, sees }) => {
    const { body: before } = await ask("GET", dbAt(db.code));
    const { body: records } = await ask("GET", db.records());
    await inTurn(NARROWER, async ([name, schema, unfit]) => {
      const told = Object.fromEntries(
        Object.entries(unfit).map(([field, [reason, records]]) => {
          const count = `${records.length} ${records.length === 1 ? "record" : "records"}`;
          return [`schema.fields.${field}`, [
            `does not fit ${count}, because a value ${reason}: ${records.map((i) => ids[i]).join(", ")}`,
          ]];
        }),
      );
      assert.deepEqual(await becomes(schema, 422), told, name);
      assert.deepEqual((await ask("GET", dbAt(db.code))).body, before, name);
    });
    assert.deepEqual((await ask("GET", db.records())).body, records);
    assert.deepEqual(await sees({ "filter[name]": "Ada", q: "loves" }), [0]);
    await inTurn(Array(5).fill({ name: "More" }), (data) => db.create(data));
    const many = await becomes({ fields: { ...FIELDS, name: "date" } }, 422);
    assert.match(
      String(many["schema.fields.name"]),
      new RegExp(
        `^does not fit 7 records, because a value must be [^:]*: (${ids[0]}), (${ids[1]})(, [0-9a-f-]{36}){3}, …$`,
      ),
    );
  },
);

onRecords(
  "schema: a field that goes takes its values along",
  { fields: FIELDS, indexes: { idx_str_1: "story" } },
  async (stage) => {
    const { story: _story, ...fields } = FIELDS;
    await stage.becomes({ fields });
    assert.deepEqual(Object.keys(await stage.data(0)).sort(), Object.keys(fields).sort());
    assert.deepEqual(await stage.sees({ q: "loves" }), []);
    const gone = await stage.ask("GET", stage.db.records({ sort: "story" }));
    assert.equal(gone.status, 400);
    await stage.becomes({ fields: FIELDS, indexes: { idx_str_2: "story" } });
    assert.deepEqual((await stage.data(0)).story, null, "one of the same name is a new one");
    assert.deepEqual(await stage.sees({ q: "loves" }), []);
    assert.deepEqual(await stage.sees({ "filter[story]": "" }), [2, 1, 0]);
  },
);

onRecords("schema: a text field that becomes another type is searched no more", {
  fields: { ...FIELDS, code: "string" },
}, async (stage) => {
  await stage.becomes({ fields: { ...FIELDS, code: "integer" } });
  const { id } = await stage.db.create({ code: 4711 });
  assert.deepEqual(await stage.sees({ q: "4711" }), []);
  await stage.ask("PATCH", stage.db.record(id), { json: { record: { data: { code: 815 } } } });
  assert.deepEqual(await stage.sees({ q: "815" }), []);
  await stage.ask("DELETE", stage.db.record(id));
  await stage.becomes({ fields: { ...FIELDS, code: "text" } });
  await stage.db.create({ code: "0815" });
  assert.deepEqual(await stage.sees({ q: "815" }), [-1]);
});

inAccount("schema: what was required and is no more may be cleared", async ({ ask }) => {
  const db = await addDb(ask, { fields: { a: { type: "string", required: true } } });
  const { id } = await db.create({ a: "x" });
  const clear = () => ask("PATCH", db.record(id), { json: { record: { data: { a: null } } } });
  assert.equal((await clear()).status, 422);
  assert.equal((await db.change({ schema: { fields: { a: "string" } } })).status, 200);
  assert.deepEqual((await clear()).body.data, { a: null });
});

inAccount("schema: tables come, go and change apart from each other", async ({ ask }) => {
  const one = { fields: { a: "string" }, indexed_fields: ["a"] };
  const db = await addDb(ask, { tables: { kept: one, gone: one } });
  const { id } = await db.create({ a: "kept" }, { table_name: "kept" });
  const gone = await db.create({ a: "gone" }, { table_name: "gone" });
  const changed = await db.change({
    schema: { tables: { renamed: one, kept: { fields: { a: "string", b: "date" } } } },
    drop_tables: ["gone"],
  });
  assert.equal(changed.status, 200);
  const { body: record } = await ask("GET", db.record(id, "?table_name=kept"));
  assert.deepEqual([record.data, record.table_name], [{ a: "kept", b: null }, "kept"]);
  const missing = await ask("GET", db.search({ table_name: "gone" }));
  assert.deepEqual([missing.status, missing.body.tables], [404, ["renamed", "kept"]]);
  assert.deepEqual((await ask("GET", db.search({ table_name: "renamed" }))).body, [], "another name is another table");
  assert.equal((await ask("GET", db.record(gone.id))).status, 404);
  const refused = await db.change({ schema: { tables: { kept: { fields: { a: "integer" } } } } });
  assert.deepEqual(refused.body, {
    "schema.tables.kept.fields.a": [`does not fit 1 record, because a value must be an integer: ${id}`],
  });
  assert.equal((await ask("GET", db.search({ table_name: "renamed" }))).status, 200, "what is refused drops nothing");
  assert.equal((await db.change({ schema: { tables: { kept: one, gone: one } } })).status, 200);
  assert.deepEqual(
    (await ask("GET", db.search({ table_name: "gone" }))).body,
    [],
    "nor does a name bring records back",
  );
});

inAccount(
  "schema: a table that is left out and has records refuses the change, unless it is named",
  async ({ ask }) => {
    const one = { fields: { a: "string" } };
    const db = await addDb(ask, { tables: { kept: one, people: one, dogs: one, empty: one } });
    const { id } = await db.create({ a: "x" }, { table_name: "people" });
    await db.create({ a: "x" }, { table_name: "dogs" });
    await db.create({ a: "y" }, { table_name: "dogs" });
    const people = `leaves out people, which has 1 record; delete it first, or send drop_tables: ["people"]`;
    const dogs = `leaves out dogs, which has 2 records; delete them first, or send drop_tables: ["dogs"]`;
    const schema = { tables: { kept: one } };
    const rows: [name: string, change: Record<string, unknown>, body: Record<string, string[]>][] = [
      ["both are told", { schema }, { schema: [people, dogs] }],
      ["one is named", { schema, drop_tables: ["people"] }, { schema: [dogs] }],
      ["what is named stays", { schema, drop_tables: ["people", "dogs", "kept"] }, {
        drop_tables: ["names kept, which the schema leaves in"],
      }],
      ["what is named is not there", { schema, drop_tables: ["people", "dogs", "cats"] }, {
        drop_tables: ["names cats, which is not there"],
      }],
      ["no schema leaves it out", { drop_tables: ["people"] }, {
        drop_tables: ["names people, which the schema leaves in"],
      }],
      ["one table instead of several", { schema: one }, { schema: [people, dogs] }],
    ];
    await inTurn(rows, async ([name, change, body]) => {
      const answer = await db.change(change);
      assert.deepEqual([answer.status, answer.body], [422, body], name);
    });
    assert.equal((await ask("GET", db.record(id))).status, 200, "nothing is gone");
    assert.equal(
      (await db.change({ schema, drop_tables: ["people", "dogs"] })).status,
      200,
      "what is empty needs no word",
    );
    assert.equal((await ask("GET", db.record(id))).status, 404);
  },
);

inAccount(
  "schema: one table that becomes several refuses likewise, and counts no further than a thousand",
  async ({ ask }) => {
    const one = { fields: { a: "string" } };
    const several = { tables: { people: one } };
    const db = await addDb(ask, one);
    const raw = `a\n${"x\n".repeat(1001)}`;
    const headers = { "content-type": "text/csv" };
    assert.equal((await ask("POST", `/platform/dbs/${db.code}/import.csv`, { raw, headers })).status, 200);
    const { status, body } = await db.change({ schema: several });
    assert.deepEqual([status, body], [422, {
      schema: [
        `leaves out the table without a name, which has more than 1000 records; delete them first, or send drop_tables: [""]`,
      ],
    }]);
    assert.equal((await ask("GET", db.records({ per_page: "1" }))).body.length, 1);
    assert.equal((await db.change({ schema: several, drop_tables: [""] })).status, 200);
    assert.deepEqual((await ask("GET", db.records({ table_name: "people" }))).body, []);
    assert.equal((await db.change({ schema: one })).status, 200, "back, as it is empty");
  },
);

inAccount(
  "schema: a code that changes takes the records along; a stale lock_version changes nothing",
  async ({ ask }) => {
    const db = await addDb(ask, { fields: { a: "string" } });
    const { id } = await db.create({ a: "x" });
    const stale = await ask("PATCH", dbAt(db.code), {
      json: { db: { schema: { fields: {} }, lock_version: 7 } },
    });
    assert.deepEqual([stale.status, stale.body.current.schema], [409, { fields: { a: "string" } }]);
    assert.deepEqual((await ask("GET", db.record(id))).body.data, { a: "x" });
    await db.change({ code: `${db.code}_new` });
    assert.equal((await ask("GET", db.record(id))).status, 404);
    const { body } = await ask("GET", `/platform/dbs/${db.code}_new/records/${id}.json`);
    assert.deepEqual(body.data, { a: "x" });
  },
);

inAccount("schema: records written while it changes are as the schema that they find", async ({ ask }) => {
  const fields = { a: "string", n: "integer" };
  const db = await addDb(ask, { fields });
  const schemas = [
    { fields, indexes: { idx_int_1: "n" } },
    { fields: { ...fields, b: "text" }, indexes: { idx_int_2: "n", idx_str_1: "a" } },
    { fields, indexes: { idx_str_2: "a", idx_int_1: "n" } },
  ];
  /** Repeats a request while the schema is being changed. */
  const persist = async (work: () => ReturnType<Ask>) => {
    for (let tries = 0; tries < 50; tries++) {
      const answer = await work();
      if (answer.status !== 503) return answer;
    }
    throw new Error("always away");
  };
  await inTurn(schemas, async (schema, round) => {
    const answers = await Promise.all([
      ...Array.from(
        { length: 15 },
        (_, i) =>
          persist(() =>
            ask("POST", db.records(), { json: { record: { data: { a: `${round}/${i}`, n: round * 100 + i } } } })
          ),
      ),
      persist(() => db.change({ schema })),
      ...Array.from({ length: 5 }, () => ask("GET", db.records())),
    ]);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 201]);
  });
  // A filter finds a record by what its index slot holds.
  const { body: all } = await ask("GET", db.search({ sort: "n" }));
  assert.equal(all.length, 45);
  await inTurn(all, async ({ id, a, n }: Record<string, string>) => {
    const { body } = await ask("GET", db.search({ "filter[a]": `${a}`, "filter[n]": `${n}` }));
    assert.deepEqual(body.map(({ id }: Listed) => id), [id]);
  });
});
