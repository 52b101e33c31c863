/** Databases. The rules of schemas are tested in server/store/definition/definition_test.ts. */
import assert from "node:assert/strict";
import { addDb, dbAt, DBS } from "../../stage/db.ts";
import { addAccount, addPerson, as, made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const json = (db: Record<string, unknown>) => ({ json: { db } });
const create = async (ask: Ask, db: Record<string, unknown>) => made(await ask("POST", DBS, json(db)));

const SCHEMA = {
  fields: { zebra: { type: "text", required: true }, apple: "string", mango: { type: "integer" } },
  indexes: { idx_str_1: "apple", idx_int_1: "mango" },
};

/** The keys of a database in answers, in their order. */
const KEYS = [
  "id",
  "name",
  "code",
  "schema",
  "public_methods",
  "public_write_limit",
  "department_id",
  "reindexing",
  "lock_version",
  "created_at",
  "updated_at",
  "warnings",
  "used_by",
];

inAccount("dbs: an index slot that is named twice is refused, even as a repeated JSON key", async ({ ask, play }) => {
  const headers = { "content-type": "application/json" };
  const schema = (indexes: string) => `{"fields":{"a":"string","b":"string"},"indexes":{${indexes}}}`;
  const twice = schema(`"idx_str_1":"a","idx_str_1":"b"`);
  const { code } = await create(ask, { name: "Slots" });
  const body = { "schema.indexes.idx_str_1": ["is given twice"] };
  await play([
    {
      name: "at a create",
      method: "POST",
      path: DBS,
      sent: { raw: `{"db":{"name":"Twice","schema":${twice}}}`, headers },
      status: 422,
      body,
    },
    {
      name: "at a change",
      method: "PATCH",
      path: dbAt(code),
      sent: { raw: `{"db":{"schema":${twice}}}`, headers },
      status: 422,
      body,
    },
    {
      name: "two slots for one field",
      method: "PATCH",
      path: dbAt(code),
      sent: { raw: `{"db":{"schema":${schema(`"idx_str_1":"a","idx_str_2":"a"`)}}}`, headers },
      status: 422,
      body: { schema: /indexes\.idx_str_2 names the field a, which is indexed already/ },
    },
  ]);
});

inAccount("dbs: create", async ({ play }) => {
  const row = (name: string, db: Record<string, unknown>, body: unknown): Scenario => ({
    name,
    method: "POST",
    path: DBS,
    sent: json(db),
    status: 201,
    body,
  });
  await play([
    {
      ...row("201 with the whole database, not wrapped", {
        name: "  Guest Book ",
        code: "guests",
        schema: SCHEMA,
        public_methods: { list: {}, create: { allowed_fields: ["apple"] } },
      }, {
        name: "Guest Book",
        code: "guests",
        schema: SCHEMA,
        public_methods: { list: {}, create: { allowed_fields: ["apple"] } },
        public_write_limit: 60,
        department_id: null,
        reindexing: null,
        lock_version: 0,
      }),
      then({ body }) {
        assert.deepEqual(Object.keys(body), KEYS);
        assert.equal(JSON.stringify(body.schema), JSON.stringify(SCHEMA), "as it was sent, in its order");
        assert.equal(body.created_at, body.updated_at);
      },
    },
    row("a name is enough: it gives the code, and there are no fields yet", { name: "Zażółć gęślą – jaźń!" }, {
      code: "zazolc_gesla_jazn",
      schema: { fields: {} },
      public_methods: {},
    }),
    row("a code is cleaned", { name: "x", code: " Łódź -- 2026/Żółw__x_ " }, { code: "lodz_2026_zolw_x" }),
    row("of a long name the code is cut", { name: "a".repeat(255) }, { code: "a".repeat(100) }),
    row("several tables", { name: "Zoo", schema: { tables: { b: { fields: {} }, a: { fields: { x: "date" } } } } }, {
      schema: { tables: { b: { fields: {} }, a: { fields: { x: "date" } } } },
    }),
    row("two may have one name", { name: "Guest Book", code: "guests_2" }, { name: "Guest Book" }),
    row("other keys are ignored, as are those that the server writes", {
      name: "Mine",
      id: 77,
      lock_version: 9,
      account_id: 1,
      created_at: "2020-01-01T00:00:00Z",
      nonsense: {},
    }, { name: "Mine", lock_version: 0 }),
  ]);
});

inAccount("dbs: what is refused", async ({ ask, play }) => {
  await create(ask, { name: "Taken" });
  const other = await create(ask, { name: "Other" });
  const fields: [name: string, db: Record<string, unknown>, body: Record<string, RegExp>][] = [
    ["a blank name", { name: " " }, { name: /^can't be blank$/ }],
    ["a name of 256 characters", { name: "x".repeat(256), code: "x" }, { name: /maximum is 255/ }],
    ["a code that is taken", { name: "x", code: "TAKEN" }, { code: /^has already been taken$/ }],
    ["a code that comes from the name and is taken", { name: "-Taken-" }, { code: /^has already been taken$/ }],
    ["a code of which nothing is left", { name: "x", code: "-!-" }, { code: /^can't be blank$/ }],
    ["a name that gives no code", { name: "!!!" }, { code: /^can't be blank$/ }],
    ["a code of 101 characters", { name: "x", code: "a".repeat(101) }, { code: /maximum is 100 characters/ }],
    ["a code that is a number", { name: "x", code: 5 }, { code: /must be a string/ }],
    ["NUL in a code", { name: "x", code: "a\0b" }, { code: /cannot be stored/ }],
    ["a typo in the schema", { name: "x", schema: { fields: {}, indexs: {} } }, {
      "schema.indexs": /not a known field/,
    }],
    ["a fault of an index", { name: "x", schema: { fields: { a: "text" }, indexes: { idx_int_1: "a" } } }, {
      schema: /^indexes.idx_int_1 takes integer, boolean fields, and a is text$/,
    }],
    ["no schema", { name: "x", schema: null }, { schema: /blank/ }],
    ["half of a surrogate pair in the schema", { name: "x", schema: { "\ud83d": 1 } }, { schema: /cannot be stored/ }],
    ["a schema without end", { name: "x", schema: { fields: {}, x: "x".repeat(300_000) } }, { schema: /too long/ }],
    ["a write limit below zero", { name: "x", public_write_limit: -1 }, { public_write_limit: /at least 0/ }],
    ["a write limit that is a text", { name: "x", public_write_limit: "60" }, { public_write_limit: /number/ }],
    ["an unknown department", { name: "x", department_id: 999 }, { department_id: /^must exist$/ }],
    ["an unknown public method", { name: "x", public_methods: { read: {} } }, { "public_methods.read": /not a known/ }],
    ["a typo in a public method", { name: "x", public_methods: { list: { scope: "a" } } }, {
      "public_methods.list.scope": /not a known field/,
    }],
    ["public methods of fields that are not there", {
      name: "x",
      schema: { fields: { a: "string", n: "integer" } },
      public_methods: {
        list: { scope_by: "b" },
        create: {
          allowed_fields: ["a", "b"],
          required_fields: ["c"],
          default_values: { n: "5" },
          auto_fields: { n: "{ip}" },
        },
        update: { allowed_fields: ["d"], scope_by: "e" },
        delete: { scope_by: "f" },
      },
    }, {
      "public_methods.list.scope_by": /the field b, which is not there/,
      "public_methods.create.allowed_fields.1": /b/,
      "public_methods.create.required_fields.0": /c/,
      "public_methods.create.default_values.n": /must be an integer/,
      "public_methods.create.auto_fields.n": /must be of type string or text to hold \{ip\}, and is integer/,
      "public_methods.update.allowed_fields.0": /d/,
      "public_methods.update.scope_by": /e/,
      "public_methods.delete.scope_by": /f/,
    }],
    ["a field whose name zod leaves out", { name: "x", schema: JSON.parse('{"fields":{"__proto__":"string"}}') }, {
      "schema.fields.__proto__": /not a known field/,
    }],
    ["the same in a public method", {
      name: "x",
      public_methods: JSON.parse('{"create":{"auto_fields":{"__proto__":"{ip}"}}}'),
    }, { "public_methods.create.auto_fields.__proto__": /not a known field/ }],
    ["an unknown variable", {
      name: "x",
      schema: { fields: { a: "string" } },
      public_methods: { create: { auto_fields: { a: "{cookie}" } } },
    }, { "public_methods.create.auto_fields.a": /not included/ }],
  ];
  await play(fields.flatMap(([name, db, body]): Scenario[] => [
    { name: `create: ${name}`, method: "POST", path: DBS, sent: json(db), status: 422, body },
    ...name === "a name that gives no code" || name.startsWith("a code that comes") ? [] : [
      {
        name: `update: ${name}`,
        method: "PATCH",
        path: dbAt(other.code),
        sent: json(db),
        status: 422,
        body,
      } satisfies Scenario,
    ],
  ]));
  assert.deepEqual((await ask("GET", dbAt(other.code))).body, other, "nothing is changed");
  assert.equal((await ask("GET", DBS)).body.length, 2, "nothing is made");
});

inAccount("dbs: update", async ({ ask, play }) => {
  const { code, updated_at } = await create(ask, { name: "First", code: "first", schema: SCHEMA });
  const path = dbAt(code);
  const update = (
    name: string,
    db: Record<string, unknown>,
    body: unknown,
    more: Partial<Scenario> = {},
  ): Scenario => ({
    name,
    method: "PATCH",
    path,
    sent: json(db),
    status: 200,
    body,
    ...more,
  });
  await play([
    update("what is not sent stays", { name: "Second" }, { name: "Second", schema: SCHEMA, lock_version: 1 }),
    update("nothing at all is an update, too", {}, { name: "Second", lock_version: 2 }),
    update("public methods are replaced whole", { public_methods: { list: {} } }, { public_methods: { list: {} } }),
    update("and may be none", { public_methods: {}, public_write_limit: 0 }, {
      public_methods: {},
      public_write_limit: 0,
    }),
    update("the lock_version that it has", { name: "Third", lock_version: 4 }, { name: "Third", lock_version: 5 }),
    update("a stale one is 409 with the database as it is now", { name: "Late", lock_version: 4 }, {
      current: { name: "Third", lock_version: 5, schema: SCHEMA },
    }, { status: 409 }),
    update("a code that is cleaned", { code: "Der Neue" }, { code: "der_neue", lock_version: 6 }, {
      then({ body }) {
        assert.ok(body.updated_at > updated_at);
      },
    }),
    { name: "the old code is free", method: "GET", path, status: 404 },
    { name: "and the new one is there", method: "GET", path: dbAt("der_neue"), status: 200, body: { name: "Third" } },
    {
      name: "a schema that its public methods do not fit any more",
      method: "PATCH",
      path: dbAt("der_neue"),
      sent: json({ public_methods: { list: { scope_by: "apple" } } }),
      status: 200,
      then: async () => {
        const { status, body } = await ask("PATCH", dbAt("der_neue"), json({ schema: { fields: {} } }));
        assert.deepEqual([status, Object.keys(body)], [422, ["public_methods.list.scope_by"]]);
      },
    },
  ]);
});

inAccount("dbs: read, list and delete", async ({ server, ask, play }) => {
  const stranger = await addAccount(server);
  const theirs = await create(as(ask, stranger.token), { name: "Beta", code: "theirs" });
  await inTurn(["beta", "Alpha", "żubr 100%", "gamma_x"], (name) => create(ask, { name }));
  const listed = (name: string, query: string, names: string[], total = names.length): Scenario => ({
    name,
    method: "GET",
    path: DBS + query,
    status: 200,
    body: names.map((name) => ({ name })),
    headers: { "x-total-count": `${total}` },
  });
  const deleted = await addDb(ask, { fields: { a: "string" } }, { name: "Deleted" });
  const record = await deleted.create({ a: "x" });
  await play([
    { name: "one", method: "GET", path: dbAt("alpha"), status: 200, body: { name: "Alpha" } },
    { name: "none", method: "GET", path: dbAt("none"), status: 404 },
    { name: "a code in an unusual spelling", method: "GET", path: dbAt("ALPHA"), status: 404 },
    { name: "another account's", method: "GET", path: dbAt(theirs.code), status: 404 },
    { name: "delete: 204, empty", method: "DELETE", path: dbAt(deleted.code), status: 204 },
    { name: "once", method: "DELETE", path: dbAt(deleted.code), status: 404 },
    { name: "with its records", method: "GET", path: deleted.record(record.id), status: 404 },
    { name: "and their list", method: "GET", path: deleted.records(), status: 404 },
    listed("by name, without regard to case", "", ["Alpha", "beta", "gamma_x", "żubr 100%"]),
    listed("sort=-created_at", "?sort=-created_at&per_page=2", ["gamma_x", "żubr 100%"], 4),
    listed("q: part of the name, without regard to case", "?q=ET", ["beta"]),
    listed("q: part of the code", "?q=zubr", ["żubr 100%"]),
    listed("q: in other letters than ASCII", "?q=%C5%BBUB", ["żubr 100%"]),
    listed("q: a sign of like stands for itself", "?q=%25", ["żubr 100%"]),
    listed("q: so does the other", "?q=a_x", ["gamma_x"]),
    listed("q: and none is any", "?q=_______", []),
  ]);
  const again = await addDb(ask, { fields: { a: "string" } }, { name: "Deleted", code: deleted.code });
  assert.deepEqual((await ask("GET", again.records())).body, [], "a code that is given again brings nothing back");
  assert.equal((await ask("GET", again.record(record.id))).status, 404);
});

inAccount("dbs: 20 at once with one code: one 201, nineteen 422", async ({ ask }) => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => ask("POST", DBS, json({ name: `Db ${i}`, code: i % 2 ? "One" : "one" }))),
  );
  const refused = answers.filter(({ status }) => status === 422);
  assert.deepEqual([answers.filter(({ status }) => status === 201).length, refused.length], [1, 19]);
  for (const { body } of refused) assert.deepEqual(body, { code: ["has already been taken"] });
});

inAccount("dbs: departments hide them, and their records with them", async ({ ask, play }) => {
  const department = async (name: string): Promise<number> =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [own, other] = [await department("Own"), await department("Other")];
  const dbs = {
    own: await addDb(ask, { fields: {} }, { code: "own", department_id: own }),
    other: await addDb(ask, { fields: {} }, { code: "other", department_id: other }),
    none: await addDb(ask, { fields: {} }, { code: "none" }),
  };
  const record = await dbs.other.create({});
  const { token } = await addPerson(ask, "manager", { department_ids: [own], without_department: false });
  const hidden = (method: Scenario["method"], path: string, sent: unknown = undefined): Scenario => ({
    name: `${method} ${path.replace(/[0-9a-f-]{36}/, ":id")} is 404`,
    method,
    path,
    sent: { token, json: sent },
    status: 404,
  });
  const data = { record: { data: {}, department_id: own } };
  await play([
    {
      name: "its own is listed and counted",
      method: "GET",
      path: DBS,
      sent: { token },
      status: 200,
      body: [{ code: "own" }],
      headers: { "x-total-count": "1" },
    },
    { name: "and read", method: "GET", path: dbs.own.records(), sent: { token }, status: 200, body: [] },
    hidden("GET", dbAt("other")),
    hidden("PATCH", dbAt("other"), { db: { name: "Mine" } }),
    hidden("DELETE", dbAt("other")),
    hidden("GET", dbAt("none")),
    hidden("GET", dbs.other.records()),
    hidden("GET", dbs.other.search()),
    hidden("POST", dbs.other.records(), data),
    hidden("GET", dbs.other.record(record.id)),
    hidden("PATCH", dbs.other.record(record.id), data),
    hidden("DELETE", dbs.other.record(record.id)),
    {
      name: "it makes none where it would not see it",
      method: "POST",
      path: DBS,
      sent: { token, ...json({ name: "x", department_id: other }) },
      status: 422,
      body: { department_id: /not one of your/ },
    },
    {
      name: "a manager moves none there",
      method: "PATCH",
      path: dbAt("own"),
      sent: { token, ...json({ department_id: null }) },
      status: 422,
      body: { department_id: /name one of your/ },
    },
  ]);
  await ask("DELETE", `/account/departments/${other}.json`);
  assert.equal((await ask("GET", dbAt("other"))).body.department_id, null, "of a deleted department none is left");
});
