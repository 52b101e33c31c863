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
  await server.sql`
    insert into agent_changes (account_id, session_id, object, object_id, db_id, action, before)
    select account_id, session_id, object, object_id, db_id, 'update', '{"data":{"a":"1"}}'
    from agent_changes
    cross join generate_series(1, 1000)
    where session_id = ${agent.session} and object_id = ${id}
  `;
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
