/** What a larger team has beside `fill`: for `deno task screenshots --state=full`. */
import { made } from "../stage/people.ts";
import type { Answer, Sent } from "../stage/harness.ts";

type Request = (method: string, path: string, sent?: Sent) => Promise<Answer>;

const SHOPS = ["Gdynia", "Łódź", "Wrocław", "Rotterdam", "Llanfairpwllgwyngyll"];
const CUSTOMERS = ["Ada Byron", "Bo Li", "Christiane Wiśniewska-Brzęczyszczykiewicz", "Dag Åkesson", "Ewa Nowak"];
const NOTES = [
  "Brakes squeal in the rain.\nCall before noon.",
  "",
  "New chain, new cassette, both wheels trued; the customer asks for the old parts.",
  "Loaner bike 14 is out until Friday.",
];
const ORDERS = 240;

const THINGS = [
  "Availability of loaner bikes",
  "Customer feedback",
  "Delivery windows of all suppliers, by region and weekday",
  "Frame numbers",
  "Gift cards",
  "Insurance",
  "Key boxes",
  "Mailing lists",
  "Opening hours",
  "Price lists",
  "Returns",
  "Stock counts",
];

/** A service that answers at once. @returns its address */
export function startService(): { host: string; close(): Promise<void> } {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.includes("closed")) return Response.json({ error: "The register is closed" }, { status: 409 });
    return Response.json({
      id: 4711,
      state: "accepted",
      items: [{ part: "Chain", price: 24.5, in_stock: true }, { part: "Saddle", price: 61, in_stock: false }],
      links: { self: request.url, next: null },
    });
  });
  return { host: `127.0.0.1:${server.addr.port}`, close: () => server.shutdown() };
}

/** A program with every kind of block. */
const program = [
  { type: "mutation", set: { limit: 100, shop: "Gdynia", paid: [], parts: ["chain", "saddle", "bell", "pump"] } },
  {
    type: "record",
    id: "open_orders",
    action: "list",
    db_code: "orders",
    filter: { paid: false, total: { gte: "{limit}" } },
    limit: 6,
  },
  {
    type: "transform",
    id: "dearest",
    name: "The dearest first",
    from: "{steps.open_orders.body}",
    sort: ["-item.total"],
    limit: 4,
  },
  {
    type: "for_each",
    id: "settle",
    items: "{parts}",
    as: "part",
    collect: true,
    steps: [
      {
        type: "connector",
        id: "register",
        connector_code: "warehouse_register",
        method: "reserve",
        params: { part: "{part}", shop: "{shop}" },
        retry: { attempts: 3, delay: 2 },
      },
      {
        type: "if",
        condition: '{part} == "bell"',
        then: [{ type: "mutation", append: { paid: "{part|upper}" } }],
        else: [{ type: "mutation", append: { paid: "{part}" } }],
      },
    ],
  },
  { type: "wait", seconds: 1 },
  {
    type: "code",
    id: "spread",
    source: "export default ({ paid }: { paid: string[] }) => {\n  console.log('sorted', paid.length);\n" +
      "  return { first: paid.toSorted()[0], count: paid.length };\n};",
  },
  {
    type: "switch",
    value: "{steps.spread.body.count}",
    cases: {
      0: [{ type: "fail", message: "No part was reserved in {shop}" }],
      4: [{ type: "mutation", set: { note: "All parts of {shop} are reserved" } }],
    },
    else: [{ type: "mutation", set: { note: "Some parts are missing" } }],
  },
  {
    type: "connector",
    id: "close",
    name: "Close the day at the register of the shop with the longest name of all",
    connector_code: "warehouse_register",
    method: "close_the_day",
    params: { shop: "{shop}" },
    on_error: "catch",
    catch: [{ type: "mutation", set: { note: "{steps.close.error}" } }],
  },
  { type: "mutation", disabled: true, set: { note: "" } },
  { type: "return", data: { note: "{note}", paid: "{paid}" } },
];

const input = {
  type: "object",
  properties: {
    shop: { enum: SHOPS, default: "Gdynia" },
    limit: { type: "number", minimum: 0, title: "Lowest total" },
    until: { type: "string", format: "date" },
    remind: { type: "boolean", default: true },
  },
  required: ["limit"],
};

