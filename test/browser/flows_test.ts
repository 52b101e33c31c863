/**
 * The specification's example in Chromium: an app with a button, whose action runs a flow that fetches a rate, saves it
 * as a record, compares it with a threshold and returns.
 */
import { deepEqual, equal, match } from "node:assert/strict";
import type { Page } from "../packages/playwright.ts";
import { made } from "../stage/people.ts";
import { startStage } from "../flow/flow_stage.ts";
import { browserTest, complaintsOf } from "../stage/browser.ts";
import { until } from "../stage/until.ts";

const APP = `<script>
  import { action, db } from "platform";

  let shown = $state({ kind: "idle" });
  let prices = $state([]);

  async function refresh() {
    shown = { kind: "pending" };
    try {
      shown = { kind: "result", ...await action("refresh", { base: "USD" }) };
      prices = await db().list();
    } catch (error) {
      shown = { kind: "failed", message: error.message };
    }
  }
</script>

<main class="p-8">
  <h1 class="text-xl font-bold">Rate watch</h1>
  <button class="rounded bg-sky-700 px-4 py-2 text-white" onclick={refresh} disabled={shown.kind === "pending"}>
    Fetch the rate
  </button>
  <p role="status">
    {#if shown.kind === "pending"}Asking…
    {:else if shown.kind === "result"}{shown.base} {shown.price}{shown.high ? ", too high" : ""}
    {:else if shown.kind === "failed"}Failed: {shown.message}{/if}
  </p>
  <ul>{#each prices as price (price.id)}<li>{price.day}: {price.price}</li>{/each}</ul>
</main>
`;

const PROGRAM = [
  { type: "mutation", id: "start", set: { base: "EUR", limit: 4.5 } },
  { type: "connector", id: "rates", connector_code: "fx", method: "latest", params: { base: "{base}" } },
  { type: "mutation", id: "pick", set: { price: "{json_object.rates.0.mid}" } },
  {
    type: "record",
    id: "save",
    action: "upsert",
    db_code: "prices",
    match: { day: "{run.date}" },
    data: { price: "{price}" },
  },
  {
    type: "if",
    id: "high",
    condition: { left: "{price}", operator: "gt", right: "{limit}" },
    then: [{ type: "return", data: { base: "{base}", price: "{price}", high: true } }],
  },
  { type: "return", data: { base: "{base}", price: "{price}", high: false } },
];

const shows = (page: Page, text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();

browserTest(
  "an app's button runs a flow in a browser: pending, the result, and an error when the API is down",
  async ({ browser }) => {
    await using stage = await startStage({ ACTION_WAIT_MS: "100" });
    const { server, api } = stage;
    const { request } = server;
    const methods = { latest: { method: "GET", path: "/rates/{base}", public: true } };
    const connector = { kind: "platform/custom_connector", code: "fx", name: "Rates", url: api.origin };
    made(
      await request("POST", "/connect/connectors.json", {
        json: { connector: { ...connector, fields: { auth: { type: "none" }, methods } } },
      }),
    );
    const schema = { fields: { day: "date", price: "number" }, indexes: { idx_str_1: "day" } };
    const db = { name: "Prices", code: "prices", schema, public_methods: { list: {} } };
    made(await request("POST", "/platform/dbs.json", { json: { db } }));
    const flow = { kind: "platform/custom_flow", code: "watch", name: "Watch", fields: { program: PROGRAM } };
    deepEqual(made(await request("POST", "/connect/flows.json", { json: { flow } })).warnings, {});
    const app = { name: "Rate watch", url_code: "rates", db_code: "prices", public: true, source_code: APP };
    const actions = [{ action: "refresh", flow_code: "watch", public: true }];
    made(await request("POST", "/platform/apps.json", { json: { app: { ...app, actions } } }));

    let answer = (_mid: number) => {};
    api.answers.set(
      "/rates/USD",
      () => new Promise((resolve) => answer = (mid) => resolve(Response.json({ rates: [{ mid }] }))),
    );
    const page = await browser.newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${server.listen()}/a/rates`);
    equal(await page.evaluate("self.origin"), "null", "in the sandbox");
    const button = page.getByRole("button", { name: "Fetch the rate" });

    await button.click();
    await shows(page, "Asking…");
    equal(await button.isDisabled(), true);
    await until(() => api.count("/rates/USD") === 1, "the API is called");
    answer(4.2);
    await shows(page, "USD 4.2");
    match(await page.locator("li").innerText(), /^\d{4}-\d\d-\d\d: 4\.2$/);

    await button.click();
    await shows(page, "Asking…");
    await until(() => api.count("/rates/USD") === 2, "the API is called again");
    answer(4.7);
    await shows(page, "USD 4.7, too high");
    equal(await page.locator("li").count(), 1, "the day's record is changed, not doubled");

    api.answers.set("/rates/USD", () => new Response("down", { status: 503 }));
    await button.click();
    await shows(page, "Failed: rates: ");
    match(await page.getByRole("status").innerText(), /503/);
    deepEqual(complaints, []);
  },
);
