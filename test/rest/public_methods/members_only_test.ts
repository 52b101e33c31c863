/** Public methods for members only: they reach what the caller's login reaches, within the rules of the method. */
import assert from "node:assert/strict";
import { follow } from "../../stage/followers.ts";
import { addPerson, type Ask, made } from "../../stage/people.ts";
import { inTurn, onOwnServer } from "../../stage/scenario.ts";
import { addApp, addDb, bearer, browser, page, tokenIn } from "../../stage/visitors.ts";

const onAccount = onOwnServer();
const test = (name: string, work: Parameters<typeof onAccount>[1]) => onAccount(name, work, { of_default: true });

const FIELDS = { title: "string", price: "integer", owner: "integer" };
const MEMBERS = { members_only: true };
const METHODS = { list: MEMBERS, create: { ...MEMBERS, allowed_fields: ["title"] }, update: MEMBERS, delete: MEMBERS };
const FOR_MEMBERS = /for members/;

const titles = ({ body }: { body: { title: string }[] }) => body.map(({ title }) => title).toSorted();
const addRecord = async (ask: Ask, code: string, title: string, department_id: number | null = null) =>
  made(
    await ask("POST", `/platform/dbs/${code}/records.json`, { json: { record: { data: { title }, department_id } } }),
  );
const addDepartment = async (ask: Ask) => {
  const department = { name: `Team ${crypto.randomUUID().slice(0, 8)}` };
  return made(await ask("POST", "/account/departments.json", { json: { department } })).id;
};
const restrict = (ask: Ask, mode: "restricted" | "open") =>
  ask("PATCH", "/account.json", { json: { account: { departments: { mode } } } });

test("members only: a member's app reads and writes, strangers and guests do not", async ({ ask }) => {
  const code = await addDb(ask, { schema: { fields: FIELDS }, public_methods: METHODS });
  await addRecord(ask, code, "old");
  const [user, guest] = [await addPerson(ask, "user"), await addPerson(ask, "guest")];
  const app = await addApp(ask, { public: false, db_code: code });
  const opened = tokenIn(await ask("GET", app, { token: user.token })) ?? assert.fail("no page token");
  await inTurn([page(ask, code, opened), bearer(ask, code, user.token)], async (visit) => {
    assert.ok(titles(await visit("list")).includes("old"));
    const record = made(await visit("create", { data: { title: "new", price: 7 } }));
    assert.deepEqual([record.title, record.price], ["new", null], "allowed_fields hold for members");
    assert.equal((await visit("update", { id: record.id, data: { price: 3 } })).body.price, 3);
    assert.equal((await visit("delete", { id: record.id })).status, 200);
  });
  await inTurn(["list", "create", "update", "delete"], async (method) => {
    const stranger = await browser(ask, code)(method, { data: {} });
    assert.equal(stranger.status, 401);
    assert.doesNotMatch(stranger.body.error, FOR_MEMBERS, "a database with nothing for everyone is not known");
    const refused = await bearer(ask, code, guest.token)(method, { data: {} });
    assert.equal(refused.status, 403);
    assert.match(refused.body.error, FOR_MEMBERS);
  });
});

test("members only: beside a method for everyone, a stranger is told who may", async ({ ask }) => {
  const code = await addDb(ask, { schema: { fields: FIELDS }, public_methods: { list: MEMBERS, create: {} } });
  const visit = browser(ask, code);
  made(await visit("create", { data: { title: "a question" } }));
  const { status, body } = await visit("list");
  assert.equal(status, 401);
  assert.match(body.error, FOR_MEMBERS);
});

