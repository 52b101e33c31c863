/** An object is undone as a whole and once, whatever else happens meanwhile. */
import assert from "node:assert/strict";
import { connectAgent } from "../../stage/agents/agent.ts";
import { addPerson, addSession, made, restrictTo } from "../../stage/people.ts";
import { onSharedServer, type Stage } from "../../stage/scenario.ts";

const onServer = onSharedServer();

interface Step {
  object: string;
  name: string;
  action: string;
  changes: number;
  obstacle: string | null;
}

/** What a person who is signed in sees of a session, and does with it. */
async function asPerson({ server, ask }: Stage, user_id: number, session: string) {
  const { cookie } = await addSession(server, user_id);
  const headers = { cookie, "sec-fetch-site": "same-origin" };
  const path = `/account/agents/${session}`;
  return {
    plan: async (): Promise<Step[]> => (await ask("GET", `${path}/changes.json`, { token: null, headers })).body,
    undo: async (): Promise<Step[]> => (await ask("POST", `${path}/undo.json`, { token: null, headers })).body,
  };
}

/** A thousand further changes by the session of an object that it has created. */
const changeOften = ({ server }: Stage, session: string, id: string) =>
  server.sql`
    insert into agent_changes (account_id, session_id, object, object_id, db_id, action, before)
    select account_id, session_id, object, object_id, db_id, 'update', '{"data":{"a":"1"}}'
    from agent_changes
    cross join generate_series(1, 1000)
    where session_id = ${session} and object_id = ${id}
  `;

onServer("agents: two undos at the same time create what was deleted once", async (stage) => {
  const { server, ask, admin } = stage;
  const agent = await connectAgent(server, admin.token);
  const source = { app_engine: "html", source_code: "<p>" };
  const app = made(await ask("POST", "/platform/apps.json", { json: { app: { name: "Gone", ...source } } }));
  const db = { name: "Notes", schema: { fields: { a: "string" } } };
  made(await ask("POST", "/platform/dbs.json", { json: { db } }));
  const record = made(
    await ask("POST", "/platform/dbs/notes/records.json", { json: { record: { data: { a: "1" } } } }),
  );
  const { cookie } = await addSession(server, admin.id);
  for (const gone of [{ kind: "app", id: app.id }, { kind: "record", db_code: "notes", id: record.id }]) {
    const { confirmation } = await agent.call("delete", gone);
    const headers = { cookie, "sec-fetch-site": "same-origin" };
    await ask("POST", `/account/agent_confirmations/${confirmation}.json`, {
      token: null,
      headers,
      json: { accept: true },
    });
    await agent.call("delete", { ...gone, confirmation });
  }
  const person = await asPerson(stage, admin.id, agent.session);
  const both = await Promise.all([person.undo(), person.undo()]);
  const named = async (path: string) => (await ask("GET", path)).body.length;
  assert.deepEqual([await named("/platform/apps.json"), await named("/platform/dbs/notes/records.json")], [1, 1]);
  const refused = both.flat().filter(({ obstacle }) => obstacle !== null);
  for (const { obstacle } of refused) assert.equal(obstacle, "It has been undone already");
  assert.deepEqual(await person.plan(), []);
  await agent.close();
});

onServer("agents: changes of a schema are undone together, and can be tried again", async (stage) => {
  const { server, ask, admin } = stage;
  const agent = await connectAgent(server, admin.token);
  const db = { name: "Notes", schema: { fields: { a: "integer" } } };
  made(await ask("POST", "/platform/dbs.json", { json: { db } }));
  const change = (fields: Record<string, string>) =>
    agent.call("patch", { kind: "db", id: "notes", changes: { schema: { fields } } });
  await change({ a: "string" });
  await change({ a: "string", x: "string" });
  const json = { record: { data: { a: "no number" } } };
  const { id } = made(await ask("POST", "/platform/dbs/notes/records.json", { json }));
  const { undo } = await asPerson(stage, admin.id, agent.session);
  const schema = async () => (await ask("GET", "/platform/dbs/notes.json")).body.schema;
  const [refused] = await undo();
  const why = `schema.fields.a does not fit 1 record, because a value must be an integer: ${id}`;
  assert.equal(refused?.obstacle, why);
  assert.deepEqual(await schema(), { fields: { a: "string", x: "string" } }, "neither of the two was undone");
  await ask("DELETE", `/platform/dbs/notes/records/${id}.json`);
  assert.deepEqual((await undo()).map(({ obstacle }) => obstacle), [null]);
  assert.deepEqual(await schema(), { fields: { a: "integer" } });
  const { body: entries } = await ask("GET", "/account/audit.json?object=db&per_page=1");
  assert.deepEqual([entries[0].user_id, entries[0].undone_session_id], [admin.id, agent.session]);
  await agent.close();
});

