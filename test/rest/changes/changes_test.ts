/** `GET /platform/dbs/:db_code/changes`: records as they change. */
import assert from "node:assert/strict";
import {
  ADMIN_TOKEN,
  type Answer,
  beside,
  createDatabase,
  on_postgres,
  startServer,
  type TestServer,
} from "../../stage/harness.ts";
import { NO_UUID } from "../../stage/addresses.ts";
import { follow, type Follower, type Told } from "../../stage/followers.ts";
import { addAccount, addPerson, addToken, as, made } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer, proven, testBeside } from "../../stage/scenario.ts";
import { addDb } from "../../stage/visitors.ts";

const test = onSharedServer();

const SCHEMA = { fields: { title: "string", n: "integer" }, indexes: { idx_int_1: "n" } };

const followDb = (server: TestServer, code: string, token: string, last?: number, query = ""): Promise<Follower> =>
  follow(server, `/platform/dbs/${code}/changes${query}`, {
    authorization: `Bearer ${token}`,
    ...last === undefined ? {} : { "last-event-id": `${last}` },
  });

const add = async (ask: Ask, code: string, data: Record<string, unknown>, more = {}) =>
  made(await ask("POST", `/platform/dbs/${code}/records.json`, { json: { record: { data, ...more } } }));
const change = (ask: Ask, code: string, id: string, record: Record<string, unknown>): Promise<Answer> =>
  ask("PATCH", `/platform/dbs/${code}/records/${id}.json`, { json: { record } });
const remove = (ask: Ask, code: string, id: string): Promise<Answer> =>
  ask("DELETE", `/platform/dbs/${code}/records/${id}.json`);

const names = (told: Told[]) => told.map(({ event, data }) => `${event} ${data.data?.title ?? data.id ?? ""}`.trim());

test("changes: creates, updates and deletes in the order of their commits, each with the next id", async ({ ask, admin, server }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  await add(ask, code, { title: "before" });
  await using follower = await followDb(server, code, admin.token);
  assert.equal(follower.status, 200);
  assert.equal(follower.headers.get("content-type"), "text/event-stream; charset=utf-8");
  assert.equal(follower.headers.get("cache-control"), "no-store");
  await follower.tells(1);
  const a = await add(ask, code, { title: "a", n: 1 });
  const { body: changed } = await change(ask, code, a.id, { data: { n: 2 } });
  const operations = [
    { action: "create", record: { data: { title: "b" } } },
    { action: "update", id: a.id, record: { data: { n: 3 } } },
    { action: "create", record: { data: { title: "c" } } },
  ];
  await ask("POST", `/platform/dbs/${code}/records/batch.json`, { json: { operations } });
  await ask("POST", `/platform/dbs/${code}/import.csv`, {
    raw: "title\nd\ne\n",
    headers: { "content-type": "text/csv" },
  });
  await remove(ask, code, a.id);
  const told = await follower.tells(9);
  const [ready, created, updated] = told;
  assert.deepEqual([ready?.event, ready?.data], ["ready", {}]);
  assert.deepEqual([created?.data, updated?.data], [a, changed], "as the API sends it");
  assert.deepEqual(told.slice(3, 6).map(({ event }) => event).toSorted(), ["create", "create", "update"]);
  assert.deepEqual(names(told.slice(6)), ["create d", "create e", `delete ${a.id}`]);
  assert.deepEqual(told.at(-1)?.data, { id: a.id, table_name: null });
  const first = ready?.id ?? 0;
  assert.deepEqual(told.map(({ id }) => id), told.map((_, i) => first + i));
});

test("changes: what fails, or is undone, is not told", async ({ ask, admin, server }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  await using follower = await followDb(server, code, admin.token);
  const { id } = await add(ask, code, { title: "a" });
  const operations = [{ action: "update", id, record: { data: { title: "x" } } }, { action: "delete", id: NO_UUID }];
  assert.equal((await ask("POST", `/platform/dbs/${code}/records/batch.json`, { json: { operations } })).status, 422);
  assert.equal((await change(ask, code, id, { data: { n: "x" } })).status, 422);
  assert.equal((await remove(ask, code, NO_UUID)).status, 404);
  await add(ask, code, { title: "b" });
  assert.deepEqual(names(await follower.tells(3)), ["ready", "create a", "create b"]);
});

