/** What uses a flow, a connector or a database: `used_by`, deletes of what is in use, and triggers that cannot start. */
import assert from "node:assert/strict";
import { addPerson, made } from "../../stage/people.ts";
import { type Ask, onSharedServer } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const inAccount = onSharedServer();

/** A database and a connector that a flow uses in nested steps, and an app and a trigger that use the flow. */
async function setScene(ask: Ask, department_id: number | null = null) {
  const post = async (path: string, json: unknown) => made(await ask("POST", path, { json }));
  await post("/platform/dbs.json", {
    db: { name: "Notes", schema: { fields: { n: "integer" } }, department_id },
  });
  const connector = await post("/connect/connectors.json", {
    connector: { name: "API", code: "api", url: "https://api.example.com", department_id },
  });
  const program = [
    { type: "mutation", set: { db_code: "other", connector_code: "other" } },
    {
      type: "for_each",
      items: "{input.items}",
      as: "item",
      steps: [{
        type: "if",
        condition: "{item} > 1",
        then: [{ type: "record", action: "list", db_code: "notes" }],
        else: [{
          type: "connector",
          connector_code: "api",
          method: "m",
          on_error: "catch",
          catch: [{ type: "record", action: "list", db_code: "caught" }],
        }],
      }],
    },
  ];
  const flow = await post("/connect/flows.json", {
    flow: { name: "Watch", code: "watch", fields: { program }, department_id },
  });
  const app = await post("/platform/apps.json", {
    app: {
      name: "Board",
      app_engine: "html",
      source_code: "<p>",
      db_code: "notes",
      actions: [{ action: "go", flow_code: "watch" }, { action: "again", flow_code: "watch" }],
      department_id,
    },
  });
  const cron = await post("/account/crons.json", {
    cron: { name: "Daily", target_code: "watch", schedule: "0 9 * * *", department_id },
  });
  const paths = {
    flow: `/connect/flows/${flow.id}.json`,
    connector: `/connect/connectors/${connector.id}.json`,
    db: `/platform/dbs/notes.json`,
  };
  return { flow, app, cron, paths };
}

inAccount("used_by: apps, flows and triggers that name it, wherever they do", async ({ ask }) => {
  const { flow, app, cron, paths } = await setScene(ask);
  const of_app = { kind: "app", id: app.id, name: "Board" };
  const of_flow = { kind: "flow", id: flow.id, name: "Watch" };
  const of_cron = { kind: "cron", id: cron.id, name: "Daily" };
  const used_by = async (path: string) => (await ask("GET", path)).body.used_by;
  assert.deepEqual(await used_by(paths.flow), [of_app, of_cron], "once for two actions");
  assert.deepEqual(await used_by(paths.connector), [of_flow]);
  assert.deepEqual(await used_by(paths.db), [of_app, of_flow]);
  const caught = await ask("POST", "/platform/dbs.json", { json: { db: { name: "Caught" } } });
  assert.deepEqual(caught.body.used_by, [of_flow], "steps of catch, too");
  const other = await ask("POST", "/platform/dbs.json", { json: { db: { name: "Other" } } });
  assert.deepEqual(other.body.used_by, [], "a key of a mutation is no reference");
  await ask("PATCH", `/platform/apps/${app.id}.json`, { json: { app: { actions: [], db_code: null } } });
  assert.deepEqual(await used_by(paths.flow), [of_cron]);
  await ask("PATCH", `/account/crons/${cron.id}.json`, { json: { cron: { name: null } } });
  assert.deepEqual(
    await used_by(paths.flow),
    [{ ...of_cron, name: "At 09:00" }],
    "the sentence of a trigger without a name",
  );
  assert.deepEqual(await used_by(paths.db), [of_flow]);
});

