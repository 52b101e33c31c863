/** Live records: `reset` events, sent if changes are missing or if the visibility rules for the subscriber changed. */
import assert from "node:assert/strict";
import type { TestServer } from "../../stage/harness.ts";
import { follow, type Follower, type Told } from "../../stage/followers.ts";
import { addPerson, as, made } from "../../stage/people.ts";
import { type Ask, inTurn, onOwnServer } from "../../stage/scenario.ts";
import { addDb } from "../../stage/visitors.ts";

const test = onOwnServer();

const FIELDS = { title: "string", n: "integer" };

const followDb = (server: TestServer, code: string, token: string, last?: number, query = ""): Promise<Follower> =>
  follow(server, `/platform/dbs/${code}/changes${query}`, {
    authorization: `Bearer ${token}`,
    ...last === undefined ? {} : { "last-event-id": `${last}` },
  });
const add = async (ask: Ask, code: string, title: string, more = {}) =>
  made(await ask("POST", `/platform/dbs/${code}/records.json`, { json: { record: { data: { title }, ...more } } }));
const change = async (ask: Ask, code: string, db: Record<string, unknown>) =>
  assert.equal((await ask("PATCH", `/platform/dbs/${code}.json`, { json: { db } })).status, 200);
const department = async (ask: Ask, name: string): Promise<number> =>
  made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;

const names = (told: Told[]) => told.map(({ event, data }) => `${event} ${data.data?.title ?? data.code ?? ""}`.trim());

test("reset: a table or a field that goes; a change that takes nothing away is none", async ({ ask, admin, server }) => {
  const one = { fields: FIELDS };
  const code = await addDb(ask, { schema: { tables: { people: one, dogs: one } } });
  await using all = await followDb(server, code, admin.token);
  await using dogs = await followDb(server, code, admin.token, undefined, "?table_name=dogs");
  await add(ask, code, "Rex", { table_name: "dogs" });
  const [, seen] = await all.tells(2);
  await change(ask, code, { schema: { tables: { people: { fields: { ...FIELDS, more: "text" } }, dogs: one } } });
  await change(ask, code, { name: "Another" });
  await add(ask, code, "Ada", { table_name: "people" });
  assert.deepEqual(names(await all.tells(3)), ["ready", "create Rex", "create Ada"]);
  await change(ask, code, { schema: { tables: { people: { fields: { title: "string" } }, dogs: one } } });
  assert.equal(names(await all.tells(4)).at(-1), "reset", "a field has gone");
  await change(ask, code, { schema: { tables: { people: one } }, drop_tables: ["dogs"] });
  await add(ask, code, "Eve", { table_name: "people" });
  assert.deepEqual(names(await all.tells(6)).slice(4), ["reset", "create Eve"]);
  await dogs.ended;
  assert.equal(names(dogs.told).at(-1), "error not_found", "the one table that was followed");
  await using again = await followDb(server, code, admin.token, seen?.id);
  assert.equal((await again.tells(1))[0]?.event, "reset", "nor does whoever comes back miss it");
  await using current = await followDb(server, code, admin.token, all.told.at(-1)?.id);
  assert.equal((await current.tells(1))[0]?.event, "ready");
});

test("reset: a field whose values another type writes in another way", async ({ ask, admin, server }) => {
  const code = await addDb(ask, { schema: { fields: { title: "string", at: "string" } } });
  await using follower = await followDb(server, code, admin.token);
  const data = { title: "Ada", at: "2026-11-21T08:30Z" };
  made(await ask("POST", `/platform/dbs/${code}/records.json`, { json: { record: { data } } }));
  assert.deepEqual(names(await follower.tells(2)), ["ready", "create Ada"]);
  await change(ask, code, { schema: { fields: { title: "string", at: "datetime" } } });
  await add(ask, code, "Eve");
  assert.deepEqual(names(await follower.tells(4)), ["ready", "create Ada", "reset", "create Eve"]);
  const { body } = await ask("GET", `/platform/dbs/${code}/records.json?filter[title]=Ada`);
  assert.equal(body[0].data.at, "2026-11-21T08:30:00.000+00:00");
});

