/** What a small team has after some weeks, for pictures of the console. */
import { GALLERY, readSource } from "../../client/gallery/gallery.ts";
import { logoPng } from "./logo.ts";
import { made } from "../stage/people.ts";
import type { Answer, Sent } from "../stage/harness.ts";

type Request = (method: string, path: string, sent?: Sent) => Promise<Answer>;

const DEPARTMENTS = ["Workshop", "Front desk", "Purchasing", "Rentals"];
const PEOPLE: [name: string, role: string][] = [
  ["Nell Whitcombe", "admin"],
  ["Jonas Lindqvist", "manager"],
  ["Marta Wolska", "manager"],
  ["Aiko Brandt", "user"],
  ["Sam Hughes", "user"],
  ["Noor Willems", "guest"],
];

/** Where the first apps stand. */
const PLACES = ["crm", "crm", "tasks/index", "contacts/show"];

export async function fill(request: Request): Promise<void> {
  /** A busy compiler is asked again. */
  const post = async (path: string, json: unknown) => {
    let answer = await request("POST", path, { json });
    while (answer.status === 503) answer = await request("POST", path, { json });
    return made(answer);
  };
  await request("PATCH", "/account.json", { json: { account: { name: "Kettle Lane Cycles" } } });
  const { body: { user } } = await request("GET", "/account/me.json");
  const settings = { user_setting: { name: "Ines Okafor" } };
  await request("PATCH", `/account/user_settings/${user.id}.json`, { json: settings });
  const departments: number[] = [];
  for (const name of DEPARTMENTS) {
    departments.push((await post("/account/departments.json", { department: { name } })).id);
  }
  // The first by name.
  const form = new FormData();
  for (
    const [field, value] of Object.entries({
      shortcut: "FRO",
      email: "hello@kettlelane.example",
      phone: "+44 1865 249 017",
      description: "Takes in repairs and answers the telephone.",
      company_name: "Kettle Lane Cycles Ltd",
      company_street: "Kettle Lane",
      company_street_number: "14",
      company_post_code: "OX1 2AB",
      company_city: "Oxford",
      company_website: "https://kettlelane.example",
    })
  ) form.append(`department[${field}]`, value);
  form.append("department[logo]", new Blob([logoPng()], { type: "image/png" }), "kettle-lane.png");
  const described = await request("PATCH", `/account/departments/${departments[1]}.json`, { form });
  if (described.status !== 200) throw new Error(`not described: ${JSON.stringify(described.body)}`);
  const repairs = await post("/account/mailboxes.json", {
    mailbox: { name: "Repairs", email: "repairs@kettlelane.example" },
  });
  await request("PATCH", `/account/departments/${departments[1]}.json`, {
    json: { department: { mailbox_ids: [repairs.id] } },
  });
  for (const [index, [name, role]] of PEOPLE.entries()) {
    const login = name.split(" ")[0]?.toLowerCase();
    await post("/account/user_settings.json", {
      user_setting: {
        name,
        login,
        email: `${login}@kettlelane.example`,
        role,
        department_ids: index % 3 === 0 ? [] : departments.slice(index % 2, index % 2 + 2),
        without_department: index % 3 === 0,
      },
    });
  }
  await post("/account/teams.json", { team: { name: "Night shift" } });
  const tiles: { app_id: string; x: number; y: number; w: number; h: number }[] = [];
  for (const [index, app] of GALLERY.entries()) {
    const { file: _, ...fields } = app;
    const source_code = await readSource(app);
    const { id } = await post("/platform/apps.json", {
      app: {
        ...fields,
        source_code,
        public: index % 3 === 0,
        dashboard_widget: true,
        department_id: departments[index % 5] ?? null,
        show_in_module: PLACES[index],
      },
    });
    if (index < 5) {
      tiles.push({
        app_id: id,
        x: index < 2 ? index * 6 : (index - 2) * 4,
        y: index < 2 ? 0 : 5,
        w: index < 2 ? 6 : 4,
        h: 5,
      });
    }
  }
  await request("PUT", "/account/dashboard.json", { json: { dashboard: { tiles } } });
  await post("/platform/dbs.json", {
    db: {
      name: "Repairs",
      schema: {
        fields: { bike: { type: "string", required: true }, due: "date", done: "boolean" },
        indexes: { idx_str_1: "bike" },
      },
      public_methods: { create: { allowed_fields: ["bike"] } },
    },
  });
  // The address may not be called, so its calls fail.
  await post("/connect/connectors.json", {
    connector: {
      name: "Bank of rates",
      url: "http://127.0.0.1:9/v1",
      secret_token: "a secret of nobody",
      fields: {
        auth: { type: "header", name: "X-Api-Key" },
        methods: {
          latest: { method: "GET", path: "/rates/{base}", query: { format: "json" }, public: true },
          order: { method: "POST", path: "/orders", headers: { "X-Version": "2" }, body: { amount: "{amount}" } },
        },
      },
    },
  });
  for (const [i, bike] of ["Tandem", "Cargo bike", "Gravel bike", "Folding bike"].entries()) {
    const data = { bike, due: `2026-12-0${i + 1}`, done: i % 2 === 0 };
    await post("/platform/dbs/repairs/records.json", { record: { data } });
  }
  const flows = [["Watch the exchange rate", "bank_of_rates", "0 * * * *"], [
    "Nightly stock letter",
    "mail",
    "0 18 * * MON-FRI",
  ]];
  for (const [name, connector_code, schedule] of flows) {
    const program = [
      { type: "mutation", set: { base: "EUR" } },
      { type: "connector", id: "rates", connector_code, method: "latest", params: { base: "{base}" } },
    ];
    const flow = await post("/connect/flows.json", {
      flow: { kind: "platform/custom_flow", name, fields: { program } },
    });
    await request("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
    await post("/account/crons.json", {
      cron: { target_code: flow.code, schedule, timezone: "Europe/Warsaw" },
    });
  }
  const program = [{ type: "approval", question: "Order new tyres for 120 EUR?", roles: ["admin"] }];
  const asking = await post("/connect/flows.json", { flow: { name: "Order tyres", fields: { program } } });
  await request("POST", `/connect/flows/${asking.id}/run.json`, { json: {} });
  await ask(request);
}

/** An agent that has made a database and asks whether it may delete it. */
async function ask(request: Request): Promise<void> {
  const headers: Record<string, string> = { accept: "application/json, text/event-stream" };
  const send = (method: string, params: unknown) =>
    request("POST", "/mcp", { json: { jsonrpc: "2.0", id: 1, method, params }, headers });
  const clientInfo = { name: "claude-code", version: "2.1.0" };
  const begun = await send("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  headers["mcp-session-id"] = begun.headers.get("mcp-session-id") ?? "";
  const call = (name: string, args: unknown) => send("tools/call", { name, arguments: args });
  await call("create", { kind: "db", value: { name: "Stock of 2019", schema: { fields: { part: "string" } } } });
  const records = ["Saddle", "Bell", "Chain"].map((part) => ({ part }));
  await call("create", { kind: "record", db_code: "stock_of_2019", records });
  await call("delete", { kind: "db", id: "stock_of_2019" });
}