onServer("agents: an undo knows the first change of an object, however many came after it", async (stage) => {
  const { server, ask, admin } = stage;
  const agent = await connectAgent(server, admin.token);
  await agent.call("create", { kind: "db", value: { name: "Notes", schema: { fields: { a: "string" } } } });
  const { ids: [id] } = await agent.call("create", { kind: "record", db_code: "notes", records: [{ a: "1" }] });
  await changeOften(stage, agent.session, id);
  const { undo } = await asPerson(stage, admin.id, agent.session);
  const [first] = await undo();
  assert.deepEqual([first?.action, first?.changes, first?.obstacle], ["delete", 1_001, null]);
  assert.deepEqual((await ask("GET", "/platform/dbs/notes/records.json")).body, []);
  // What came before the last thousand changes is the next undo's.
  assert.deepEqual((await undo()).map(({ object, action }) => [object, action]), [["db", "delete"]]);
  await agent.close();
});

onServer("agents: an undo's plan says nothing of what its reader does not see any more", async (stage) => {
  const { server, ask } = stage;
  const [red = 0, blue = 0] = await restrictTo(ask, "Red", "Blue");
  const member = await addPerson(ask, "manager", { department_ids: [red], without_department: false });
  const agent = await connectAgent(server, member.token);
  const place = { department_id: red };
  const db = { name: "Notes", schema: { fields: { a: "string" } }, ...place };
  made(await ask("POST", "/platform/dbs.json", { json: { db } }));
  await agent.call("patch", {
    kind: "db",
    id: "notes",
    changes: { schema: { fields: { a: "string", salary: "string" } } },
  });
  const json = { record: { data: { salary: "1" }, ...place } };
  made(await ask("POST", "/platform/dbs/notes/records.json", { json }));
  const person = await asPerson(stage, member.id, agent.session);
  assert.match(JSON.stringify(await person.plan()), /salary/);
  await ask("PATCH", `/account/user_settings/${member.id}.json`, {
    json: { user_setting: { department_ids: [blue] } },
  });
  await ask("PATCH", "/platform/dbs/notes.json", { json: { db: { name: "Layoffs" } } });
  assert.doesNotMatch(JSON.stringify(await person.plan()), /salary|Layoffs/);
  await agent.close();
});

