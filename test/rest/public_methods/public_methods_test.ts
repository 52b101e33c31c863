/** Public methods: what each one allows. Source: spec, "public_methods". */
import assert from "node:assert/strict";
import { NO_UUID } from "../../stage/addresses.ts";
import { made } from "../../stage/people.ts";
import { inTurn, onOwnServer, type Scenario } from "../../stage/scenario.ts";
import { addDb, browser } from "../../stage/visitors.ts";

// Callers without a login belong to the default account.
const test = (name: string, work: Parameters<ReturnType<typeof onOwnServer>>[1]) =>
  onAccount(name, work, { of_default: true });
const onAccount = onOwnServer();

const FIELDS = {
  title: { type: "string", required: true },
  note: "text",
  stars: "integer",
  done: "boolean",
  owner: "string",
};

const ALL = { list: {}, create: {}, update: {}, delete: {} };

type Row = [name: string, method: string, sent: unknown, status: number, body?: unknown];

test("public methods: each has its status, its body, and only what it is asked for", async ({ ask, play }) => {
  const code = await addDb(ask, { schema: { fields: FIELDS }, public_methods: ALL });
  const at = (method: string) => `/platform/db/${code}/${method}`;
  const first = made(await ask("POST", at("create"), { token: null, json: { data: { title: "first" } } }));
  const { id } = first;
  const rows: Row[] = [
    ["create: 201, flat", "create", { data: { title: "x", stars: 3 } }, 201, { title: "x", stars: 3, note: null }],
    ["update: 200, merged", "update", { id, data: { note: "n" } }, 200, { id, title: "first", note: "n" }],
    ["update: null clears", "update", { id, data: { note: null } }, 200, { note: null }],
    ["list: 200, the newest first", "list", undefined, 200, [{ title: "x" }, { title: "first" }]],
    ["list: page, per_page, sort", "list", { page: 2, per_page: 1, sort: "title" }, 200, [{ title: "x" }]],
    ["list: filter", "list", { filter: { stars: { gte: 3 }, title: "x" } }, 200, [{ title: "x" }]],
    ["list: an unknown field of a filter", "list", { filter: { nope: 1 } }, 400],
    ["list: an unknown field to sort by", "list", { sort: "nope" }, 400],
    ["list: an operator that is none", "list", { filter: { title: { constructor: 1 } } }, 400],
    ["list: a page that cannot be", "list", { per_page: 501 }, 400, { error: /per_page/ }],
    ["list: a list is no body", "list", [], 400],
    ["create: no data", "create", { title: "x" }, 400, { error: /data/ }],
    ["create: no body", "create", undefined, 400],
    ["create: a blank required field", "create", { data: { title: " " } }, 422, { title: ["can't be blank"] }],
    ["create: a wrong type", "create", { data: { title: "x", stars: "3" } }, 422, { stars: /integer/ }],
    ["create: NUL", "create", { data: { title: "a\0" } }, 422, { title: /NUL/ }],
    ["create: an unknown key is dropped", "create", { data: { title: "y", nope: 1 } }, 201, { nope: undefined }],
    ["update: a blank required field", "update", { id, data: { title: null } }, 422, { title: ["can't be blank"] }],
    ["update: no record", "update", { id: NO_UUID, data: {} }, 404],
    ["update: no id", "update", { data: {} }, 400, { error: /id/ }],
    ["update: an id that can be none", "update", { id: "7", data: {} }, 404],
    ["delete: 200, the id", "delete", { id }, 200, { id }],
    ["delete: again", "delete", { id }, 404],
    ["a method that is none of the four", "search", {}, 404, { error: /Method/ }],
    ["a method of every object", "constructor", {}, 404],
  ];
  await play(rows.map(([name, method, json, status, body]): Scenario => ({
    name,
    method: "POST",
    path: at(method),
    sent: { token: null, json },
    status,
    body,
  })));
  const type = { "content-type": "application/json" };
  assert.equal((await ask("POST", at("list"), { token: null, headers: type })).status, 200, "a type without a body");
  const form = { "content-type": "application/x-www-form-urlencoded" };
  assert.equal((await ask("POST", at("create"), { token: null, raw: "data=1", headers: form })).status, 415);
  assert.equal(
    (await ask("POST", "/platform/db/there_is_none/list")).body.error,
    "Database not found",
  );
  assert.equal((await ask("POST", "/platform/db/A-b/list")).status, 404);
  const { body } = await ask("POST", at("list"), { token: null });
  assert.deepEqual(Object.keys(body[0]).sort(), [...Object.keys(FIELDS), "created_at", "id", "updated_at"].sort());
});

