/** Records in the private API: shapes, field rules, tables, owners. Other files test lists. */
import assert from "node:assert/strict";
import { addDb, dbAt } from "../../stage/db.ts";
import { NO_UUID } from "../../stage/addresses.ts";
import { addAccount, addPerson, as, made } from "../../stage/people.ts";
import { type Ask, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const json = (data: unknown, more: Record<string, unknown> = {}) => ({ json: { record: { data, ...more } } });

const ALL_TYPES = {
  fields: {
    title: { type: "string", required: true },
    story: "text",
    n: "integer",
    price: "number",
    ok: "boolean",
    at: "datetime",
    day: "date",
    clock: "time",
  },
  indexes: {
    idx_str_1: "title",
    idx_str_2: "story",
    idx_int_1: "n",
    idx_int_2: "ok",
    idx_time_1: "at",
    idx_time_2: "day",
  },
};
const NOTHING = { story: null, n: null, price: null, ok: null, at: null, day: null, clock: null };

const FULL = {
  title: "😀".repeat(255),
  story: 'line\n\t"quoted" \\ \u0001 \u2028 <script> €',
  n: -(2 ** 53) + 1,
  price: 0.1,
  ok: false,
  at: "2026-11-21T08:30:00+02:00",
  day: "2024-02-29",
  clock: "08:30",
};
const KEPT = { ...FULL, at: "2026-11-21T06:30:00.000+00:00" };

inAccount("records: create, read, update, delete", async ({ ask, admin, play }) => {
  const db = await addDb(ask, ALL_TYPES);
  const first = await db.create({ title: "First" });
  const path = db.record(first.id);
  const update = (name: string, record: unknown, data: unknown, more: Partial<Scenario> = {}): Scenario => ({
    name,
    method: "PATCH",
    path,
    sent: { json: { record } },
    status: 200,
    body: { id: first.id, data },
    ...more,
  });
  await play([
    {
      name: "create: 201 with the whole record, every field of its table there, null where it is blank",
      method: "POST",
      path: db.records(),
      sent: json({ title: "Second" }),
      status: 201,
      then({ body }) {
        const { id, created_at, ...rest } = body;
        assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        assert.deepEqual(rest, {
          table_name: null,
          data: { title: "Second", ...NOTHING },
          department_id: null,
          created_by_id: admin.id,
          updated_at: created_at,
        });
        assert.ok(id > first.id, "the order of ids is that of creation");
      },
    },
    {
      name: "create: every type, at its edges, comes back as it is kept",
      method: "POST",
      path: db.records(),
      sent: json(FULL),
      status: 201,
      then: async ({ body }) => {
        assert.deepEqual(body.data, KEPT);
        assert.deepEqual((await ask("GET", db.record(body.id))).body, body);
      },
    },
    { name: "read", method: "GET", path, status: 200, body: first },
    update("update: merges", { data: { n: 5, ok: true } }, { title: "First", ...NOTHING, n: 5, ok: true }),
    update("update: null clears a field", { data: { n: null } }, { title: "First", n: null, ok: true }),
    update("update: a blank clears it, too", { data: { ok: "" } }, { ok: null }),
    update("update: an empty text is a text", { data: { story: "" } }, { story: "" }),
    update("update: nothing at all", { data: {} }, { title: "First", story: "" }),
    update("update: nor any data", {}, { title: "First" }, {
      then({ body }) {
        assert.ok(body.updated_at > first.updated_at && body.created_at === first.created_at);
      },
    }),
    { name: "delete: 204, empty", method: "DELETE", path, status: 204 },
    { name: "delete: once", method: "DELETE", path, status: 404, body: { error: "Record not found" } },
    { name: "a deleted record is not there", method: "GET", path, status: 404 },
    update("nor does it change", { data: { n: 1 } }, undefined, { status: 404, body: { code: "not_found" } }),
  ]);
});

/** The `data` of a body as JSON, and the messages for each field. */
const FAULTS: [name: string, data: string, told: Record<string, RegExp>][] = [
  ["a required field is missing", "{}", { title: /^can't be blank$/ }],
  ["a required field is null", '{"title":null}', { title: /^can't be blank$/ }],
  ["a required field has nothing but spaces", '{"title":" \\t"}', { title: /^can't be blank$/ }],
  ["an unknown field", '{"title":"x","Title":"x","nope":1}', { Title: /not a field/, nope: /not a field/ }],
  ["names that objects have", '{"title":"x","constructor":1}', { constructor: /not a field/ }],
  ["names of the record's own", '{"title":"x","id":"x","created_at":"x"}', { id: /./, created_at: /./ }],
  ["numbers as texts", '{"title":"x","n":"5","price":"1.5","ok":"true"}', {
    n: /integer/,
    price: /number/,
    ok: /true/,
  }],
  ["a number as a text field", '{"title":5}', { title: /^must be a string$/ }],
  ["objects and lists", '{"title":{},"story":["a"],"n":[1]}', { title: /string/, story: /string/, n: /integer/ }],
  ["a fraction where an integer is asked for", '{"title":"x","n":1.5}', { n: /^must be an integer$/ }],
  ["an integer beyond 2^53", '{"title":"x","n":9007199254740993}', { n: /^must be an integer$/ }],
  ["2^53 itself, which others are rounded to", '{"title":"x","n":9007199254740992}', { n: /integer/ }],
  ["infinity, as JSON can say it", '{"title":"x","price":1e400}', { price: /^must be a number$/ }],
  ["256 characters", `{"title":"${"😀".repeat(256)}"}`, { title: /^is too long \(maximum is 255 characters\)$/ }],
  ["NUL, escaped", '{"title":"a\\u0000b","story":"\\u0000"}', { title: /cannot be stored/, story: /cannot be stored/ }],
  ["half of a surrogate pair", '{"title":"a\\ud83d","story":"\\ude00x"}', { title: /surrogate/, story: /surrogate/ }],
  ["a day that is not in the calendar", '{"title":"x","day":"2024-02-30"}', { day: /YYYY-MM-DD/ }],
  ["a moment on such a day", '{"title":"x","at":"2023-02-29T00:00:00Z"}', { at: /ISO 8601/ }],
  ["a moment without its offset", '{"title":"x","at":"2026-11-21T08:30:00"}', { at: /with offset/ }],
  ["a leap second", '{"title":"x","at":"2016-12-31T23:59:60Z","clock":"23:59:60"}', { at: /ISO/, clock: /HH:MM/ }],
  ["24:00", '{"title":"x","at":"2026-11-21T24:00:00Z","clock":"24:00"}', { at: /ISO/, clock: /HH:MM/ }],
];

inAccount("records: what a field does not take is 422 on that field", async ({ ask, play }) => {
  const db = await addDb(ask, ALL_TYPES);
  const there = await db.create({ title: "There" });
  const headers = { "content-type": "application/json" };
  await play(FAULTS.flatMap(([name, data, told]): Scenario[] => [
    {
      name: `create: ${name}`,
      method: "POST",
      path: db.records(),
      sent: { raw: `{"record":{"data":${data}}}`, headers },
      status: 422,
      body: told,
    },
    // An update may leave out required fields.
    ...data === "{}" ? [] : [
      {
        name: `update: ${name}`,
        method: "PATCH",
        path: db.record(there.id),
        sent: { raw: `{"record":{"data":${data}}}`, headers },
        status: 422,
        body: told,
      } satisfies Scenario,
    ],
  ]));
  const shape = (name: string, body: unknown, status: number, told?: Record<string, RegExp>): Scenario => ({
    name,
    method: "POST",
    path: db.records(),
    sent: { json: body },
    status,
    ...(told && { body: told }),
  });
  await play([
    shape("without the wrapper", { data: { title: "x" } }, 400),
    shape("a record that is a list", { record: [] }, 400),
    shape("no data", { record: {} }, 422, { data: /blank/ }),
    shape("data that are a list", { record: { data: [] } }, 422, { data: /object/ }),
    shape("data that are a text", { record: { data: "x" } }, 422, { data: /object/ }),
    shape("an unknown department", { record: { data: { title: "x" }, department_id: 999 } }, 422, {
      department_id: /^must exist$/,
    }),
    shape("other keys are ignored", { record: { data: { title: "x" }, id: NO_UUID, created_by_id: 7 } }, 201),
  ]);
  assert.deepEqual((await ask("GET", db.record(there.id))).body, there, "what is refused changes nothing");
});

inAccount("records: a text is as long as a body may be", async ({ ask }) => {
  const db = await addDb(ask, ALL_TYPES);
  const story = "ż".repeat(700_000);
  const { id } = await db.create({ title: "Long", story });
  assert.equal((await ask("GET", db.record(id))).body.data.story, story);
  assert.equal((await ask("POST", db.records(), json({ title: "x", story: "x".repeat(2 ** 21) }))).status, 413);
});

inAccount("records: tables", async ({ ask, play }) => {
  const one = await addDb(ask, { fields: { name: "string" } });
  const db = await addDb(ask, {
    tables: { people: { fields: { name: "string" } }, dogs: { fields: { name: "string", age: "integer" } } },
  });
  const ada = await db.create({ name: "Ada" }, { table_name: "people" });
  const rex = await db.create({ name: "Rex", age: 3 }, { table_name: "dogs" });
  assert.deepEqual([ada.table_name, ada.data, rex.table_name, rex.data.age], ["people", { name: "Ada" }, "dogs", 3]);
  const tables = ["people", "dogs"];
  const row = (name: string, path: string, status: number, body: unknown): Scenario => ({
    name,
    method: "GET",
    path,
    status,
    body,
  });
  const post = (name: string, record: Record<string, unknown>, status: number, body: unknown): Scenario => ({
    name,
    method: "POST",
    path: db.records(),
    sent: { json: { record } },
    status,
    body,
  });
  const required = { code: "table_name_required", tables };
  await play([
    row("a search names its table, or is told them", db.search(), 400, required),
    row("so does a list", db.records(), 400, required),
    row("a blank is no name", db.search({ table_name: "" }), 400, required),
    row("an unknown table is 404 with the tables", db.search({ table_name: "cats" }), 404, {
      code: "not_found",
      tables,
    }),
    row("names are as they are written", db.records({ table_name: "People" }), 404, { tables }),
    row("nor are they those of objects", db.records({ table_name: "constructor" }), 404, { tables }),
    row("each table has its own records", db.records({ table_name: "people" }), 200, [{ id: ada.id }]),
    row("flat, too", db.search({ table_name: "dogs" }), 200, [{ id: rex.id, name: "Rex", age: 3 }]),
    row("an id is enough for a record", db.record(rex.id), 200, { table_name: "dogs" }),
    row("named, its table must be right", db.record(rex.id, "?table_name=people"), 404, { error: "Record not found" }),
    row("and be there", db.record(rex.id, "?table_name=cats"), 404, { tables }),
    row("an id that nothing has", db.record(NO_UUID), 404, { error: "Record not found" }),
    post("a new record names its table", { data: {} }, 400, required),
    post("which must be there", { data: {}, table_name: "cats" }, 404, { tables }),
    post("and takes its own fields alone", { data: { age: 1 }, table_name: "people" }, 422, { age: /not a field/ }),
    {
      name: "an update finds the table by the id",
      method: "PATCH",
      path: db.record(rex.id),
      sent: json({ age: 4 }),
      status: 200,
      body: { data: { name: "Rex", age: 4 } },
    },
    {
      name: "and refuses another",
      method: "PATCH",
      path: db.record(rex.id),
      sent: json({ name: "x" }, { table_name: "people" }),
      status: 404,
    },
    { name: "as does a delete", method: "DELETE", path: db.record(rex.id, "?table_name=people"), status: 404 },
    { name: "which needs no table", method: "DELETE", path: db.record(rex.id), status: 204 },
    row("one table needs no name", one.records(), 200, []),
    row("and has none", one.records({ table_name: "people" }), 404, { tables: [] }),
  ]);
});

inAccount("records: nobody reaches another database's or another account's", async ({ server, ask, play }) => {
  const schema = { fields: { a: "string" } };
  const [own, other] = [await addDb(ask, schema), await addDb(ask, schema)];
  const { token } = await addAccount(server);
  const stranger = as(ask, token);
  // Both databases have the same code: only the account distinguishes them.
  const theirs = await addDb(stranger, schema, { code: own.code });
  const { id } = await other.create({ a: "x" });
  const stolen = await theirs.create({ a: "theirs" });
  const missing = (method: Scenario["method"], path: string, sent?: unknown): Scenario => ({
    name: `${method} ${path.slice(0, 40)}`,
    method,
    path,
    sent: { json: sent },
    status: 404,
    body: { error: "Record not found" },
  });
  const data = { record: { data: { a: "mine" } } };
  await play([id, stolen.id, NO_UUID].flatMap((id) => [
    missing("GET", own.record(id)),
    missing("PATCH", own.record(id), data),
    missing("DELETE", own.record(id)),
  ]));
  assert.deepEqual((await ask("GET", own.search({ q: "theirs" }))).body, []);
  assert.deepEqual((await stranger("GET", theirs.record(stolen.id))).body, stolen, "nothing of theirs is changed");
  await play(["x", `${id}x`, "00000000-0000-0000-0000-000000000000", `${id}%00`].map((id) => ({
    name: `an id that is none: ${id}`,
    method: "GET",
    path: own.record(id),
    status: 404,
  })));
});

inAccount("records: who made it stays, whoever changes it", async ({ ask }) => {
  const db = await addDb(ask, { fields: { a: "string" } });
  const [one, two] = [await addPerson(ask, "user"), await addPerson(ask, "user")];
  const { body } = await ask("POST", db.records(), { ...json({ a: "1" }), token: one.token });
  const changed = await ask("PATCH", db.record(body.id), { ...json({ a: "2" }), token: two.token });
  assert.deepEqual([body.created_by_id, changed.body.created_by_id, changed.body.data], [one.id, one.id, { a: "2" }]);
});

inAccount("records: changes of different fields at once all survive", async ({ ask }) => {
  const names = Array.from({ length: 16 }, (_, i) => `f${i}`);
  const fields = Object.fromEntries(names.map((name) => [name, "string"]));
  const db = await addDb(ask, { fields, indexes: { idx_str_1: "f0", idx_str_2: "f1" } });
  const { id } = await db.create({});
  const answers = await Promise.all(
    names.map((name) => ask("PATCH", db.record(id), json({ [name]: `value of ${name}` }))),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  const { body } = await ask("GET", db.record(id));
  assert.deepEqual(body.data, Object.fromEntries(names.map((name) => [name, `value of ${name}`])));
  for (const name of names) {
    const { body: found } = await ask(
      "GET",
      db.search({ q: `VALUE OF ${name} `.trim(), [`filter[${name}]`]: `value of ${name}` }),
    );
    assert.equal(found.length, 1, `${name} is found by its text and its value`);
  }
});

inAccount("records: whoever sees a record reads its changes", async ({ ask }) => {
  const db = await addDb(ask, { fields: { title: "string", n: "integer" } });
  const { id } = await db.create({ title: "a" });
  for (const n of [1, 2]) await ask("PATCH", db.record(id), { json: { record: { data: { title: "b", n } } } });
  const at = `/platform/dbs/${db.code}/records/${id}/history.json`;
  const { body } = await ask("GET", at);
  assert.deepEqual(
    body.map(({ action, before, after }: Record<string, unknown>) => [action, before, after]),
    [
      ["update", { n: 1 }, { n: 2 }],
      ["update", { title: "a", n: null }, { title: "b", n: 1 }],
      ["create", null, null],
    ],
  );
  const first = await ask("GET", `${at}?per_page=1`);
  assert.match(first.headers.get("link") ?? "", new RegExp(`after=${body[0].id}>; rel="next"`));
  assert.deepEqual((await ask("GET", `${at}?per_page=1&after=${body[0].id}`)).body, [body[1]]);
  const { user_id, user_name, via } = body[0];
  assert.deepEqual([typeof user_id, typeof user_name, via], ["number", "string", "token"]);
  const other = await addDb(ask, { fields: { title: "string" } });
  assert.equal((await ask("GET", `/platform/dbs/${other.code}/records/${id}/history.json`)).status, 404);
  await ask("DELETE", db.record(id));
  assert.equal((await ask("GET", at)).status, 404);
});

inAccount("records: a record's changes in a department that the viewer does not see are not shown", async ({ ask }) => {
  const department = async (name: string) =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [mine, hidden] = [await department("Mine"), await department("Hidden")];
  await ask("PATCH", "/account.json", { json: { account: { departments: { mode: "restricted" } } } });
  const db = await addDb(ask, { fields: { title: "string" } }, { department_id: mine });
  const { token } = await addPerson(ask, "user", { department_ids: [mine] });
  const narrow = await addPerson(ask, "user", { department_ids: [mine], without_department: false });
  const { id } = await db.create({ title: "a" }, { department_id: mine });
  const change = (title: string, department_id?: number | null) =>
    ask("PATCH", db.record(id), { json: { record: { data: { title }, department_id } } });
  const shown = async (ask: Ask) =>
    (await ask("GET", `/platform/dbs/${db.code}/records/${id}/history.json`)).body
      .map(({ before }: { before: { title?: string } | null }) => before?.title ?? null);
  const user = as(ask, token);
  await change("b");
  assert.deepEqual(await shown(user), ["a", null]);
  await change("c", hidden);
  await change("d");
  await change("e", mine);
  await change("f");
  assert.deepEqual(await shown(user), ["e"]);
  assert.deepEqual(await shown(ask), ["e", "d", "c", "b", "a", null], "an admin sees all of them");
  await change("g", null);
  await change("h", mine);
  assert.deepEqual(await shown(user), ["g", "f", "e"]);
  assert.deepEqual(await shown(as(ask, narrow.token)), [], "nor without a department, for who sees none of these");
  await change("i", hidden);
  await change("j");
  await ask("DELETE", `/account/departments/${hidden}.json`);
  await change("k");
  assert.deepEqual(await shown(user), ["j"], "the department was deleted");
  const elsewhere = await department("Elsewhere");
  const move = async (department_id: number) =>
    assert.equal((await ask("PATCH", dbAt(db.code), { json: { db: { department_id } } })).status, 200);
  await move(elsewhere);
  await change("l");
  await move(mine);
  await change("m");
  assert.deepEqual(await shown(user), ["l"], "its database was hidden");
});
