/** One session's changes are undone together; what others have changed since stays. */
import assert from "node:assert/strict";
import { connectAgent } from "../../stage/agents/agent.ts";
import { addSession } from "../../stage/people.ts";
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