test("public methods: what is not enabled is forbidden, before a body is read", async ({ ask }) => {
  await inTurn(Object.keys(ALL), async (enabled) => {
    const code = await addDb(ask, { schema: { fields: FIELDS }, public_methods: { [enabled]: {} } });
    const visit = browser(ask, code);
    await inTurn(Object.keys(ALL).filter((method) => method !== enabled), async (method) => {
      assert.equal((await visit(method, { data: { title: "x" }, id: NO_UUID })).status, 403, method);
      assert.equal((await visit(method)).status, 403, `${method} without a body`);
    });
    assert.notEqual((await visit(enabled, { data: { title: "x" }, id: NO_UUID })).status, 403);
  });
  const closed = browser(ask, await addDb(ask, { schema: { fields: FIELDS } }));
  assert.equal((await closed("list")).status, 401, "a stranger learns nothing of a private database");
});

test("public methods: a change of them holds at once", async ({ ask }) => {
  const code = await addDb(ask, { schema: { fields: FIELDS }, public_methods: ALL });
  const visit = browser(ask, code);
  assert.equal((await visit("list")).status, 200);
  await ask("PATCH", `/platform/dbs/${code}.json`, { json: { db: { public_methods: { create: {} } } } });
  assert.equal((await visit("list")).status, 403);
  await ask("DELETE", `/platform/dbs/${code}.json`);
  assert.equal((await visit("create", { data: { title: "x" } })).status, 401);
});

test("public methods: on a database of several tables they are refused at save", async ({ ask, play }) => {
  const schema = { tables: { people: { fields: { name: "string" } }, dogs: { fields: { name: "string" } } } };
  const code = await addDb(ask, { schema });
  const single = await addDb(ask, { schema: { fields: { name: "string" } }, public_methods: { list: {} } });
  const refused = (name: string, method: "POST" | "PATCH", path: string, db: Record<string, unknown>) => ({
    name,
    method,
    path,
    sent: { json: { db } },
    status: 422,
    body: { public_methods: /one table.*records\.json/ },
  });
  const at = (code: string) => `/platform/dbs/${code}.json`;
  await play([
    refused("at a create", "POST", "/platform/dbs.json", { name: "Several", schema, public_methods: { list: {} } }),
    refused("at a change of the methods", "PATCH", at(code), { public_methods: { create: {} } }),
    refused("at a change of the schema", "PATCH", at(single), { schema, drop_tables: [""] }),
    { ...refused("none are allowed", "PATCH", at(code), { public_methods: {} }), status: 200, body: undefined },
    {
      ...refused("both change", "PATCH", at(single), { schema, drop_tables: [""], public_methods: {} }),
      status: 200,
      body: undefined,
    },
  ]);
});

interface Rule {
  name: string;
  create: Record<string, unknown>;
  /** Settings in addition to `create`. */
  others?: Record<string, unknown>;
  data: Record<string, unknown>;
  status: number;
  body: Record<string, unknown>;
}