onServer("agents: a session that is undone is over, whatever it has made, and in whichever order", async (stage) => {
  const { server, ask, admin } = stage;
  const before = await connectAgent(server, admin.token, "before");
  const program = (code: string) => ({ fields: { program: [{ type: "flow", id: "call", flow_code: code }] } });
  const harmless = { fields: { program: [{ type: "fail", message: "No" }] } };
  const caller = await before.call("create", { kind: "flow", value: { name: "Caller", ...harmless } });
  const webhook = { signature: "hmac", header: "x-signature", secret: "a secret of the sender" };
  const cron = { kind: "webhook", target_code: "caller", name: "Hook", webhook };
  const hook = made(await ask("POST", "/account/crons.json", { json: { cron } }));
  const agent = await connectAgent(server, admin.token, "session");
  const { call } = agent;
  await call("patch", { kind: "flow", id: caller.id, changes: { name: "Called" } });
  await call("create", { kind: "flow", value: { name: "New", ...harmless } });
  await call("patch", { kind: "flow", id: caller.id, changes: program("new") });
  await server.sql.begin(async (tx) => {
    await tx`select set_config('atrium.actor', '{"user_id": null, "via": "server"}', true)`;
    await tx`update crons set active = false, paused_reason = 'failures' where id = ${hook.id}`;
  });
  await call("patch", { kind: "trigger", id: hook.id, changes: { name: "Renamed" } });
  await call("create", { kind: "app", value: { name: "App", app_engine: "html", source_code: "<p>" } });
  const schedule = { target_code: "new", schedule: "0 3 * * *", max_failures: 1 };
  const paused = await call("create", { kind: "trigger", value: schedule });
  await server.sql.begin(async (tx) => {
    await tx`select set_config('atrium.actor', '{"user_id": null, "via": "server"}', true)`;
    await tx`update crons set active = false, paused_reason = '1 failure in a row' where id = ${paused.id}`;
  });
  const person = await asPerson(stage, admin.id, agent.session);
  assert.deepEqual((await person.undo()).filter(({ obstacle }) => obstacle !== null), []);
  assert.deepEqual(await person.plan(), []);
  const { body: sessions } = await ask("GET", "/account/agents.json");
  assert.notEqual(sessions.find(({ id }: { id: string }) => id === agent.session).undone_at, null);
  const { body: trigger } = await ask("GET", `/account/crons/${hook.id}.json`);
  assert.deepEqual([trigger.name, trigger.webhook.has_secret], ["Hook", true]);
  assert.deepEqual([trigger.active, trigger.paused_reason], [false, "failures"], "it waits for a resume as before");
  assert.deepEqual((await ask("GET", "/platform/apps.json")).body, []);
  const { body: flows } = await ask("GET", "/connect/flows.json");
  assert.deepEqual(flows.map(({ name }: { name: string }) => name), ["Caller"]);
  await Promise.all([before.close(), agent.close()]);
});

onServer("agents: an undo leaves what its reader does not see any more, and can be tried again", async (stage) => {
  const { server, ask } = stage;
  const [red = 0, blue = 0] = await restrictTo(ask, "Red", "Blue");
  const member = await addPerson(ask, "manager", { department_ids: [red], without_department: false });
  const agent = await connectAgent(server, member.token);
  const place = { department_id: red };
  await agent.call("create", { kind: "db", value: { name: "Notes", schema: { fields: {} }, ...place } });
  await agent.call("create", { kind: "app", value: { name: "App", app_engine: "html", source_code: "<p>", ...place } });
  const move = (department_ids: number[]) =>
    ask("PATCH", `/account/user_settings/${member.id}.json`, { json: { user_setting: { department_ids } } });
  const { undo, plan } = await asPerson(stage, member.id, agent.session);
  await move([blue]);
  const unseen = ["You do not see it any more", "You do not see it any more"];
  assert.deepEqual((await undo()).map(({ obstacle }) => obstacle), unseen);
  await move([red]);
  assert.deepEqual((await plan()).map(({ obstacle }) => obstacle), [null, null]);
  assert.deepEqual((await undo()).map(({ obstacle }) => obstacle), [null, null]);
  assert.deepEqual((await ask("GET", "/platform/dbs.json")).body, []);
  await agent.close();
});

onServer("agents: what others have changed since does not keep an undo from what came before it", async (stage) => {
  const { server, ask, admin } = stage;
  const agent = await connectAgent(server, admin.token);
  made(
    await ask("POST", "/platform/dbs.json", { json: { db: { name: "Notes", schema: { fields: { a: "string" } } } } }),
  );
  await agent.call("create", { kind: "app", value: { name: "App", app_engine: "html", source_code: "<p>" } });
  const { ids: [id] } = await agent.call("create", { kind: "record", db_code: "notes", records: [{ a: "1" }] });
  await changeOften(stage, agent.session, id);
  await ask("PATCH", `/platform/dbs/notes/records/${id}.json`, { json: { record: { data: { a: "mine" } } } });
  const { undo } = await asPerson(stage, admin.id, agent.session);
  const since = "It has been changed since, and not by this session";
  assert.deepEqual((await undo()).map(({ object, obstacle }) => [object, obstacle]), [["record", since], [
    "app",
    null,
  ]]);
  assert.deepEqual((await ask("GET", "/platform/apps.json")).body, []);
  await agent.close();
});
