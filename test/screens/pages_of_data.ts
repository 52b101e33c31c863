/** The pages that `deno task screenshots` takes of databases, connectors, flows, runs, triggers and operations. */
import { Buffer } from "node:buffer";
import type { Page } from "../packages/playwright.ts";
import { ALL, at, first, type Screen } from "./screen.ts";

/** The address of the first trigger of a kind. */
const ofKind = (kind: string, address: (id: string) => string) => async (page: Page, url: string): Promise<string> => {
  const headers = { "sec-fetch-site": "same-origin" };
  const list: { id: string; kind: string }[] =
    await (await page.context().request.get(`${url}/account/crons.json?per_page=100`, { headers })).json();
  return address(list.find((trigger) => trigger.kind === kind)?.id ?? "");
};

const CONNECTOR = "/connect/connectors.json?q=bank&per_page=1";
const TRIGGER = "/account/crons.json?per_page=1";
const FLOW = "/connect/flows.json?sort=-name&per_page=1";
const LONG_RUN = "/connect/flow_processes.json?flow_code=weekly_settlement_of_orders&per_page=1";
const FULL = ["full"] as const;

export const PAGES_OF_DATA: readonly Screen[] = [
  { name: "runs", path: at("/runs"), states: ALL },
  { name: "runs-none", path: at("/runs?input=nothing%3Dhas-this") },
  { name: "run", path: first("/connect/flow_processes.json?status=error", (id) => `/runs/${id}`) },
  { name: "approvals", path: at("/runs?tab=approvals"), states: ALL },
  { name: "triggers", path: at("/triggers"), states: ALL },
  { name: "trigger", path: first(TRIGGER, (id) => `/triggers/${id}`) },
  { name: "trigger-settings", path: first(TRIGGER, (id) => `/triggers/${id}?tab=settings`) },
  { name: "trigger-new", path: at("/triggers/new"), states: ALL },
  { name: "data", path: at("/data"), states: ALL },
  { name: "data-new", path: at("/data?new=1") },
  {
    name: "data-records",
    path: at(`/data/repairs/records?filter=${encodeURIComponent('[["bike","contains","a"]]')}&sort=-bike`),
    prepare: async (page) => {
      await page.locator("#cell-0-0").click();
      await page.keyboard.press("Shift+Space");
      await page.keyboard.press("Space");
      await page.getByRole("region", { name: "History" }).waitFor();
    },
  },
  { name: "data-record-new", path: at("/data/repairs/records?record=new") },
  { name: "data-schema", path: at("/data/repairs/schema") },
  { name: "data-public", path: at("/data/repairs/public") },
  { name: "data-api", path: at("/data/repairs/api") },
  { name: "flows", path: at("/flows"), states: ALL },
  { name: "flows-none", path: at("/flows?q=nothing+has+this+name") },
  { name: "flow-new", path: at("/flows?new=1") },
  { name: "flow", path: first(FLOW, (id) => `/flows/${id}`) },
  {
    name: "flow-step",
    path: first(FLOW, (id) => `/flows/${id}`),
    prepare: async (page) => {
      await page.getByRole("treeitem", { name: /^2 / }).dblclick();
      await page.getByRole("complementary", { name: /^Step / }).waitFor();
    },
  },
  {
    name: "flow-insert",
    path: first(FLOW, (id) => `/flows/${id}`),
    prepare: async (page) => {
      await page.getByRole("button", { name: /^Add a step/ }).click();
      await page.getByRole("combobox", { name: "Insert a step" }).waitFor();
    },
  },
  {
    name: "flow-json",
    path: first(FLOW, (id) => `/flows/${id}?view=json`),
    prepare: (page) => page.locator(".cm-content").waitFor(),
  },
  { name: "flow-diagram", path: first(FLOW, (id) => `/flows/${id}?view=diagram`) },
  {
    name: "flow-run",
    path: first(FLOW, (id) => `/flows/${id}`),
    prepare: (page) => page.getByRole("button", { name: "Run", exact: true }).click(),
  },
  ...["runs", "versions", "examples", "settings"].map((tab) => ({
    name: `flow-${tab}`,
    path: first(FLOW, (id) => `/flows/${id}?tab=${tab}`),
  })),
  { name: "data-orders", path: at("/data/orders/records"), states: FULL },
  {
    name: "data-order",
    path: at("/data/orders/records"),
    states: FULL,
    prepare: async (page) => {
      await page.locator("#cell-2-0").click();
      await page.keyboard.press("Space");
      await page.getByRole("region", { name: "History" }).waitFor();
    },
  },
  {
    name: "data-order-edit",
    path: at("/data/orders/records"),
    states: FULL,
    prepare: async (page) => {
      await page.locator("#cell-1-2").click();
      await page.keyboard.press("Enter");
    },
  },
  { name: "data-order-new", path: at("/data/orders/records?record=new"), states: FULL },
  {
    name: "data-filter",
    path: at("/data/orders/records"),
    states: FULL,
    prepare: (page) => page.getByRole("button", { name: "Filter", exact: true }).click(),
  },
  { name: "data-import", path: at("/data/orders/records?import=1"), states: FULL },
  { name: "data-orders-schema", path: at("/data/orders/schema"), states: FULL },
  {
    name: "data-orders-changed",
    path: at("/data/orders/schema"),
    states: FULL,
    prepare: async (page) => {
      await page.getByRole("textbox", { name: /^Name of/ }).first().fill("buyer");
      await page.getByRole("button", { name: /^(Remove|Delete) / }).last().click();
    },
  },
  { name: "data-tables-schema", path: at("/data/rental_fleet/schema"), states: FULL },
  { name: "data-tables", path: at("/data/rental_fleet"), states: FULL },
  { name: "data-orders-public", path: at("/data/orders/public"), states: FULL },
  { name: "data-orders-api", path: at("/data/orders/api"), states: FULL },
  {
    name: "flow-dry",
    path: first(FLOW, (id) => `/flows/${id}`),
    states: FULL,
    prepare: async (page) => {
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByRole("button", { name: "Dry run" }).click();
    },
  },
  { name: "run-long", path: first(LONG_RUN, (id) => `/runs/${id}`), states: FULL },
  { name: "run-step", path: first(LONG_RUN, (id) => `/runs/${id}?step=settle.1.register`), states: FULL },
  { name: "run-data", path: first(LONG_RUN, (id) => `/runs/${id}?tab=data`), states: FULL },
  {
    name: "runs-batch",
    path: at("/runs?status=error"),
    states: FULL,
    prepare: async (page) => {
      await page.getByRole("checkbox").nth(1).check();
      await page.getByRole("checkbox").nth(2).check();
    },
  },
  { name: "trigger-webhook", path: ofKind("webhook", (id) => `/triggers/${id}`), states: FULL },
  {
    name: "trigger-webhook-settings",
    path: ofKind("webhook", (id) => `/triggers/${id}?tab=settings`),
    states: FULL,
  },
  { name: "trigger-record", path: ofKind("record", (id) => `/triggers/${id}`), states: FULL },
  {
    name: "trigger-record-settings",
    path: ofKind("record", (id) => `/triggers/${id}?tab=settings`),
    states: FULL,
  },
  {
    name: "trigger-text",
    path: at("/triggers/new"),
    states: FULL,
    prepare: (page) => page.getByText("As text").click(),
  },
  {
    name: "trigger-new-webhook",
    path: at("/triggers/new"),
    states: FULL,
    prepare: (page) => page.getByText("When a webhook is called").click(),
  },
  {
    name: "trigger-new-record",
    path: at("/triggers/new"),
    states: FULL,
    prepare: (page) => page.getByText("When records change").click(),
  },
  {
    name: "connector-sent",
    path: first("/connect/connectors.json?q=warehouse&per_page=1", (id) => `/connectors/${id}`),
    states: FULL,
    prepare: async (page) => {
      await page.getByLabel("part", { exact: true }).fill("chain");
      await page.getByLabel("shop", { exact: true }).fill("Gdynia");
      await page.getByRole("button", { name: /^Send/ }).click();
      await page.getByText("accepted").first().waitFor();
    },
  },
  {
    name: "connector-used",
    path: first("/connect/connectors.json?q=warehouse&per_page=1", (id) => `/connectors/${id}?tab=health`),
    states: FULL,
  },
  {
    name: "trigger-day",
    path: first(TRIGGER, (id) => `/triggers/${id}`),
    states: FULL,
    prepare: (page) => page.getByRole("gridcell").or(page.locator(".failed")).first().click(),
  },
  {
    name: "trigger-fire",
    path: first(TRIGGER, (id) => `/triggers/${id}`),
    states: FULL,
    prepare: (page) => page.getByRole("button", { name: "Fire now" }).click(),
  },
  {
    name: "run-retry",
    path: first(LONG_RUN, (id) => `/runs/${id}?step=close`),
    states: FULL,
    prepare: (page) => page.getByRole("button", { name: /^Retry/ }).first().click(),
  },
  {
    name: "runs-batch-retry",
    path: at("/runs?status=error"),
    states: FULL,
    prepare: (page) => page.getByRole("button", { name: /^Retry all/ }).click(),
  },
  {
    name: "flow-version",
    path: first(FLOW, (id) => `/flows/${id}?tab=versions`),
    states: FULL,
    prepare: (page) => page.getByRole("button", { name: /^Version 1/ }).click(),
  },
  ...["Last run", "On error"].map((part) => ({
    name: `flow-step-${part.toLowerCase().replace(" ", "-")}`,
    path: first(FLOW, (id) => `/flows/${id}`),
    states: FULL,
    prepare: async (page: Page) => {
      await page.getByRole("treeitem", { name: /^5 / }).dblclick();
      await page.getByText(part, { exact: true }).click();
    },
  })),
  {
    name: "flow-step-tested",
    path: first(FLOW, (id) => `/flows/${id}`),
    states: FULL,
    prepare: async (page) => {
      await page.getByRole("treeitem", { name: /^10 / }).dblclick();
      await page.getByRole("button", { name: "Test this step" }).click();
    },
  },
  ...["All records", "Newest first", "11 of 13"].map((button) => ({
    name: `data-menu-${button.slice(0, 3).trim().toLowerCase()}`,
    path: at("/data/orders/records"),
    states: FULL,
    prepare: (page: Page) => page.getByRole("button", { name: button }).click(),
  })),
  {
    name: "data-import-columns",
    path: at("/data/orders/records?import=1"),
    states: FULL,
    prepare: async (page) => {
      const buffer = Buffer.from("customer,shop,sum,when\nAda,Gdynia,12.5,2026-11-03\nBo,,x,\n");
      await page.setInputFiles("input[type=file]", { name: "orders.csv", mimeType: "text/csv", buffer });
    },
  },
  {
    name: "data-orders-tried",
    path: at("/data/orders/public"),
    states: FULL,
    prepare: (page) => page.getByRole("button", { name: "Call list" }).click(),
  },
  {
    name: "connector-more",
    path: first(CONNECTOR, (id) => `/connectors/${id}`),
    states: FULL,
    prepare: (page) => page.getByRole("button", { name: "More", exact: true }).first().click(),
  },
  { name: "connectors", path: at("/connectors"), states: ALL },
  { name: "connectors-none", path: at("/connectors?q=no+such+connector") },
  { name: "connector-new", path: at("/connectors/new") },
  {
    name: "connector",
    path: first(CONNECTOR, (id) => `/connectors/${id}`),
    prepare: async (page) => {
      await page.getByLabel("base").fill("EUR");
      await page.getByRole("button", { name: /^Send/ }).click();
      await page.getByText("May not be called", { exact: true }).waitFor();
    },
  },
  { name: "connector-body", path: first(CONNECTOR, (id) => `/connectors/${id}?method=order`) },
  { name: "connector-connection", path: first(CONNECTOR, (id) => `/connectors/${id}?tab=connection`) },
  { name: "connector-health", path: first(CONNECTOR, (id) => `/connectors/${id}?tab=health`) },
  { name: "operations", path: at("/operations") },
  { name: "operations-log", path: at("/operations?tab=log") },
];