test("reset: departments that go, and a viewer's that change", async ({ ask, admin, server }) => {
  const [one, two] = [await department(ask, "One"), await department(ask, "Two")];
  const code = await addDb(ask, { schema: { fields: FIELDS } });
  const quiet = await addDb(ask, { schema: { fields: FIELDS } });
  const user = await addPerson(ask, "user", { department_ids: [one], without_department: false });
  await change(ask, code, { department_id: one });
  await add(ask, code, "hidden", { department_id: two });
  await using follower = await followDb(server, code, user.token);
  await follower.tells(1);
  const titles = async () => {
    const { body } = await as(ask, user.token)("GET", `/platform/dbs/${code}/records.json`);
    return body.map(({ data }: { data: { title: string } }) => data.title);
  };
  const steps: [name: string, step: () => ReturnType<Ask>, seen: string[]][] = [
    [
      "the user's departments",
      () =>
        ask("PATCH", `/account/user_settings/${user.id}.json`, {
          json: { user_setting: { department_ids: [one, two] } },
        }),
      ["hidden"],
    ],
    [
      "the department's users",
      () => ask("PATCH", `/account/departments/${two}.json`, { json: { department: { user_setting_ids: [] } } }),
      [],
    ],
    [
      "the account's mode",
      () => ask("PATCH", "/account.json", { json: { account: { departments: { mode: "open" } } } }),
      ["hidden"],
    ],
    [
      "and back",
      () => ask("PATCH", "/account.json", { json: { account: { departments: { mode: "restricted" } } } }),
      [],
    ],
    [
      "what has no department",
      () =>
        ask("PATCH", `/account/user_settings/${user.id}.json`, {
          json: { user_setting: { without_department: true } },
        }),
      [],
    ],
    ["a department", () => ask("DELETE", `/account/departments/${two}.json`), ["hidden"]],
  ];
  await inTurn(steps, async ([name, step, seen], i) => {
    const { status, body } = await step();
    assert.ok(status < 300, `${name}: ${JSON.stringify(body)}`);
    assert.equal(names(await follower.tells(2 + i)).at(-1), "reset", name);
    assert.deepEqual(await titles(), seen, name);
  });
  await ask("PATCH", `/account/user_settings/${user.id}.json`, { json: { user_setting: { name: "Ada" } } });
  await add(ask, code, "seen");
  assert.equal(names(await follower.tells(3 + steps.length - 1)).at(-1), "create seen", "a name changes nothing");
  const [feed] = await server.sql`select from db_feeds f join dbs d on d.id = f.db_id where d.code = ${quiet}`;
  assert.equal(feed, undefined, "a database that nobody follows has no feed");
  await using other = await followDb(server, quiet, admin.token);
  assert.equal((await other.tells(1))[0]?.event, "ready");
});

test("reset: a database that moves out of a follower's sight ends its stream", async ({ ask, admin, server }) => {
  const [one, two] = [await department(ask, "One"), await department(ask, "Two")];
  const code = await addDb(ask, { schema: { fields: FIELDS }, department_id: one });
  const user = await addPerson(ask, "user", { department_ids: [one] });
  await using follower = await followDb(server, code, user.token);
  await using staying = await followDb(server, code, admin.token);
  await Promise.all([follower.tells(1), staying.tells(1)]);
  await change(ask, code, { department_id: two });
  await follower.ended;
  assert.deepEqual(names(follower.told), ["ready", "error not_found"]);
  assert.deepEqual(names(await staying.tells(2)), ["ready", "reset"]);
});

test("reset: a public list that is closed, or gets another scope", async ({ ask, server }) => {
  const code = await addDb(ask, { schema: { fields: FIELDS }, public_methods: { list: {} } });
  await using follower = await follow(server, `/platform/db/${code}/changes`, {});
  await follower.tells(1);
  await change(ask, code, { public_methods: { list: { scope_by: "title" } } });
  assert.deepEqual(names(await follower.tells(2)), ["ready", "reset"]);
  await change(ask, code, { public_methods: { create: {} } });
  await follower.ended;
  assert.deepEqual(names(follower.told), ["ready", "reset", "error forbidden"]);
}, { of_default: true });

test("reset: a feed whose time runs out while it is followed is opened again", async ({ ask, admin, server }) => {
  const code = await addDb(ask, { schema: { fields: FIELDS } });
  await using one = await followDb(server, code, admin.token);
  await using two = await followDb(server, code, admin.token);
  await Promise.all([one.tells(1), two.tells(1)]);
  // The state after a machine slept: no notification announces it.
  await server.sql.begin(async (tx) => {
    await tx`alter table dbs disable trigger db_changed`;
    await tx`update dbs set live_until = now() - interval '1 second' where code = ${code}`;
    await tx`alter table dbs enable trigger db_changed`;
  });
  await inTurn([one, two], async (follower) => assert.equal(names(await follower.tells(2)).at(-1), "reset"));
  await add(ask, code, "told");
  await inTurn(
    [one, two],
    async (follower) => assert.deepEqual(names(await follower.tells(3)), ["ready", "reset", "create told"]),
  );
});

test("reset: whoever cannot follow so fast starts again, and then misses nothing", async ({ ask, admin, server }) => {
  const code = await addDb(ask, { schema: { fields: FIELDS } });
  await using follower = await followDb(server, code, admin.token);
  const events = server.handler(
    new Request(`${server.base_url}/platform/dbs/${code}/changes`, {
      headers: { authorization: `Bearer ${admin.token}` },
    }),
  );
  const slow = (await events).body?.getReader() ?? assert.fail();
  await follower.tells(1);
  const raw = `title\n${"x\n".repeat(6_000)}`;
  const headers = { "content-type": "text/csv" };
  assert.equal((await ask("POST", `/platform/dbs/${code}/import.csv`, { raw, headers })).status, 200);
  await follower.tells(6_001);
  const last = await add(ask, code, "last");
  let text = "";
  const decoder = new TextDecoder();
  while (!text.includes(last.id)) text += decoder.decode((await slow.read()).value, { stream: true });
  await slow.cancel();
  assert.equal(text.match(/^event: reset$/gm)?.length, 1);
  assert.ok((text.match(/^event: create$/gm)?.length ?? 0) < 5_000, "what it could not take is not sent");
});
