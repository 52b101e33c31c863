/** One session's changes are undone together; what others have changed since stays. */
import assert from "node:assert/strict";
import { connectAgent } from "../../stage/agents/agent.ts";
import { addSession, made } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";

const onServer = onSharedServer();
const OWN = { "sec-fetch-site": "same-origin" };

onServer(
  "agents: an undo restores what a session changed, deletes what it made, and leaves what others changed",
  async (stage) => {
    const { server, ask, admin } = stage;
    const { cookie } = await addSession(server, admin.id);
    const asPerson = (method: "GET" | "POST", path: string, json?: unknown) =>
      ask(method, path, { token: null, json, headers: { cookie, ...OWN } });
    const first = await connectAgent(server, admin.token, "first");
    const schema = { fields: { title: "string", stars: "integer" } };
    const source_code = "<p>One</p>";
    const app = await first.call("create", { kind: "app", value: { name: "Kept", source_code, app_engine: "html" } });
    await first.call("create", { kind: "db", value: { name: "Books", schema } });
    const program = [{ type: "return", data: 1 }];
    const flow = await first.call("create", { kind: "flow", value: { name: "Kept flow", fields: { program } } });
    const records = [{ title: "A", stars: 1 }, { title: "B", stars: 2 }, { title: "C", stars: 3 }];
    const { ids: [a, b, c] } = await first.call("create", { kind: "record", db_code: "books", records });

    const agent = await connectAgent(server, admin.token, "second");
    const { call, session } = agent;
    await call("edit", { id: app.id, edits: [{ old: "One", new: "Two" }] });
    await call("edit", { id: app.id, edits: [{ old: "Two", new: "Three" }] });
    await call("patch", { kind: "app", id: app.id, changes: { name: "Renamed" } });
    const rename_fields = [{ from: "stars", to: "points" }];
    const renamed = { fields: { title: "string", points: "integer" } };
    await call("patch", { kind: "db", id: "books", changes: { schema: renamed, rename_fields } });
    await call("patch", {
      kind: "db",
      id: "books",
      changes: { schema: { fields: { ...renamed.fields, extra: "string" } } },
    });
    await call("patch", { kind: "flow", id: flow.id, changes: { fields: { program: [{ type: "return", data: 2 }] } } });
    await call("patch", { kind: "record", db_code: "books", id: a, changes: { title: "AA" } });
    await call("patch", { kind: "record", db_code: "books", id: b, changes: { title: "BB" } });
    const gone = { kind: "record", db_code: "books", ids: [c] };
    const { confirmation } = await call("delete", gone);
    await asPerson("POST", `/account/agent_confirmations/${confirmation}.json`, { accept: true });
    await call("delete", { ...gone, confirmation });
    await call("create", { kind: "record", db_code: "books", records: [{ title: "D" }] });
    await call("create", { kind: "flow", value: { name: "New flow", fields: { program } } });
    await call("create", { kind: "trigger", value: { target_code: "new_flow", schedule: "0 9 * * *" } });
    await ask("PATCH", `/platform/dbs/books/records/${b}.json`, { json: { record: { data: { title: "Mine" } } } });

    const path = `/account/agents/${session}`;
    assert.equal((await ask("POST", `${path}/undo.json`)).status, 403, "a token undoes nothing");
    const plan = (await asPerson("GET", `${path}/changes.json`)).body;
    const lines = plan.map((
      { object, name, action, obstacle }: Record<string, unknown>,
    ) => [object, name, action, obstacle !== null]);
    assert.deepEqual(lines, [
      ["cron", "new_flow", "delete", false],
      ["flow", "New flow", "delete", false],
      ["record", "A record of Books", "delete", false],
      ["record", "A record of Books", "create", false],
      ["record", "A record of Books", "restore", true],
      ["record", "A record of Books", "restore", false],
      ["flow", "Kept flow", "restore", false],
      ["db", "Books", "restore", false],
      ["app", "Renamed", "restore", false],
    ]);
    const undone = await asPerson("POST", `${path}/undo.json`);
    assert.deepEqual(
      undone.body.filter(({ obstacle }: { obstacle: string | null }) => obstacle !== null).map((
        { object_id }: { object_id: string },
      ) => object_id),
      [b],
      JSON.stringify(undone.body),
    );
    const { body: kept } = await ask("GET", `/platform/apps/${app.id}.json`);
    assert.deepEqual([kept.name, kept.source_code], ["Kept", source_code]);
    assert.deepEqual((await ask("GET", "/platform/dbs/books.json")).body.schema, schema);
    const { body: rows } = await ask("GET", "/platform/dbs/books/records.json?sort=title");
    assert.deepEqual(
      rows.map(({ data }: { data: { title: string; stars: number } }) => [data.title, data.stars]),
      [["A", 1], ["C", 3], ["Mine", 2]],
    );
    const { body: flows } = await ask("GET", "/connect/flows.json");
    assert.deepEqual(flows.map(({ code }: { code: string }) => code), ["kept_flow"]);
    assert.deepEqual((await ask("GET", `/connect/flows/${flow.id}.json`)).body.fields.program, program);
    const { body: sessions } = await ask("GET", "/account/agents.json");
    const counts = sessions.map((
      { name, changes, undone_at }: Record<string, unknown>,
    ) => [name, changes, undone_at !== null]);
    assert.deepEqual(counts, [["second", 1, false], ["first", 6, false]]);
    await Promise.all([first.close(), agent.close()]);
  },
);