const RULES: Rule[] = [
  {
    name: "keys outside allowed_fields are dropped",
    create: { allowed_fields: ["title"] },
    data: { title: "t", note: "n", stars: 1 },
    status: 201,
    body: { title: "t", note: null, stars: null },
  },
  {
    name: "without allowed_fields every field is allowed",
    create: {},
    data: { title: "t", note: "n" },
    status: 201,
    body: { note: "n" },
  },
  {
    name: "allowed_fields may be none",
    create: { allowed_fields: [], default_values: { title: "d" } },
    data: { title: "t", note: "n" },
    status: 201,
    body: { title: "d", note: null },
  },
  {
    name: "required_fields must not be blank",
    create: { required_fields: ["note", "stars"] },
    data: { title: "t", note: " " },
    status: 422,
    body: { note: ["can't be blank"], stars: ["can't be blank"] },
  },
  {
    name: "required_fields may be false and 0",
    create: { required_fields: ["done", "stars"] },
    data: { title: "t", done: false, stars: 0 },
    status: 201,
    body: { done: false, stars: 0 },
  },
  {
    name: "an invalid required field has a message",
    create: { required_fields: ["stars"] },
    data: { title: "t", stars: "x" },
    status: 422,
    body: { stars: /^must be an integer$/ },
  },
  {
    name: "a required field outside allowed_fields cannot be sent",
    create: { allowed_fields: ["title"], required_fields: ["note"] },
    data: { title: "t", note: "n" },
    status: 422,
    body: { note: ["can't be blank"] },
  },
  {
    name: "default_values fill omitted fields",
    create: { default_values: { note: "d", done: false } },
    data: { title: "t", done: true },
    status: 201,
    body: { note: "d", done: true },
  },
  {
    name: "default_values satisfy required_fields",
    create: { default_values: { note: "d" }, required_fields: ["note"] },
    data: { title: "t" },
    status: 201,
    body: { note: "d" },
  },
  {
    name: "default_values replace fields that are not allowed",
    create: { allowed_fields: ["title"], default_values: { note: "d" } },
    data: { title: "t", note: "n" },
    status: 201,
    body: { note: "d" },
  },
  {
    name: "auto_fields override sent values",
    create: { auto_fields: { note: "{ip}" } },
    data: { title: "t", note: "forged" },
    status: 201,
    body: { note: "127.0.0.1" },
  },
  {
    name: "auto_fields win over allowed_fields and default_values",
    create: { allowed_fields: ["title", "note"], default_values: { note: "d" }, auto_fields: { note: "{ip}" } },
    data: { title: "t", note: "forged" },
    status: 201,
    body: { note: "127.0.0.1" },
  },
  {
    name: "auto_fields win where they are empty, too",
    create: { allowed_fields: ["title", "note"], default_values: { note: "d" }, auto_fields: { note: "{user_id}" } },
    data: { title: "t", note: "1" },
    status: 201,
    body: { note: null },
  },
  {
    name: "a required auto field needs a caller with that value",
    create: { required_fields: ["owner"], auto_fields: { owner: "{user_id}" } },
    data: { title: "t", owner: "1" },
    status: 422,
    body: { owner: ["can't be blank"] },
  },
  {
    name: "a scope without an auto field is not the caller's to send",
    create: {},
    others: { list: { scope_by: "owner" } },
    data: { title: "t", owner: "forged" },
    status: 201,
    body: { owner: /^[\w-]{32}$/ },
  },
  {
    name: "keys of every object are nothing special",
    create: {},
    data: JSON.parse(`{"title":"t","__proto__":{"note":"x"},"constructor":{"a":1}}`),
    status: 201,
    body: { note: null },
  },
];

test("public create: fields by the rules of the database", async ({ ask, play }) => {
  const rows: Scenario[] = [];
  await inTurn(RULES, async ({ name, create, others, data, status, body }) => {
    const code = await addDb(ask, { schema: { fields: FIELDS }, public_methods: { create, ...others } });
    const path = `/platform/db/${code}/create`;
    rows.push({ name, method: "POST", path, sent: { token: null, json: { data } }, status, body });
  });
  await play(rows);
});

test("public update: allowed_fields are dropped, auto fields and scopes stay", async ({ ask }) => {
  const methods = {
    create: { auto_fields: { owner: "{cookie_key}" } },
    update: { allowed_fields: ["note", "owner"], scope_by: "owner" },
  };
  const visit = browser(ask, await addDb(ask, { schema: { fields: FIELDS }, public_methods: methods }));
  const { id, owner } = made(await visit("create", { data: { title: "t" } }));
  const { status, body } = await visit("update", { id, data: { title: "new", note: "n", owner: "x", nope: 1 } });
  assert.deepEqual([status, body.title, body.note, body.owner], [200, "t", "n", owner]);
});

test("public methods: names in a body that every object has open nothing", async ({ ask }) => {
  const visit = browser(ask, await addDb(ask, { schema: { fields: FIELDS }, public_methods: ALL }));
  const bodies = [`{"__proto__":{"data":{"title":"x"}}}`, `{"constructor":{}}`, `{"data":"x"}`, `{"data":["x"]}`];
  await inTurn(bodies, async (body) => assert.equal((await visit("create", JSON.parse(body))).status, 400, body));
  assert.equal((await visit("list", { filter: { constructor: "x" } })).status, 400);
  await inTurn([`{"__proto__":"x"}`, `{"title":{"__proto__":"x"}}`], async (filter) => {
    assert.equal((await visit("list", { filter: JSON.parse(filter) })).status, 400, filter);
  });
  assert.equal((await visit("list", { sort: "__proto__" })).status, 400);
});

test("public methods: fields that are named like properties of every object are fields", async ({ ask }) => {
  const visit = browser(
    ask,
    await addDb(ask, {
      schema: { fields: { constructor: "string", toString: "string", note: "text" } },
      public_methods: {
        list: { scope_by: "constructor" },
        create: { required_fields: ["toString"], auto_fields: { note: "{ip}" } },
        delete: { scope_by: "constructor" },
      },
    }),
  );
  const blank = await visit("create", { data: {} });
  assert.deepEqual([blank.status, blank.body], [422, { toString: ["can't be blank"] }]);
  const { id } = made(await visit("create", { data: { toString: "t" } }));
  assert.deepEqual((await visit("list")).body.map((row: { id: string }) => row.id), [id]);
  assert.equal((await visit("delete", { id })).status, 200);
});