inAccount("used_by: apps whose source names a database, from their save on", async ({ ask }) => {
  made(await ask("POST", "/platform/dbs.json", { json: { db: { name: "Repairs" } } }));
  const used_by = async () =>
    (await ask("GET", "/platform/dbs/repairs.json")).body.used_by.map(({ name }: { name: string }) => name);
  const sources = {
    double: 'await db("repairs").list();',
    single: "await platform.db( 'repairs' ).list();",
    template: "await platform.db(`repairs`).list();",
    typed: 'await db<Repair>("repairs").list();',
    address: 'await fetch("/platform/db/repairs/list", { method: "POST" });',
  };
  const ids = new Map<string, string>();
  for (const [name, script] of Object.entries(sources)) {
    const app = { name, app_engine: "html", source_code: `<script>${script}</script>`, db_code: null };
    ids.set(name, made(await ask("POST", "/platform/apps.json", { json: { app } })).id);
  }
  const others = "mydb('repairs'); db('repairs_2'); db(repairs); fetch('/platform/db/repairs_2/list'); // repairs";
  const app = { name: "other", app_engine: "html", source_code: `<script>${others}</script>` };
  const other = made(await ask("POST", "/platform/apps.json", { json: { app } })).id;
  assert.deepEqual(await used_by(), ["address", "double", "single", "template", "typed"]);
  const refused = await ask("DELETE", "/platform/dbs/repairs.json");
  assert.deepEqual([refused.status, refused.body.used_by.length], [409, 5]);

  const save = (id: string | undefined, changes: object) =>
    ask("PATCH", `/platform/apps/${id}.json`, { json: { app: changes } });
  await save(ids.get("address"), { source_code: "<p>", db_code: "repairs" });
  await save(ids.get("double"), { db_code: "repairs" });
  await save(ids.get("single"), { source_code: "<p>" });
  await save(other, { source_code: "<script>platform.db('repairs')</script>" });
  assert.deepEqual(await used_by(), ["address", "double", "other", "template", "typed"], "each once");
});

inAccount("used_by: what is in use is deleted with force=true only", async ({ ask, play }) => {
  const department = async (name: string): Promise<number> =>
    made(await ask("POST", "/account/departments.json", { json: { department: { name } } })).id;
  const [d1, d2] = [await department("D1"), await department("D2")];
  const { flow, paths } = await setScene(ask, d2);
  await ask("PATCH", paths.connector, { json: { connector: { department_id: d1 } } });
  const manager = await addPerson(ask, "manager", { department_ids: [d1], without_department: false });
  const hidden = await ask("DELETE", paths.connector, { token: manager.token });
  assert.deepEqual([hidden.status, hidden.body.used_by], [409, []], "hidden users are not named");
  assert.equal((await ask("DELETE", paths.db, { token: manager.token })).status, 404, "hidden is missing, used or not");
  const of_flow = [{ kind: "flow", id: flow.id, name: "Watch" }];
  await play([
    { name: "a connector", method: "DELETE", path: paths.connector, status: 409, body: { used_by: of_flow } },
    { name: "a database", method: "DELETE", path: paths.db, status: 409, body: { code: "conflict" } },
    { name: "a flow", method: "DELETE", path: `${paths.flow}?force=false`, status: 409 },
    { name: "values of force", method: "DELETE", path: `${paths.flow}?force=maybe`, status: 400 },
    { name: "a connector, with force", method: "DELETE", path: `${paths.connector}?force=true`, status: 204 },
    { name: "a flow, with force", method: "DELETE", path: `${paths.flow}?force=true`, status: 204 },
  ]);
  const app = (await ask("GET", "/platform/apps.json")).body[0];
  await ask("DELETE", `/platform/apps/${app.id}.json`);
  assert.equal((await ask("DELETE", paths.db)).status, 204, "nothing uses it any more");
});

inAccount("used_by: a trigger says why it cannot start, in lists and in last_status", async ({ ask, server }) => {
  const { cron, paths } = await setScene(ask);
  const path = `/account/crons/${cron.id}.json`;
  const seen = async () => {
    const { body } = await ask("GET", path);
    const [listed] = (await ask("GET", "/account/crons.json")).body;
    assert.equal(listed.obstacle, body.obstacle);
    return [body.obstacle, body.last_status];
  };
  /** Makes the trigger due, and ticks until it is claimed. */
  const pass = async () => {
    await server.sql`update crons set next_run_at = now() - interval '1 minute' where id = ${cron.id}`;
    await until(async () => {
      await server.tick();
      const [row] = await server.sql`select next_run_at > now() as is_claimed from crons where id = ${cron.id}`;
      return row?.is_claimed;
    }, "the trigger is claimed");
  };
  assert.deepEqual(await seen(), [null, null]);
  await ask("PATCH", paths.flow, { json: { flow: { active: false } } });
  assert.deepEqual(await seen(), ["the flow watch is not active", null]);
  await pass();
  assert.deepEqual(await seen(), ["the flow watch is not active", "skipped"]);
  await ask("DELETE", `${paths.flow}?force=true`);
  await pass();
  assert.deepEqual(await seen(), ["there is no flow watch", "skipped"]);
  const [run] = (await ask("GET", `/account/crons/${cron.id}/runs.json`)).body;
  assert.deepEqual([run.state, run.reason], ["skipped", "there is no flow watch"]);
  await server.sql`update crons set author_id = null where id = ${cron.id}`;
  assert.match((await seen())[0], /^The author of this trigger is gone: /);
});
