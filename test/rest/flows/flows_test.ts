/** Flows as their authors keep them. What a program may say: flows_programs_test.ts. */
import assert from "node:assert/strict";
import { addDb } from "../../stage/db.ts";
import { addAccount, addPerson, as, made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const FLOWS = "/connect/flows.json";
const at = (id: number, rest = "") => `/connect/flows/${id}${rest}.json`;
const json = (flow: Record<string, unknown>) => ({ json: { flow } });
const create = async (ask: Ask, flow: Record<string, unknown>) => made(await ask("POST", FLOWS, json(flow)));

/** Keys that are numbers would come first if anything but text carried them. */
const PROGRAM = [
  { type: "mutation", set: { zebra: 1, apple: "{input.apple|default:2}" } },
  { type: "return", data: { b: "{zebra}", a: "{apple}", 10: 1, 9: 2 } },
];

const KEYS = [
  "id",
  "kind",
  "code",
  "name",
  "active",
  "guarded",
  "secret_inputs",
  "on_failure",
  "max_at_once",
  "overlap",
  "version",
  "author_id",
  "runs_as",
  "department_id",
  "lock_version",
  "created_at",
  "updated_at",
  "used_by",
  "input",
  "output",
  "fields",
  "has_draft",
  "warnings",
];

inAccount("flows: create", async ({ play }) => {
  const row = (name: string, flow: Record<string, unknown>, body: unknown): Scenario => ({
    name,
    method: "POST",
    path: FLOWS,
    sent: json(flow),
    status: 201,
    body,
  });
  await play([
    {
      ...row("201 with the whole flow, not wrapped", {
        kind: "platform/custom_flow",
        name: "  Watch the rate ",
        code: "watch",
        fields: { program: PROGRAM },
      }, {
        kind: "platform/custom_flow",
        code: "watch",
        name: "Watch the rate",
        active: true,
        version: 1,
        department_id: null,
        lock_version: 0,
        warnings: {},
      }),
      then({ body }) {
        assert.deepEqual(Object.keys(body), KEYS);
        assert.equal(JSON.stringify(body.fields), JSON.stringify({ program: PROGRAM }), "as its author wrote it");
      },
    },
    row("a name is enough: it gives the code, and the program is empty", { name: "Zażółć – jaźń!" }, {
      code: "zazolc_jazn",
      fields: { program: [] },
    }),
    row("a code is cleaned", { name: "x", code: " Łódź -- 2026/Żółw__x_ " }, { code: "lodz_2026_zolw_x" }),
    row("of a long name the code is cut", { name: "a".repeat(255) }, { code: "a".repeat(100) }),
    row("one that is switched off", { name: "Off", active: false }, { active: false }),
    row("other keys are ignored, as are those that the server writes", {
      name: "Mine",
      id: 77,
      version: 9,
      lock_version: 9,
      account_id: 1,
    }, { version: 1, lock_version: 0 }),
  ]);
});

inAccount("flows: what is refused", async ({ ask, play }) => {
  await create(ask, { name: "Taken" });
  const other = await create(ask, { name: "Other" });
  const rows: [name: string, flow: Record<string, unknown>, body: Record<string, RegExp>][] = [
    ["a blank name", { name: " " }, { name: /^can't be blank$/ }],
    ["a kind that is none", { name: "x", kind: "platform/flow" }, { kind: /^is not included in the list$/ }],
    ["a code that is taken", { name: "x", code: "TAKEN" }, { code: /^has already been taken$/ }],
    ["a code of which nothing is left", { name: "x", code: "-!-" }, { code: /^can't be blank$/ }],
    ["a code of 101 characters", { name: "x", code: "a".repeat(101) }, { code: /maximum is 100 characters/ }],
    ["active that is a text", { name: "x", active: "yes" }, { active: /must be a boolean/ }],
    ["an unknown department", { name: "x", department_id: 999 }, { department_id: /^must exist$/ }],
    ["fields without a program", { name: "x", fields: {} }, { "fields.program": /^can't be blank$/ }],
    ["a typo in fields", { name: "x", fields: { program: [], progam: [] } }, { "fields.progam": /not a known field/ }],
    ["fields that are a list", { name: "x", fields: [] }, { fields: /must be an object/ }],
    ["a fault of the program", { name: "x", fields: { program: [{ type: "if" }] } }, {
      "fields.program.0.condition": /blank/,
      "fields.program.0.then": /blank/,
    }],
  ];
  await play(rows.flatMap(([name, flow, body]): Scenario[] => [
    { name: `create: ${name}`, method: "POST", path: FLOWS, sent: json(flow), status: 422, body },
    { name: `update: ${name}`, method: "PATCH", path: at(other.id), sent: json(flow), status: 422, body },
  ]));
  assert.deepEqual((await ask("GET", at(other.id))).body, other, "nothing is changed");
  assert.equal((await ask("GET", FLOWS)).body.length, 2, "nothing is made");
});

inAccount("flows: update, versions", async ({ ask, play, server: { sql } }) => {
  const { id } = await create(ask, { name: "First", fields: { program: PROGRAM } });
  const update = (name: string, flow: Record<string, unknown>, body: unknown): Scenario => ({
    name,
    method: "PATCH",
    path: at(id),
    sent: json(flow),
    status: 200,
    body,
  });
  await play([
    update("a name alone leaves the rest", { name: "Second" }, {
      name: "Second",
      code: "first",
      version: 1,
      lock_version: 1,
    }),
    update("the same program is no new version", { fields: { program: PROGRAM } }, { version: 1, lock_version: 2 }),
    update("another program is", { fields: { program: [] }, lock_version: 2 }, { version: 2, fields: { program: [] } }),
    update("and so is the order of its keys", { fields: { program: [{ set: { a: 1 }, type: "mutation" }] } }, {
      version: 3,
    }),
    {
      name: "a stale lock_version is 409 with the flow as it is",
      method: "PATCH",
      path: at(id),
      sent: json({ name: "Third", lock_version: 2 }),
      status: 409,
      async then({ body }) {
        assert.deepEqual(body.current, (await ask("GET", at(id))).body);
      },
    },
    { name: "delete", method: "DELETE", path: at(id), status: 204 },
    { name: "gone", method: "GET", path: at(id), status: 404 },
  ]);
  const kept = await sql`select from flow_versions where flow_id = ${id} and dropped_at is null`;
  assert.deepEqual([...kept], [], "the sweep deletes its programs after its runs");
});

inAccount("flows: every program that there was is kept for its runs", async ({ ask, server: { sql } }) => {
  const { id } = await create(ask, { name: "Kept", fields: { program: PROGRAM } });
  await ask("PATCH", at(id), json({ fields: { program: [] } }));
  const versions = await sql`
    select version, program::text as program, replaced_at is not null as replaced
    from flow_versions
    where flow_id = ${id}
    order by version
  `;
  assert.deepEqual([...versions], [
    { version: 1, program: JSON.stringify(PROGRAM), replaced: true },
    { version: 2, program: "[]", replaced: false },
  ]);
});

inAccount("flows: two changes at once are both kept, each version once", async ({ ask, server: { sql } }) => {
  const { id } = await create(ask, { name: "Busy" });
  const answers = await Promise.all(
    Array.from(
      { length: 6 },
      (_, value) => ask("PATCH", at(id), json({ fields: { program: [{ type: "return", data: value }] } })),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status), Array(6).fill(200));
  const versions = await sql<{ version: number }[]>`
    select version from flow_versions where flow_id = ${id} order by version
  `;
  assert.deepEqual(versions.map(({ version }) => version), [1, 2, 3, 4, 5, 6, 7]);
});

inAccount("flows: warnings name what is not there", async ({ ask }) => {
  const single = await addDb(ask, { fields: { a: "string" } });
  const several = await addDb(ask, { tables: { people: { fields: {} }, pets: { fields: {} } } });
  made(
    await ask("POST", "/connect/connectors.json", {
      json: {
        connector: {
          name: "fx",
          url: "https://api.example.com",
          fields: {
            methods: {
              latest: { method: "GET", path: "/" },
              of: { method: "GET", path: "/{base}", query: { n: "{n}" }, headers: { "x-day": "{day.iso}" } },
            },
          },
        },
      },
    }),
  );
  const call = (connector_code: string, method: string) => ({ type: "connector", connector_code, method });
  const list = (db_code: string, table_name?: string) => ({ type: "record", action: "list", db_code, table_name });
  const program = [
    call("fx", "latest"),
    call("fx", "oldest"),
    { type: "if", condition: "{json_object.a} > {limit}", then: [call("sms", "send")] },
    list(single.code),
    list(single.code, "people"),
    list(several.code),
    list(several.code, "pets"),
    list("nowhere"),
    {
      type: "for_each",
      items: "{steps.first.body}",
      steps: [{ type: "mutation", set: { sum: "{sum} {item} {index}" } }],
    },
    { ...call("fx", "of"), params: { base: "EUR" } },
    { ...call("fx", "of"), params: { base: "EUR", day: { iso: "x" } }, query: { m: 1 } },
    { type: "return", data: ["{sum}", "{smu}", "{input.x} {user.name} {run.id}"] },
    { type: "return" },
    { ...call("fx", "latest"), params: { base: "EUR" } },
    { ...list(several.code, "people"), filter: { none: 1, created_at: { gt: "2026-01-01" } }, sort: "-nor,id" },
    { ...list(single.code), action: "create", data: { strange: 1 } },
  ];
  const warnings = {
    "fields.program.1.method": ["is not a method of the connector fx"],
    "fields.program.2.then.0.connector_code": ["names the connector sms, which is not there"],
    "fields.program.2.condition.right": ["has {limit}, which no step sets"],
    "fields.program.4.table_name": [`is not a table of the database ${single.code}`],
    "fields.program.5.table_name": [`can't be blank: ${several.code} has the tables people, pets`],
    "fields.program.7.db_code": ["names the database nowhere, which is not there"],
    "fields.program.8.items": ["has {steps.first}, and no step has this id"],
    "fields.program.9.params": ["has no day, which the method of asks for", "has no n, which the method of asks for"],
    "fields.program.11.data.1": ["has {smu}, which no step sets"],
    "fields.program.12": ["is never reached: a return stands before it"],
    "fields.program.13.params": ["has base, which the method latest does not use"],
    "fields.program.14.filter": ["names none, which is no field of the table"],
    "fields.program.14.sort": ["names nor, which is no field of the table"],
    "fields.program.15.data": ["names strange, which is no field of the table"],
  };
  const input = { type: "object", properties: { password: { type: "string" } } };
  const secret = await create(ask, {
    name: "Secret",
    fields: { program: [] },
    input,
    secret_inputs: ["Password", "password"],
  });
  assert.deepEqual(secret.warnings, { secret_inputs: ["names Password, which is no property of input"] });
  const flow = await create(ask, { name: "Doubtful", fields: { program } });
  assert.deepEqual(flow.warnings, warnings);
  assert.deepEqual((await ask("GET", at(flow.id))).body.warnings, warnings);
  assert.deepEqual((await ask("PATCH", at(flow.id), json({ name: "x" }))).body.warnings, warnings);
});

inAccount("flows: another account's connectors are not there", async ({ server, ask }) => {
  const theirs = as(ask, (await addAccount(server)).token);
  made(
    await theirs("POST", "/connect/connectors.json", {
      json: { connector: { name: "secret", url: "https://api.example.com" } },
    }),
  );
  const program = [{ type: "connector", connector_code: "secret", method: "x" }];
  const { warnings } = await create(ask, { name: "Prying", fields: { program } });
  assert.deepEqual(Object.keys(warnings), ["fields.program.0.connector_code"]);
});

inAccount("flows: lists", async ({ ask, play }) => {
  await inTurn(["Beta", "alpha", "Gamma"], (name) => create(ask, { name, active: name !== "Gamma" }));
  const row = (query: string, names: string[]): Scenario => ({
    name: query || "by name",
    method: "GET",
    path: `${FLOWS}${query}`,
    status: 200,
    body: names.map((name) => ({ name })),
  });
  await play([
    row("", ["alpha", "Beta", "Gamma"]),
    row("?sort=-created_at", ["Gamma", "alpha", "Beta"]),
    row("?q=A&active=true", ["alpha", "Beta"]),
    row("?active=false", ["Gamma"]),
    row("?q=et", ["Beta"]),
    row("?per_page=1&page=2", ["Beta"]),
    { name: "an unknown order", method: "GET", path: `${FLOWS}?sort=code`, status: 400 },
  ]);
});

inAccount("flows: a restricted account hides those of other departments", async ({ ask, play }) => {
  const department = async (name: string): Promise<number> =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [own, other] = [await department("Own"), await department("Other")];
  const mine = await create(ask, { name: "Mine", department_id: own });
  const hidden = await create(ask, { name: "Hidden", department_id: other });
  const { token } = await addPerson(ask, "manager", { department_ids: [own], without_department: false });
  const row = (method: Scenario["method"], path: string, status: number, more: Partial<Scenario> = {}): Scenario => ({
    name: `${method} ${path}`,
    method,
    path,
    status,
    ...more,
    sent: { ...more.sent, token },
  });
  await play([
    row("GET", FLOWS, 200, { body: [{ name: "Mine" }] }),
    row("GET", at(hidden.id), 404),
    row("PATCH", at(hidden.id), 404, { sent: json({ name: "x" }) }),
    row("POST", at(hidden.id, "/run"), 404, { sent: { json: {} } }),
    row("DELETE", at(hidden.id), 404),
    row("PATCH", at(mine.id), 422, {
      sent: json({ department_id: other }),
      body: { department_id: /^is not one of your departments$/ },
    }),
    row("POST", at(mine.id, "/run"), 200, { sent: { json: {} }, body: { status: "finished", data: null } }),
  ]);
});

inAccount("flows: run by hand", async ({ ask, play }) => {
  const { id } = await create(ask, { name: "Runs", fields: { program: PROGRAM } });
  const off = await create(ask, { name: "Off", active: false });
  const { token } = await addPerson(ask, "user");
  const run = (json: unknown, status: number, body: unknown): Scenario => ({
    name: `${JSON.stringify(json)} is ${status}`,
    method: "POST",
    path: at(id, "/run"),
    sent: { json, token },
    status,
    body,
  });
  await play([
    run({}, 200, { status: "finished", data: { a: 2, b: 1 } }),
    run({ input: { apple: [1, { x: null }] } }, 200, { status: "finished", data: { a: [1, { x: null }] } }),
    run({ input: 5 }, 422, { input: /must be an object/ }),
    run({ input: { x: "a\0" } }, 422, { input: /cannot be stored/ }),
    run({ input: JSON.parse('{"apple":{"__proto__":1}}') }, 422, { "input.apple.__proto__": ["is not a known field"] }),
    run({ idempotency_key: "two words" }, 422, { idempotency_key: /^must be 1 to 200 printable characters/ }),
    run({ inputt: { apple: 1 } }, 422, { inputt: /^is not a known field$/ }),
    {
      name: "one that is switched off",
      method: "POST",
      path: at(off.id, "/run"),
      sent: { json: {} },
      status: 422,
      body: { base: /^This flow is switched off$/ },
    },
  ]);
  const again = { json: { idempotency_key: "once", input: { apple: 1 } } };
  const [first, second] = [await ask("POST", at(id, "/run"), again), await ask("POST", at(id, "/run"), again)];
  assert.deepEqual(second.body, first.body, "the same run");
  const by_header = { json: { input: { apple: 1 } }, headers: { "idempotency-key": "once" } };
  assert.deepEqual((await ask("POST", at(id, "/run"), by_header)).body, first.body, "as actions take it");
  const other_header = await ask("POST", at(id, "/run"), { ...again, headers: { "idempotency-key": "twice" } });
  assert.deepEqual([other_header.status, other_header.body], [422, {
    idempotency_key: ["is another one than that of the header Idempotency-Key"],
  }]);
  const changed = await ask("POST", at(id, "/run"), { json: { idempotency_key: "once", input: { apple: 2 } } });
  assert.deepEqual([changed.status, changed.body], [422, { idempotency_key: ["has been used with another input"] }]);
  const somebody = await ask("POST", at(id, "/run"), { ...again, token });
  assert.notEqual(somebody.body.flow_process_id, first.body.flow_process_id, "a key is its caller's");
  const { id: other } = await create(ask, { name: "Other", fields: { program: PROGRAM } });
  const elsewhere = await ask("POST", at(other, "/run"), again);
  assert.notEqual(elsewhere.body.flow_process_id, first.body.flow_process_id, "a key is one flow's");
});

inAccount("flows: the JSON Schema of programs is there for everybody, and is not sent twice", async ({ ask, play }) => {
  const path = "/schemas/flow.json";
  const { headers } = await ask("GET", path, { token: null });
  const etag = headers.get("etag") ?? "";
  await play([
    {
      name: "as a file",
      method: "GET",
      path,
      sent: { token: null },
      status: 200,
      body: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "array" },
      headers: { "content-type": "application/json; charset=utf-8", "cache-control": /^public, no-cache/ },
    },
    { name: "unchanged", method: "GET", path, sent: { token: null, headers: { "if-none-match": etag } }, status: 304 },
    { name: "nothing else", method: "POST", path, status: 405 },
  ]);
});
