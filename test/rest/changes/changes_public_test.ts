/** `GET /platform/db/:db_code/changes`: live records for visitors, within the scope of the public method `list`. */
import assert from "node:assert/strict";
import { follow, type Told } from "../../stage/followers.ts";
import { addPerson, made } from "../../stage/people.ts";
import { inTurn, onOwnServer } from "../../stage/scenario.ts";
import { addApp, addDb, bearer, browser, cookieOf, tokenIn } from "../../stage/visitors.ts";

// Visitors belong to the default account.
const test = (name: string, work: Parameters<ReturnType<typeof onOwnServer>>[1]) =>
  onAccount(name, work, { of_default: true });
const onAccount = onOwnServer();

const FIELDS = { title: "string", owner: "string", user: "integer" };
const METHODS = {
  list: { scope_by: "owner" },
  create: { auto_fields: { owner: "{cookie_key}", user: "{user_id}" } },
  update: { scope_by: "owner" },
  delete: { scope_by: "owner" },
};

const names = (told: Told[]) => told.map(({ event, data }) => `${event} ${data.title ?? data.code ?? ""}`.trim());
const at = (code: string) => `/platform/db/${code}/changes`;

test("public changes: flat records, of everybody where list has no scope", async ({ ask, server }) => {
  const code = await addDb(ask, { schema: { fields: FIELDS }, public_methods: { list: {}, create: {} } });
  await using follower = await follow(server, at(code), {});
  assert.equal(follower.headers.get("access-control-allow-origin"), "*");
  const record = made(await browser(ask, code)("create", { data: { title: "a" } }));
  const json = { record: { data: { title: "of the team" } } };
  const { id } = made(await ask("POST", `/platform/dbs/${code}/records.json`, { json }));
  await ask("DELETE", `/platform/dbs/${code}/records/${id}.json`);
  const told = await follower.tells(4);
  assert.deepEqual(names(told), ["ready", "create a", "create of the team", "delete"]);
  assert.deepEqual(told[1]?.data, record);
  assert.deepEqual(told[3]?.data, { id });
});

test("public changes: a scope shows each visitor its own", async ({ ask, server }) => {
  const code = await addDb(ask, { schema: { fields: FIELDS }, public_methods: METHODS });
  const app = await addApp(ask, { db_code: code });
  const first = await ask("GET", app, { token: null });
  const cookie = cookieOf(first) ?? "";
  await using by_cookie = await follow(server, at(code), { cookie });
  await using by_page = await follow(server, at(code), { "x-app-token": tokenIn(first) ?? "" });
  await using other = await follow(server, at(code), {});
  const [mine, theirs] = [browser(ask, code, { cookie }), browser(ask, code)];
  const own = made(await mine("create", { data: { title: "mine" } }));
  const foreign = made(await theirs("create", { data: { title: "theirs" } }));
  await theirs("update", { id: foreign.id, data: { title: "changed" } });
  await mine("update", { id: own.id, data: { title: "mine, too" } });
  // A manager may change the field of the scope: the record then belongs to another visitor.
  const give = { record: { data: { owner: foreign.owner, title: "given" } } };
  await ask("PATCH", `/platform/dbs/${code}/records/${own.id}.json`, { json: give });
  const take = { record: { data: { owner: own.owner, title: "taken" } } };
  await ask("PATCH", `/platform/dbs/${code}/records/${foreign.id}.json`, { json: take });
  await inTurn([by_cookie, by_page], async (follower) => {
    const told = await follower.tells(5);
    assert.deepEqual(names(told), ["ready", "create mine", "update mine, too", "delete", "create taken"]);
    assert.deepEqual(told[3]?.data, { id: own.id });
  });
  assert.deepEqual(names(other.told), ["ready"], "a browser without a cookie is nobody's");
});

test("public changes: a scope without anybody to be shows nothing", async ({ ask, server }) => {
  const methods = { ...METHODS, list: { scope_by: "user" } };
  const code = await addDb(ask, { schema: { fields: FIELDS }, public_methods: methods });
  const ada = await addPerson(ask, "guest");
  await using nobody = await follow(server, at(code), {});
  await using user = await follow(server, at(code), { authorization: `Bearer ${ada.token}` });
  made(await browser(ask, code)("create", { data: { title: "nobody's" } }));
  made(await bearer(ask, code, ada.token)("create", { data: { title: "hers" } }));
  assert.deepEqual(names(await user.tells(2)), ["ready", "create hers"]);
  assert.deepEqual(names(nobody.told), ["ready"]);
});

test("public changes: it ends with the login, with the method, and with the database", async ({ ask, server }) => {
  const code = await addDb(ask, { schema: { fields: FIELDS }, public_methods: { list: {}, create: {} } });
  const app = await addApp(ask, { db_code: code, public: false });
  const json = { token: { name: "Short" } };
  const token = made(await ask("POST", "/account/tokens.json", { json }));
  const page = tokenIn(await ask("GET", app, { token: token.token })) ?? "";
  await using by_page = await follow(server, at(code), { "x-app-token": page });
  await using by_login = await follow(server, at(code), { authorization: `Bearer ${token.token}` });
  await using open = await follow(server, at(code), {});
  await ask("DELETE", `/account/tokens/${token.id}.json`);
  made(await browser(ask, code)("create", { data: { title: "a" } }));
  await inTurn([by_page, by_login], async (follower) => {
    await follower.ended;
    assert.deepEqual(names(follower.told), ["ready", "error unauthorized"]);
  });
  await open.tells(2);
  await ask("PATCH", `/platform/dbs/${code}.json`, { json: { db: { public_methods: { create: {} } } } });
  made(await browser(ask, code)("create", { data: { title: "b" } }));
  await open.ended;
  assert.deepEqual(names(open.told), ["ready", "create a", "error forbidden"]);
});

test("public changes: where list is not enabled there are none", async ({ ask }) => {
  const schema = { fields: FIELDS };
  const closed = await addDb(ask, { schema, public_methods: { create: {} } });
  const open = await addDb(ask, { schema, public_methods: { list: {} } });
  const rows: [path: string, status: number, headers?: Record<string, string>][] = [
    [at(closed), 403],
    [at("there_is_none"), 401],
    [at("No"), 404],
    [at(open), 400, { "last-event-id": "x" }],
    [at(open), 401, { "x-app-token": "x" }],
    [at(open), 401, { authorization: "Bearer x" }],
  ];
  await inTurn(rows, async ([path, status, headers = {}]) => {
    assert.equal(
      (await ask("GET", path, { token: null, headers })).status,
      status,
      `${path} ${JSON.stringify(headers)}`,
    );
  });
  const preflight = await ask("OPTIONS", at(open), { token: null });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /GET/);
  assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /last-event-id/);
});
