/** Flows, actions and triggers act with the reach that their author has at the time of the run. */
import assert from "node:assert/strict";
import { addPerson, made, type Person } from "../../stage/people.ts";
import { until } from "../../stage/until.ts";
import { type Ask, onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const RECORDS = "/platform/dbs/notes/records.json";
const LIST = [{ type: "record", id: "notes", action: "list", db_code: "notes", sort: "n" }];
const numbers = (data: unknown) => Array.isArray(data) ? data.map(({ n }) => n) : data;

/** A restricted account: departments D1 and D2, a manager of each, and a database with a record of each department. */
async function setScene(ask: Ask) {
  const department = async (name: string): Promise<number> =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [d1, d2] = [await department("D1"), await department("D2")];
  const db = { name: "Notes", code: "notes", schema: { fields: { n: "integer" } }, department_id: d1 };
  made(await ask("POST", "/platform/dbs.json", { json: { db } }));
  for (const [n, department_id] of [[1, d1], [2, d2], [3, null]]) {
    made(await ask("POST", RECORDS, { json: { record: { data: { n }, department_id } } }));
  }
  const only = (department: number) => ({ department_ids: [department], without_department: false });
  const manager = await addPerson(ask, "manager", only(d1));
  const user = await addPerson(ask, "user", only(d1));
  const flow = async (token: string | undefined, fields: Record<string, unknown>) =>
    made(await ask("POST", "/connect/flows.json", { token, json: { flow: fields } }));
  const change = (token: string | undefined, id: number, flow: Record<string, unknown>) =>
    ask("PATCH", `/connect/flows/${id}.json`, { token, json: { flow } });
  const run = async (token: string | undefined, id: number) =>
    (await ask("POST", `/connect/flows/${id}/run.json`, { token, json: {} })).body;
  const setUser = (person: Person, user_setting: Record<string, unknown>) =>
    ask("PATCH", `/account/user_settings/${person.id}.json`, { json: { user_setting } });
  return { d1, d2, only, manager, user, flow, change, run, setUser };
}

inAccount("authors: a record step reads and writes what the program's author may see at that time", async ({ ask }) => {
  const { d1, d2, manager, user, flow, change, run, setUser } = await setScene(ask);
  const of_manager = await flow(manager.token, { name: "Mine", department_id: d1, fields: { program: LIST } });
  assert.deepEqual([of_manager.author_id, of_manager.runs_as], [manager.id, "author"]);
  for (const token of [manager.token, user.token, undefined]) {
    assert.deepEqual(numbers((await run(token, of_manager.id)).data), [1], "records of D1 alone, whoever runs it");
  }
  const of_admin = await flow(undefined, { name: "All", department_id: d1, fields: { program: LIST } });
  assert.deepEqual(numbers((await run(user.token, of_admin.id)).data), [1, 2, 3], "with the reach of its author");

  await setUser(manager, { department_ids: [d1, d2] });
  assert.deepEqual(numbers((await run(user.token, of_manager.id)).data), [1, 2], "a new department counts at once");
  await setUser(manager, { department_ids: [d1] });
  assert.deepEqual(numbers((await run(user.token, of_manager.id)).data), [1]);

  const update = [{ type: "record", action: "update", db_code: "notes", match: { n: 2 }, data: { n: 20 } }];
  const writes = await flow(manager.token, { name: "Writes", department_id: d1, fields: { program: update } });
  assert.match((await run(manager.token, writes.id)).error, /Record not found/);
  const create = [{ type: "record", action: "create", db_code: "notes", data: { n: 4 } }];
  const creates = await flow(manager.token, { name: "Creates", department_id: d1, fields: { program: create } });
  const { data } = await run(user.token, creates.id);
  const { body } = await ask("GET", `/platform/dbs/notes/records/${data.id}.json`);
  assert.deepEqual([body.department_id, body.created_by_id], [d1, user.id], "where its author sees it");

  const taken = await change(manager.token, of_admin.id, {
    fields: { program: [...LIST, { type: "return", data: 1 }] },
  });
  assert.deepEqual([taken.status, taken.body.author_id], [200, manager.id], "who changes it is the author");
  const renamed = await change(undefined, of_manager.id, { name: "Renamed", fields: { program: LIST } });
  assert.equal(renamed.body.author_id, manager.id, "the same program keeps its author");
});

inAccount("authors: names are resolved at the time of the run", async ({ ask }) => {
  const { d1, d2, manager, user, flow, change, run } = await setScene(ask);
  const program = [{ type: "record", action: "list", db_code: "later" }, {
    type: "connector",
    connector_code: "bank",
    method: "m",
  }];
  const refused = await ask("POST", "/connect/flows.json", {
    token: manager.token,
    json: { flow: { name: "Early", department_id: d1, fields: { program } } },
  });
  assert.deepEqual([refused.status, Object.keys(refused.body)], [422, [
    "fields.program.0.db_code",
    "fields.program.1.connector_code",
  ]]);
  const early = await flow(undefined, { name: "Early", department_id: d1, fields: { program } });
  assert.deepEqual(Object.keys(early.warnings).toSorted(), Object.keys(refused.body).toSorted(), "only warnings");

  const mine = await flow(manager.token, { name: "Mine", department_id: d1, fields: { program: LIST } });
  const moved = await ask("PATCH", "/platform/dbs/notes.json", { json: { db: { department_id: d2 } } });
  assert.equal(moved.status, 200);
  assert.match((await run(user.token, mine.id)).error, /Database notes not found/, "as if it did not exist");
  await ask("PATCH", "/platform/dbs/notes.json", { json: { db: { department_id: d1 } } });
  assert.deepEqual(numbers((await run(user.token, mine.id)).data), [1]);

  const connector = { name: "Bank", code: "bank", url: "https://api.example.com", department_id: d1 };
  const { id } = made(await ask("POST", "/connect/connectors.json", { json: { connector } }));
  const pays = await flow(manager.token, {
    name: "Pays",
    department_id: d1,
    fields: { program: [{ type: "connector", connector_code: "bank", method: "m" }] },
  });
  assert.match((await run(user.token, pays.id)).error, /bank has no method m/);
  await ask("PATCH", `/connect/connectors/${id}.json`, { json: { connector: { department_id: d2 } } });
  assert.match((await run(user.token, pays.id)).error, /there is no connector bank/);

  await change(undefined, mine.id, { department_id: d2 });
  assert.equal((await ask("POST", `/connect/flows/${mine.id}/run.json`, { token: user.token, json: {} })).status, 404);
});

inAccount("authors: a run fails if its author is gone, inactive or no longer a manager", async ({ ask }) => {
  const { d1, manager, flow, change, run, setUser } = await setScene(ask);
  const fields = { program: [{ type: "return", data: "done" }] };
  const { id } = await flow(manager.token, { name: "Mine", department_id: d1, fields });
  const outcome = async () => {
    const { status, data, error } = await run(undefined, id);
    return status === "finished" ? data : error;
  };
  assert.equal(await outcome(), "done");
  await setUser(manager, { active: false });
  assert.match(await outcome(), /^The author of this program is inactive: a manager must save it again$/);
  await setUser(manager, { active: true, role: "user" });
  assert.match(await outcome(), /^The author of this program is no longer a manager: /);
  await setUser(manager, { role: "admin" });
  assert.equal(await outcome(), "done");
  await ask("DELETE", `/account/user_settings/${manager.id}.json`);
  assert.match(await outcome(), /^The author of this program is gone: /);
  const saved = await change(undefined, id, { fields });
  assert.deepEqual([saved.status, saved.body.version], [200, 2], "who saves it again is the author");
  assert.equal(await outcome(), "done");
});

inAccount("authors: runs_as caller limits a run to what its caller may see, too", async ({ ask }) => {
  const { d1, d2, only, manager, flow, change, run } = await setScene(ask);
  const { id } = await flow(undefined, {
    name: "All",
    department_id: d1,
    runs_as: "caller",
    fields: { program: LIST },
  });
  const both = await addPerson(ask, "user", { department_ids: [d1, d2], without_department: false });
  assert.deepEqual(numbers((await run(both.token, id)).data), [1, 2]);
  assert.deepEqual(numbers((await run(manager.token, id)).data), [1]);
  assert.deepEqual(numbers((await run(undefined, id)).data), [1, 2, 3]);
  const narrow = await flow(manager.token, {
    name: "Narrow",
    department_id: d1,
    runs_as: "caller",
    fields: { program: LIST },
  });
  assert.deepEqual(numbers((await run(both.token, narrow.id)).data), [1], "nor more than its author");
  const wide = await change(manager.token, id, { runs_as: "author" });
  assert.deepEqual([wide.body.author_id, wide.body.version], [manager.id, 2], "who widens it lends their own reach");
  assert.deepEqual(numbers((await run(undefined, id)).data), [1]);

  const app = { name: "Caller", app_engine: "html", source_code: "<p>", public: true, active: true, department_id: d1 };
  const actions = [{ action: "go", flow_code: narrow.code, public: true }];
  const opened = made(
    await ask("POST", "/platform/apps.json", { token: manager.token, json: { app: { ...app, actions } } }),
  );
  const path = `/platform/apps/${opened.id}/action/go`;
  const guest = await addPerson(ask, "guest", only(d1));
  assert.deepEqual(
    numbers((await ask("POST", path, { token: null, json: {} })).body.data),
    [1],
    "a visitor's: the author's",
  );
  assert.match((await ask("POST", path, { token: guest.token, json: {} })).body.error, /a guest reaches no data/);
});

inAccount(
  "authors: an action and a trigger start what their own author may see at that time",
  async ({ ask, server }) => {
    const { d1, d2, manager, flow, change, setUser } = await setScene(ask);
    const fields = { program: [{ type: "return", data: "done" }] };
    const target = await flow(undefined, { name: "Target", department_id: d1, fields });
    const app = {
      name: "Caller",
      app_engine: "html",
      source_code: "<p>",
      public: true,
      department_id: d1,
      actions: [{ action: "go", flow_code: "target", public: true }],
    };
    const { id } = made(await ask("POST", "/platform/apps.json", { token: manager.token, json: { app } }));
    const cron = { target_code: "target", schedule: "0 0 1 1 *", department_id: d1 };
    const trigger = made(await ask("POST", "/account/crons.json", { token: manager.token, json: { cron } }));
    assert.equal(trigger.author_id, manager.id);
    const call = () => ask("POST", `/platform/apps/${id}/action/go`, { token: null, json: {} });
    const fire = () => ask("POST", `/account/crons/${trigger.id}/fire.json`);
    assert.equal((await call()).body.data, "done");
    assert.equal((await fire()).status, 200);

    await change(undefined, target.id, { department_id: d2 });
    const missing = { status: 422, body: { flow_code: ["does not exist"] } };
    const plain = ({ status, body }: { status: number; body: unknown }) => ({ status, body });
    assert.deepEqual(plain(await call()), missing, "moved to another department");
    assert.deepEqual(plain(await fire()), missing);
    await ask("DELETE", `/connect/flows/${target.id}.json?force=true`);
    await flow(undefined, { name: "Target", department_id: d2, fields });
    assert.deepEqual(plain(await call()), missing, "another flow with the same code");
    assert.deepEqual(plain(await fire()), missing);

    await setUser(manager, { department_ids: [d1, d2] });
    assert.equal((await call()).body.data, "done");
    await setUser(manager, { active: false });
    assert.match((await call()).body.base[0], /^The author of this action is inactive: /);
    assert.match((await fire()).body.base[0], /^The author of this trigger is inactive: /);
    await ask("PATCH", `/platform/apps/${id}.json`, { json: { app: { actions: app.actions } } });
    assert.equal((await call()).body.data, "done", "who saves the actions again is their author");
    await server.sql`update apps set action_authors = '{}' where id = ${id}`;
    await until(async () => (await call()).status === 422, "an action without an author starts nothing");
  },
);