test("changes: whoever comes back misses nothing, or is told that it does", async ({ ask, admin, server }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const first = await followDb(server, code, admin.token);
  await add(ask, code, { title: "a" });
  const [, seen] = await first.tells(2);
  await first[Symbol.asyncDispose]();
  await add(ask, code, { title: "b" });
  await add(ask, code, { title: "c" });
  await using again = await followDb(server, code, admin.token, seen?.id);
  assert.deepEqual(names(await again.tells(3)), ["ready", "create b", "create c"]);
  assert.equal(again.told[0]?.id, seen?.id);
  await using by_query = await followDb(server, code, admin.token, undefined, `?last_event_id=${seen?.id}`);
  assert.deepEqual(names(await by_query.tells(3)), ["ready", "create b", "create c"]);
  await using other = await followDb(server, code, admin.token, 1_000_000);
  assert.equal((await other.tells(1))[0]?.event, "reset", "an id that was never given");

  await server.sql`update record_changes set created_at = created_at - interval '25 hours'`;
  await server.sweep();
  await using late = await followDb(server, code, admin.token, seen?.id);
  assert.equal((await late.tells(1))[0]?.event, "reset", "older than the retention");
  await using current = await followDb(server, code, admin.token, late.told[0]?.id);
  assert.equal((await current.tells(1))[0]?.event, "ready", "nothing is missing behind the last one");
  await add(ask, code, { title: "d" });
  await inTurn([again, other, late, current], async (follower) => {
    const told = follower.told.length;
    assert.equal(names(await follower.tells(Math.max(told, follower === again ? 4 : 2))).at(-1), "create d");
  });
});

test("changes: nobody followed for a day, so nothing was kept", async ({ ask, admin, server }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const first = await followDb(server, code, admin.token);
  await add(ask, code, { title: "a" });
  const [, seen] = await first.tells(2);
  await first[Symbol.asyncDispose]();
  await server.sql`update dbs set live_until = now() - interval '1 second' where code = ${code}`;
  await add(ask, code, { title: "not kept" });
  await using again = await followDb(server, code, admin.token, seen?.id);
  await add(ask, code, { title: "b" });
  assert.deepEqual(names(await again.tells(2)), ["reset", "create b"]);
});

test("changes: of one table, or of all", async ({ ask, admin, server }) => {
  const fields = { title: "string" };
  const code = await addDb(ask, { schema: { tables: { people: { fields }, dogs: { fields } } } });
  await using all = await followDb(server, code, admin.token);
  await using dogs = await followDb(server, code, admin.token, undefined, "?table_name=dogs");
  const ada = await add(ask, code, { title: "Ada" }, { table_name: "people" });
  await add(ask, code, { title: "Rex" }, { table_name: "dogs" });
  await remove(ask, code, ada.id);
  await add(ask, code, { title: "Bo" }, { table_name: "dogs" });
  assert.deepEqual(names(await all.tells(5)), ["ready", "create Ada", "create Rex", `delete ${ada.id}`, "create Bo"]);
  assert.equal(all.told[3]?.data.table_name, "people");
  assert.deepEqual(names(await dogs.tells(3)), ["ready", "create Rex", "create Bo"]);
});

test("changes: who may follow", async ({ ask, admin, server }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const guest = await addPerson(ask, "guest");
  const stranger = await addAccount(server);
  const department_id =
    made(await ask("POST", "/account/departments.json", { json: { department: { name: "One" } } })).id;
  made(await ask("POST", "/account/departments.json", { json: { department: { name: "Two" } } }));
  const hidden = await addDb(ask, { schema: SCHEMA, department_id });
  const user = await addPerson(ask, "user");
  const writer = await addToken(ask, { scopes: ["records:write"] });
  const path = `/platform/dbs/${code}/changes`;
  const rows: [name: string, path: string, token: string | null, status: number][] = [
    ["nobody", path, null, 401],
    ["a token that is none", path, "x", 401],
    ["a guest", path, guest.token, 403],
    ["a token without the scope", path, writer, 403],
    ["a stranger", path, stranger.token, 404],
    ["whose departments have not this one", `/platform/dbs/${hidden}/changes`, user.token, 404],
    ["no database", "/platform/dbs/there_is_none/changes", admin.token, 404],
    ["no table", `${path}?table_name=dogs`, admin.token, 404],
    ["no number", `${path}?last_event_id=x`, admin.token, 400],
    ["a negative number", `${path}?last_event_id=-1`, admin.token, 400],
  ];
  await inTurn(
    rows,
    async ([name, path, token, status]) => assert.equal((await ask("GET", path, { token })).status, status, name),
  );
  assert.equal((await ask("POST", path)).status, 405);
});