onServer("agents: an undo takes no records and values from others, and says what uses an object", async (stage) => {
  const { server, ask, admin } = stage;
  const { cookie } = await addSession(server, admin.id);
  const asPerson = (method: "GET" | "POST", path: string) =>
    ask(method, path, { token: null, headers: { cookie, ...OWN } });
  const agent = await connectAgent(server, admin.token);
  const { call, session } = agent;
  const add = async (db: string, data: Record<string, unknown>) =>
    made(await ask("POST", `/platform/dbs/${db}/records.json`, { json: { record: { data } } }));
  made(
    await ask("POST", "/platform/dbs.json", { json: { db: { name: "Notes", schema: { fields: { a: "string" } } } } }),
  );
  const old = await add("notes", { a: "old" });
  const made_by_agent: string[] = [];
  for (const name of ["Mine", "Theirs", "Edited"]) {
    await call("create", { kind: "db", value: { name, schema: { fields: { a: "string" } } } });
    const db_code = name.toLowerCase();
    made_by_agent.push(...(await call("create", { kind: "record", db_code, records: [{ a: "of the agent" }] })).ids);
  }
  const fields = { a: "string", note: "text" };
  await call("patch", { kind: "db", id: "notes", changes: { schema: { fields } } });
  await call("patch", { kind: "record", db_code: "notes", id: old.id, changes: { note: "of the agent" } });
  const flow = await call("create", { kind: "flow", value: { name: "Used", fields: { program: [] } } });
  const plan = async () => {
    const { body } = await asPerson("GET", `/account/agents/${session}/changes.json`);
    return body.filter(({ object }: { object: string }) => object !== "record").map((
      { name, obstacle }: Record<string, unknown>,
    ) => [name, obstacle]);
  };
  const names = ["Used", "Notes", "Edited", "Theirs", "Mine"];
  assert.deepEqual(await plan(), names.map((name) => [name, null]));

  await add("theirs", { a: "of a person" });
  await add("notes", { a: "new", note: "of a person" });
  const record = { data: { a: "by a person" } };
  await ask("PATCH", `/platform/dbs/edited/records/${made_by_agent[2]}.json`, { json: { record } });
  const actions = [{ action: "go", flow_code: "used" }];
  const app = { name: "Caller", app_engine: "html", source_code: "<p>", actions };
  made(await ask("POST", "/platform/apps.json", { json: { app } }));
  const kept = [
    ["Notes", "Others have written values of note"],
    ["Edited", "It has records that others have written"],
    ["Theirs", "It has records that others have written"],
  ];
  assert.deepEqual(await plan(), [["Used", null], ...kept, ["Mine", null]]);
  const { body: undone } = await asPerson("POST", `/account/agents/${session}/undo.json`);
  const obstacles = undone.filter(({ object, obstacle }: Record<string, unknown>) =>
    obstacle !== null && object !== "record"
  );
  assert.deepEqual(
    obstacles.map(({ name, obstacle }: Record<string, unknown>) => [name, obstacle]),
    [["Used", "It is used by the app Caller"], ...kept],
  );
  assert.equal((await ask("GET", `/connect/flows/${flow.id}.json`)).status, 200);
  const { body: rows } = await ask("GET", "/platform/dbs/notes/records.json?sort=created_at");
  assert.deepEqual(rows.map(({ data }: { data: unknown }) => data), [{ a: "old", note: null }, {
    a: "new",
    note: "of a person",
  }]);
  assert.equal((await ask("GET", "/platform/dbs/theirs/records.json")).body.length, 1);
  assert.equal((await ask("GET", "/platform/dbs/mine.json")).status, 404);
  await agent.close();
});