export async function fillFull(request: Request, host: string): Promise<void> {
  const post = async (path: string, json: unknown) => made(await request("POST", path, { json }));
  await post("/platform/dbs.json", {
    db: {
      name: "Orders",
      schema: {
        fields: {
          customer: { type: "string", required: true },
          shop: "string",
          total: "number",
          pieces: "integer",
          paid: "boolean",
          ordered_at: "datetime",
          due: "date",
          pick_up: "time",
          note: "text",
          frame_number_of_the_bicycle: "string",
        },
        indexes: {
          idx_str_1: "customer",
          idx_str_2: "shop",
          idx_int_1: "pieces",
          idx_time_1: "ordered_at",
          idx_time_2: "due",
        },
      },
      public_methods: { create: { allowed_fields: ["customer", "note"], required_fields: ["customer"] } },
    },
  });
  const records = Array.from({ length: ORDERS }, (_, i) => ({
    customer: CUSTOMERS[i % CUSTOMERS.length],
    shop: SHOPS[i % SHOPS.length],
    total: i % 11 === 3 ? 10_482.75 + i : 12.5 + i,
    pieces: i % 7,
    paid: i % 3 === 0,
    ordered_at: new Date(Date.UTC(2026, 9, 1 + i % 50, 8 + i % 9, (i * 13) % 60)).toISOString(),
    due: i % 9 === 4 ? undefined : `2026-12-${String(1 + i % 28).padStart(2, "0")}`,
    pick_up: i % 4 === 1 ? undefined : `${String(9 + i % 9).padStart(2, "0")}:${i % 2 ? "30" : "00"}`,
    note: NOTES[i % NOTES.length] || undefined,
    frame_number_of_the_bicycle: `WBK-${(i * 7919 % 100_000).toString().padStart(5, "0")}`,
  }));
  for (let i = 0; i < records.length; i += 60) {
    const operations = records.slice(i, i + 60).map((data) => ({ action: "create", record: { data } }));
    await request("POST", "/platform/dbs/orders/records/batch.json", { json: { operations } });
  }
  await post("/platform/dbs.json", {
    db: {
      name: "Rental fleet",
      schema: {
        tables: {
          bikes: { fields: { frame: { type: "string", required: true }, bought: "date" }, indexed_fields: ["frame"] },
          rentals: {
            fields: { bike: "string", from: "datetime", until: "datetime", price: "number" },
            indexed_fields: ["bike", "from"],
          },
          damages_reported_by_customers: { fields: { bike: "string", note: "text" }, indexed_fields: [] },
        },
      },
    },
  });
  for (const name of THINGS) {
    await post("/platform/dbs.json", { db: { name, schema: { fields: { title: "string", note: "text" } } } });
  }
  const methods = {
    reserve: { method: "GET", path: "/parts/{part}", query: { shop: "{shop}" } },
    close_the_day: { method: "POST", path: "/closed/{shop}", body: { shop: "{shop}" } },
    ...Object.fromEntries(
      ["list", "read", "create", "update", "delete_all_reservations_of_a_shop"].map((name, i) => [
        name,
        { method: ["GET", "GET", "POST", "PATCH", "DELETE"][i], path: `/shops/{shop}/${name}` },
      ]),
    ),
  };
  const register = await post("/connect/connectors.json", {
    connector: { name: "Warehouse register", url: `http://${host}/v2`, fields: { auth: { type: "none" }, methods } },
  });
  for (const name of ["Accounting", "Mail", "Parcel service of the northern provinces", "Payments", "Text messages"]) {
    await post("/connect/connectors.json", {
      connector: {
        name,
        url: `http://${host}/${name.length}`,
        fields: { methods: { read: { method: "GET", path: "/state" } } },
      },
    });
  }
  for (let i = 0; i < 7; i++) {
    const method = i === 4 ? "close_the_day" : "reserve";
    await request("POST", `/connect/connectors/${register.id}/test.json`, {
      json: { method, params: { part: "chain", shop: "Gdynia" } },
    });
  }
  const weekly = await post("/connect/flows.json", {
    flow: { name: "Weekly settlement of orders", input, fields: { program } },
  });
  const run = (given: unknown) => request("POST", `/connect/flows/${weekly.id}/run.json`, { json: { input: given } });
  const { body: first } = await run({ limit: 100 });
  await run({ limit: 5000, shop: "Rotterdam" });
  await post(`/connect/flows/${weekly.id}/examples.json`, {
    run_id: first.flow_process_id,
    name: "All parts are in stock",
  });
  await request("PATCH", `/connect/flows/${weekly.id}.json`, {
    json: {
      flow: {
        lock_version: weekly.lock_version,
        fields: { program: program.map((step) => step.type === "wait" ? { ...step, seconds: 2 } : step) },
      },
    },
  });
  await run({ limit: 250 });
  for (const [i, name] of THINGS.entries()) {
    const asked = i % 4 === 0
      ? {
        type: "approval",
        question: `${name}: shall the ${i + 2} entries of last week be closed and their customers be told?`,
        choices: ["close", "reject", "ask again"],
        form: { note: { label: "A note for the workshop" }, days: { type: "number", label: "Days", required: true } },
        roles: ["admin"],
        within: 86_400 * (i + 1),
      }
      : { type: "mutation", set: { name } };
    const flow = await post("/connect/flows.json", {
      flow: { name: `Keep ${name[0]?.toLowerCase()}${name.slice(1)}`, active: i !== 5, fields: { program: [asked] } },
    });
    if (i !== 5) await request("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
    await post("/account/crons.json", {
      cron: i === 2
        ? { kind: "webhook", target_code: flow.code, webhook: { signature: "github", secret: "a secret of nobody" } }
        : i === 3
        ? {
          kind: "record",
          target_code: flow.code,
          record: { db_code: "orders", on: ["create", "update"], filter: { total: { gte: 1000 } } },
        }
        : {
          target_code: flow.code,
          schedule: ["*/15 7-19 * * MON-SAT", "30 6 1 * *", "0 */4 * * *", "10 22 * * *"][i % 4],
          timezone: ["Europe/Warsaw", "America/New_York", "UTC"][i % 3],
          active: i !== 6,
        },
    });
  }
}