test("changes: what moves out of sight is told as deleted, what moves into it as created", async ({ ask, server }) => {
  const department = async (name: string) =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [one, two] = [await department("One"), await department("Two")];
  const code = await addDb(ask, { schema: SCHEMA, department_id: one });
  const user = await addPerson(ask, "user", { department_ids: [one], without_department: false });
  await using follower = await followDb(server, code, user.token);
  const own = await add(ask, code, { title: "own" }, { department_id: one });
  const other = await add(ask, code, { title: "other" }, { department_id: two });
  await add(ask, code, { title: "nobody's" });
  await change(ask, code, other.id, { data: { title: "secret" } });
  await change(ask, code, own.id, { department_id: two });
  await change(ask, code, own.id, { data: { title: "secret" } });
  await remove(ask, code, own.id);
  await change(ask, code, other.id, { department_id: one, data: { title: "shown" } });
  await remove(ask, code, other.id);
  const told = await follower.tells(5);
  assert.deepEqual(names(told), ["ready", "create own", `delete ${own.id}`, "create shown", `delete ${other.id}`]);
});

test("changes: the stream ends with the token, with the right, and with the database", async ({ ask, server, admin }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const token = made(await ask("POST", "/account/tokens.json", { json: { token: { name: "Short" } } }));
  const person = await addPerson(ask, "user");
  await using revoked = await followDb(server, code, token.token);
  await using demoted = await followDb(server, code, person.token);
  await using staying = await followDb(server, code, admin.token);
  await ask("DELETE", `/account/tokens/${token.id}.json`);
  await ask("PATCH", `/account/user_settings/${person.id}.json`, { json: { user_setting: { role: "guest" } } });
  await add(ask, code, { title: "secret" });
  await inTurn([[revoked, "unauthorized"], [demoted, "forbidden"]] as const, async ([follower, word]) => {
    await follower.ended;
    assert.deepEqual(follower.told.map(({ event, data }) => data.code ?? event), ["ready", word]);
  });
  assert.deepEqual(names(await staying.tells(3)), ["ready", "reset", "create secret"], "a role is another sight");
  await ask("DELETE", `/platform/dbs/${code}.json`);
  await staying.ended;
});

test("changes: whoever leaves is no fault of the server's", async ({ ask, admin, server }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const headers = { authorization: `Bearer ${admin.token}` };
  const { body } = await server.handler(new Request(`${server.base_url}/platform/dbs/${code}/changes`, { headers }));
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail();
  let text = "";
  while (!text.includes("event: ready")) text += (await reader.read()).value;
  await reader.cancel();
  await add(ask, code, { title: "a" });
  assert.deepEqual(server.logged.filter((line) => line.includes("stream failed")), []);
});

test("changes: a schema that changes does not end the stream", async ({ ask, admin, server }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  await using follower = await followDb(server, code, admin.token);
  await add(ask, code, { title: "a" });
  const schema = { fields: { ...SCHEMA.fields, more: "text" } };
  assert.equal((await ask("PATCH", `/platform/dbs/${code}.json`, { json: { db: { schema } } })).status, 200);
  await add(ask, code, { title: "b", more: "x" });
  const told = await follower.tells(3);
  assert.deepEqual(told[2]?.data.data, { title: "b", n: null, more: "x" });
});

testBeside({
  name: "changes: a server that stops ends its streams",
  async fn() {
    const server = await startServer();
    const code = await addDb(proven(server.request), { schema: SCHEMA });
    const followers = await Promise.all([1, 2].map(() => followDb(server, code, ADMIN_TOKEN)));
    await Promise.all(followers.map((follower) => follower.tells(1)));
    server.endStreams();
    await Promise.all(followers.map((follower) => follower.ended));
    await server.close();
  },
});

testBeside({
  name: "changes: a write on one server reaches subscribers of another",
  ignore: !on_postgres,
  async fn() {
    const DATABASE_URL = await createDatabase();
    const here = await startServer({ DATABASE_URL });
    const there = await startServer(beside(here, DATABASE_URL));
    const [ask_here, ask_there] = [as(proven(here.request), ADMIN_TOKEN), as(proven(there.request), ADMIN_TOKEN)];
    const code = await addDb(ask_here, { schema: SCHEMA });
    // Every server has the definition of a database without subscribers in memory.
    await add(ask_here, code, { title: "before" });
    await add(ask_there, code, { title: "before" });
    await using follower = await followDb(there, code, ADMIN_TOKEN);
    await follower.tells(1);
    await add(ask_here, code, { title: "a" });
    await add(ask_there, code, { title: "b" });
    await add(ask_here, code, { title: "c" });
    assert.deepEqual(names(await follower.tells(4)), ["ready", "create a", "create b", "create c"]);
    await ask_here("DELETE", `/platform/dbs/${code}.json`);
    await follower.ended;
    await Promise.all([here.close(), there.close()]);
  },
});