onServer(
  "agents: an undo tells the session's own values from those that others have written before or between",
  async (stage) => {
    const { server, ask, admin } = stage;
    const { cookie } = await addSession(server, admin.id);
    const asPerson = (method: "GET" | "POST", path: string) =>
      ask(method, path, { token: null, headers: { cookie, ...OWN } });
    const records = (db: string, id = "") => `/platform/dbs/${db}/records${id}.json`;
    const add = async (db: string, data: Record<string, unknown>): Promise<string> =>
      made(await ask("POST", records(db), { json: { record: { data } } })).id;
    const write = (db: string, id: string, data: Record<string, unknown>) =>
      ask("PATCH", records(db, `/${id}`), { json: { record: { data } } });
    const addDb = async (name: string) =>
      made(await ask("POST", "/platform/dbs.json", { json: { db: { name, schema: { fields: { a: "string" } } } } }));
    const agent = await connectAgent(server, admin.token);
    const { call, session } = agent;
    const change = (id: string, fields: Record<string, string>, more = {}) =>
      call("patch", { kind: "db", id, changes: { schema: { fields }, ...more } });
    const patch = (db_code: string, id: string, changes: Record<string, unknown>) =>
      call("patch", { kind: "record", db_code, id, changes });
    const plan = async () => (await asPerson("GET", `/account/agents/${session}/changes.json`)).body;

    // The session's own work, in any order.
    await addDb("Own");
    const { ids: [own] } = await call("create", { kind: "record", db_code: "own", records: [{ a: "1" }] });
    await change("own", { a: "string", x: "string" });
    await patch("own", own, { x: "2" });
    assert.deepEqual((await plan()).map(({ obstacle }: { obstacle: string | null }) => obstacle), [null, null]);

    await addDb("Renamed");
    const renamed = await add("renamed", { a: "1" });
    await change("renamed", { a: "string", x: "string" });
    await change("renamed", { a: "string", y: "string" }, { rename_fields: [{ from: "x", to: "y" }] });
    await write("renamed", renamed, { y: "of a person" });

    await call("create", { kind: "db", value: { name: "Both", schema: { fields: { a: "string" } } } });
    const both = await add("both", { a: "of a person" });
    await patch("both", both, { a: "of the agent" });

    await addDb("Half");
    const half = await add("half", { a: "1" });
    await change("half", { a: "string", x: "string" });
    await write("half", half, { x: "of a person" });
    await patch("half", half, { a: "of the agent" });

    await addDb("Between");
    const between = await add("between", { a: "1" });
    await patch("between", between, { a: "2" });
    await write("between", between, { a: "3" });
    await patch("between", between, { a: "4" });

    const since = "It has been changed since, and not by this session";
    const { body: undone } = await asPerson("POST", `/account/agents/${session}/undo.json`);
    const said = undone.map(({ object, name, obstacle }: Record<string, unknown>) => [object, name, obstacle]);
    assert.deepEqual(said, [
      ["record", "A record of Between", since],
      ["record", "A record of Half", null],
      ["db", "Half", "Others have written values of x"],
      ["record", "A record of Both", null],
      ["db", "Both", "It has records that others have written"],
      ["db", "Renamed", "Others have written values of y"],
      ["db", "Own", null],
      ["record", "A record of Own", null],
    ]);
    const dataOf = async (db: string, id: string) => (await ask("GET", records(db, `/${id}`))).body.data;
    assert.deepEqual(await dataOf("between", between), { a: "4" });
    assert.deepEqual(await dataOf("half", half), { a: "1", x: "of a person" });
    assert.deepEqual(await dataOf("both", both), { a: "of a person" });
    assert.deepEqual(await dataOf("renamed", renamed), { a: "1", y: "of a person" });
    assert.deepEqual((await ask("GET", records("own"))).body, []);
    await agent.close();
  },
);
