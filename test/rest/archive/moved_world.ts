/** An account with everything that an archive moves, made over the API. */
import { PNG } from "../../stage/images.ts";
import type { TestServer } from "../../stage/harness.ts";
import { addPerson, as, type Ask, made, type Person } from "../../stage/people.ts";
import { until } from "../../stage/until.ts";

export interface World {
  ada: Person;
  /** Ids of apps by name. */
  apps: Record<string, string>;
}

const ENDED = /^(finished|error|cancelled)$/;

export async function makeWorld(server: TestServer, ask: Ask): Promise<World> {
  const post = async (path: string, json: unknown) => made(await ask("POST", path, { json }));
  const patch = async (path: string, json: unknown) => {
    const { status, body } = await ask("PATCH", path, { json });
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const team = await post("/account/teams.json", { team: { name: "Field" } });
  const group = await post("/account/groups.json", { group: { name: "Night shift" } });
  const mailbox = await post("/account/mailboxes.json", { mailbox: { name: "Orders", email: "orders@example.com" } });

  const form = new FormData();
  form.set("department[name]", "Sales");
  form.set("department[logo]", new File([PNG], "logo.png", { type: "image/png" }));
  const sales = made(await ask("POST", "/account/departments.json", { form }));
  const support = await post("/account/departments.json", {
    department: { name: "Support", shortcut: "SUP", company_city: "Gdańsk", mailbox_ids: [mailbox.id] },
  });
  const ada = await addPerson(ask, "manager", {
    login: "ada",
    email: "ada@example.com",
    name: "Ada",
    team_ids: [team.id],
    group_ids: [group.id],
    department_ids: [sales.id],
    without_department: false,
  });
  await addPerson(ask, "guest", { login: "guest", email: "guest@example.com", active: false });
  // Numbers differ from here on: those of the other account have no gaps.
  const gone = await addPerson(ask, "user", { login: "gone", email: "gone@example.com" });
  const by_ada = as(ask, ada.token);

  await post("/connect/connectors.json", {
    connector: {
      name: "Exchange rates",
      code: "fx",
      url: "https://fx.example.com/v1",
      fields: { auth: { type: "bearer" }, methods: { latest: { method: "GET", path: "/latest" } } },
      secret_token: "canary of a connector",
      department_id: sales.id,
    },
  });
  await post("/connect/connectors.json", { connector: { name: "Weather", url: "https://weather.example.com" } });

  await post("/platform/dbs.json", {
    db: {
      name: "Orders",
      code: "orders",
      schema: {
        fields: { number: "string", amount: "number", placed_on: "date", note: "text", done: "boolean" },
        indexes: { idx_str_1: "number", idx_time_1: "placed_on" },
      },
      public_methods: { list: {} },
      department_id: sales.id,
    },
  });
  await post("/platform/dbs.json", {
    db: {
      name: "Library",
      schema: {
        tables: {
          books: { fields: { title: "string", pages: "integer" }, indexed_fields: ["title"] },
          people: { fields: { name: "string" }, indexed_fields: [] },
        },
      },
    },
  });
  const record = (db: string, fields: object, who = ask) =>
    who("POST", `/platform/dbs/${db}/records.json`, { json: { record: fields } }).then(made);
  await record("orders", {
    data: { number: "A-1", amount: 12.5, placed_on: "2026-11-24", note: "Łódź ☃", done: true },
    department_id: sales.id,
  });
  const changed = await record("orders", { data: { number: "A-2" }, department_id: sales.id }, by_ada);
  await patch(`/platform/dbs/orders/records/${changed.id}.json`, { record: { data: { amount: 1e15 } } });
  await record("library", { table_name: "books", data: { title: "Kosmos" } }, as(ask, gone.token));
  await record("library", { table_name: "books", data: { title: "Ferdydurke", pages: 280 } });
  await record("library", { table_name: "people", data: { name: "Witold" }, department_id: support.id });
  await post("/platform/dbs/orders/views.json", {
    view: {
      name: "Big orders",
      shared: true,
      columns: [{ field: "amount", width: 200 }],
      filter: { amount: { gte: 10 } },
      sort: "-amount",
    },
  });
  made(await by_ada("POST", "/platform/dbs/orders/views.json", { json: { view: { name: "Mine", q: "A-" } } }));
  await post("/platform/dbs/library/views.json", { view: { name: "Books", table_name: "books" } });

  const set = (value: unknown) => [{ type: "mutation", set: { value } }];
  const greet = made(
    await ask("POST", "/connect/flows.json", { json: { flow: { name: "Greet", fields: { program: set("one") } } } }),
  );
  await patch(`/connect/flows/${greet.id}.json`, { flow: { fields: { program: set("{input.name}") } } });
  const failing = await post("/connect/flows.json", {
    flow: {
      name: "Fail",
      on_failure: "greet",
      department_id: support.id,
      fields: { program: [{ type: "fail", message: "No {input.name}" }] },
    },
  });
  await post("/connect/flows.json", {
    flow: {
      name: "Approve",
      active: false,
      runs_as: "caller",
      max_at_once: 2,
      input: { type: "object", properties: { pin: { type: "string" } } },
      secret_inputs: ["pin"],
      fields: {
        program: [{ type: "approval", id: "asked", question: "Go?", users: [ada.id], departments: [support.id] }],
      },
    },
  });
  const deleted = await post("/connect/flows.json", { flow: { name: "Deleted", fields: { program: set("gone") } } });
  const ended = (id: string) =>
    until(async () => {
      const { body } = await ask("GET", `/connect/flow_processes/${id}.json`);
      return ENDED.test(body?.status);
    }, "a run has ended");
  const run = async (flow: { id: number }, input: object, who = ask) => {
    const { body } = await who("POST", `/connect/flows/${flow.id}/run.json`, { json: { input } });
    await ended(body.flow_process_id);
    return body;
  };
  const greeted = await run(greet, { name: "Ada", order: { number: "A-1" } });
  await run(greet, { name: "Bob" }, as(ask, gone.token));
  await run(failing, {});
  await run(deleted, {});
  await ask("DELETE", `/connect/flows/${deleted.id}.json`);
  await post(`/connect/flows/${greet.id}/examples.json`, { run_id: greeted.flow_process_id, name: "Ada is greeted" });
  await ask("PUT", `/connect/flows/${greet.id}/draft.json`, {
    json: { draft: { program_text: "[]", base_lock_version: 1, revision: 1 } },
  });

  const app = async (name: string, fields: object, who = ask): Promise<string> =>
    made(await who("POST", "/platform/apps.json", { json: { app: { name, css_engine: "none", ...fields } } })).id;
  const board = await app("Board", {
    url_code: "board",
    app_engine: "js",
    source_code: "document.title = 'one';\n",
    public: true,
    dashboard_widget: true,
    db_code: "orders",
    actions: [{ action: "greet", flow_code: "greet" }],
    fields: { theme: "dark" },
    show_in_module: "organize",
    prompt: "Keep it dark",
  });
  await patch(`/platform/apps/${board}.json`, { app: { source_code: "document.title = 'two';\n" } });
  const notes = await app(
    "Notes",
    { app_engine: "html", source_code: "<p>Notes</p>", department_id: sales.id },
    by_ada,
  );
  const counter = await app("Counter", {
    url_code: "counter",
    app_engine: "svelte",
    css_engine: "tailwind_all",
    source_code:
      '<script>let count = $state(0);</script>\n<button class="p-2" onclick={() => count++}>{count}</button>\n',
    active: true,
  });
  await ask("PUT", `/platform/apps/${board}/draft.json`, {
    json: { draft: { source_code: "document.title = 'draft';\n", base_lock_version: 1, revision: 1 } },
  });
  const tile = { app_id: board, x: 0, y: 0, w: 6, h: 4 };
  await ask("PUT", "/account/default_dashboard.json", { json: { dashboard: { tiles: [tile] } } });
  await by_ada("PUT", "/account/dashboard.json", { json: { dashboard: { tiles: [{ ...tile, w: 12 }] } } });
  for (const id of [board, counter]) await ask("GET", `/a/${id}`);

  const cron = (fields: object, who = ask) => who("POST", "/account/crons.json", { json: { cron: fields } }).then(made);
  const yearly = await cron({
    name: "Every year",
    target_code: "greet",
    schedule: "0 9 1 1 *",
    input: { name: "Year" },
  });
  await cron({ name: "Paused", target_code: "greet", schedule: "0 9 1 1 *", active: false, department_id: sales.id });
  await cron({ name: "Shop", kind: "webhook", target_code: "greet", webhook: {} });
  await cron({
    name: "Signed",
    kind: "webhook",
    target_code: "greet",
    webhook: { signature: "hmac", header: "x-signature", secret: "canary of a trigger" },
  });
  await cron({
    name: "New orders",
    kind: "record",
    target_code: "greet",
    record: { db_code: "orders", table_name: null, on: ["create"], filter: {}, at_most: 10 },
  });
  await ask("POST", `/account/crons/${yearly.id}/fire.json`);
  await until(async () => {
    await server.tick();
    const { body: [row] } = await ask("GET", `/account/crons/${yearly.id}/runs.json`);
    return row?.outcome === "finished";
  }, "the trigger has run");

  await patch("/account.json", { account: { name: "Moved Ltd", rate_limits: { requests: 50_000 } } });
  await ask("POST", `/account/departments/${support.id}/set_as_main.json`);
  await ask("PATCH", "/account/embedding.json", { json: { embedding: { hosts: ["https://intranet.example.com"] } } });
  await post("/account/embedding/keys.json", { key: { name: "Intranet" } });
  await ask("DELETE", `/account/user_settings/${gone.id}.json`);
  // Stores the counts of openings.
  await server.sweep();
  return { ada, apps: { board, notes, counter } };
}