test("members only: records of departments are seen and changed as over the private API", async ({ ask, server }) => {
  const [mine, other] = [await addDepartment(ask), await addDepartment(ask)];
  const fields = { schema: { fields: FIELDS }, public_methods: METHODS };
  const code = await addDb(ask, { ...fields, department_id: mine });
  const hidden = await addDb(ask, { ...fields, department_id: other });
  const seen = await addRecord(ask, code, "seen", mine);
  const foreign = await addRecord(ask, code, "foreign", other);
  await restrict(ask, "restricted");
  try {
    const user = await addPerson(ask, "user", { department_ids: [mine] });
    const visit = bearer(ask, code, user.token);
    await using follower = await follow(server, `/platform/db/${code}/changes`, {
      authorization: `Bearer ${user.token}`,
    });
    assert.deepEqual(titles(await visit("list")), ["seen"]);
    const created = made(await visit("create", { data: { title: "created" } }));
    assert.deepEqual(titles(await visit("list")), ["created", "seen"], "its department is the member's");
    assert.equal((await visit("update", { id: seen.id, data: { price: 1 } })).status, 200);
    assert.equal((await visit("update", { id: foreign.id, data: { price: 1 } })).status, 404);
    assert.equal((await visit("delete", { id: foreign.id })).status, 404);
    await addRecord(ask, code, "of others", other);
    assert.equal((await visit("delete", { id: created.id })).status, 200);
    const told = await follower.tells(4);
    assert.deepEqual(told.map(({ event }) => event), ["ready", "create", "update", "delete"]);
    assert.equal((await bearer(ask, hidden, user.token)("list")).status, 404);
  } finally {
    await restrict(ask, "open");
  }
});

test("members only: a member of several departments sees what it creates", async ({ ask }) => {
  const [mine, second] = [await addDepartment(ask), await addDepartment(ask)];
  const fields = { schema: { fields: FIELDS }, public_methods: METHODS };
  const code = await addDb(ask, { ...fields, department_id: mine });
  const open = await addDb(ask, fields);
  await restrict(ask, "restricted");
  try {
    const department_ids = [mine, second];
    const user = await addPerson(ask, "user", { department_ids, without_department: false });
    const visit = bearer(ask, code, user.token);
    const { id } = made(await visit("create", { data: { title: "created" } }));
    assert.deepEqual(titles(await visit("list")), ["created"]);
    const path = `/platform/dbs/${code}/records/${id}.json`;
    assert.equal((await ask("GET", path)).body.department_id, mine, "the database's department");

    const both = await addPerson(ask, "user", { department_ids, without_department: true });
    const { id: free } = made(await bearer(ask, open, both.token)("create", { data: { title: "free" } }));
    assert.equal((await ask("GET", `/platform/dbs/${open}/records/${free}.json`)).body.department_id, null);
  } finally {
    await restrict(ask, "open");
  }
});

test("members only: a scope narrows what a member sees", async ({ ask }) => {
  const own = { ...MEMBERS, scope_by: "owner" };
  const code = await addDb(ask, {
    schema: { fields: FIELDS },
    public_methods: { list: own, create: MEMBERS, update: own },
  });
  const [one, two] = [await addPerson(ask, "user"), await addPerson(ask, "user")];
  const record = made(await bearer(ask, code, one.token)("create", { data: { title: "one's" } }));
  assert.equal(record.owner, one.id);
  assert.deepEqual((await bearer(ask, code, two.token)("list")).body, []);
  const { status } = await bearer(ask, code, two.token)("update", { id: record.id, data: { title: "two's" } });
  assert.equal(status, 404);
});

test("members only: a subscription ends when its subscriber is no longer a member", async ({ ask, server }) => {
  const code = await addDb(ask, { schema: { fields: FIELDS }, public_methods: METHODS });
  const user = await addPerson(ask, "user");
  await using follower = await follow(server, `/platform/db/${code}/changes`, {
    authorization: `Bearer ${user.token}`,
  });
  await addRecord(ask, code, "first");
  await follower.tells(2);
  const json = { user_setting: { role: "guest" } };
  assert.equal((await ask("PATCH", `/account/user_settings/${user.id}.json`, { json })).status, 200);
  await addRecord(ask, code, "second");
  const told = await follower.tells(3);
  assert.deepEqual(told.map(({ event }) => event), ["ready", "create", "error"]);
});
