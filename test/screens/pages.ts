/** The pages of the console that `deno task screenshots` takes. */
import { Buffer } from "node:buffer";
import type { Page } from "../packages/playwright.ts";

interface Screen {
  /** Of its files. */
  name: string;
  /** Its address, perhaps of something that the API lists; empty if it has none. */
  path: (page: Page, url: string) => string | Promise<string>;
  /** The states of the account that have it: small and full unless given. */
  states?: readonly ("empty" | "small" | "full")[];
  /** What a person does before the picture is taken. */
  prepare?: (page: Page) => Promise<void>;
  /** What a person does after it, where the next picture would show it otherwise. */
  leave?: (page: Page) => Promise<void>;
  /** Seen without a session. */
  signed_out?: true;
}

const at = (path: string) => () => path;

/** The address of the first item of a list of the API. */
const first = (list: string, address: (id: string) => string) => async (page: Page, url: string): Promise<string> => {
  const headers = { "sec-fetch-site": "same-origin" };
  const [item] = await (await page.context().request.get(url + list, { headers })).json();
  return item ? address(item.id) : "";
};

/** Discards the draft that was typed for a picture. */
const discard = async (page: Page) => {
  const { origin, pathname } = new URL(page.url());
  await page.goto(`${origin}/apps`);
  await page.context().request.delete(`${origin}/platform${pathname}/draft.json`, {
    headers: { "sec-fetch-site": "same-origin", origin },
  });
};

/** The address of the first trigger of a kind. */
const ofKind = (kind: string, address: (id: string) => string) => async (page: Page, url: string): Promise<string> => {
  const headers = { "sec-fetch-site": "same-origin" };
  const list: { id: string; kind: string }[] =
    await (await page.context().request.get(`${url}/account/crons.json?per_page=100`, { headers })).json();
  return address(list.find((trigger) => trigger.kind === kind)?.id ?? "");
};

const APP = "/platform/apps.json?sort=name&per_page=1";
const CONNECTOR = "/connect/connectors.json?q=bank&per_page=1";
const TRIGGER = "/account/crons.json?per_page=1";
const FLOW = "/connect/flows.json?sort=-name&per_page=1";
const LONG_RUN = "/connect/flow_processes.json?flow_code=weekly_settlement_of_orders&per_page=1";
const DEPARTMENT = "/account/departments.json?per_page=1";

const ALL = ["empty", "small", "full"] as const;
const FULL = ["full"] as const;

export const PAGES: readonly Screen[] = [
  { name: "sign-in", path: at("/sign_in"), signed_out: true },
  {
    name: "sign-in-refused",
    path: at("/sign_in"),
    signed_out: true,
    prepare: async (page) => {
      await page.fill("[name=login]", "ines");
      await page.fill("[name=password]", "not the password");
      await page.click("form button");
      await page.getByRole("alert").waitFor();
    },
  },
  { name: "password-reset", path: at("/password_reset?token=ended"), signed_out: true },
  { name: "invitation-ended", path: at("/invitation?token=ended"), signed_out: true },
  { name: "home", path: at("/"), states: ALL },
  {
    name: "home-arrange",
    path: at("/"),
    prepare: (page) => page.getByRole("button", { name: "Arrange" }).click(),
  },
  { name: "none", path: at("/apps/new/nothing") },
  { name: "shortcuts", path: at("/departments"), prepare: (page) => page.keyboard.press("?") },
  {
    name: "menu",
    path: at("/departments"),
    prepare: (page) =>
      page.getByRole("button", { name: /^More$|Your menu/ }).or(page.locator(".me")).filter({ visible: true }).first()
        .click(),
  },
  {
    name: "offline",
    path: at("/people"),
    prepare: async (page) => {
      await page.route("**/*", (route) => route.abort());
      await page.getByLabel("Filter", { exact: true }).first().fill("a");
      await page.getByText("does not answer.").first().waitFor();
    },
    leave: (page) => page.unrouteAll(),
  },
  {
    name: "notice",
    path: first("/account/user_settings.json?sort=-id&per_page=1", (id) => `/people?person=${id}`),
    prepare: async (page) => {
      await page.getByRole("button", { name: "Deactivate" }).click();
      await page.getByText("is inactive and signed out").waitFor();
    },
    leave: (page) => page.getByRole("button", { name: "Undo" }).click(),
  },
  { name: "apps", path: at("/apps"), states: ALL },
  { name: "apps-list", path: at("/apps?view=list") },
  { name: "apps-none", path: at("/apps?q=nothing+has+this+name") },
  { name: "apps-new", path: at("/apps/new") },
  { name: "app", path: first(APP, (id) => `/apps/${id}`) },
  {
    name: "app-weight",
    path: first(APP, (id) => `/apps/${id}`),
    prepare: async (page) => {
      await page.getByRole("tab", { name: /^Weight/ }).or(page.getByRole("button", { name: /^Weight/ })).first()
        .click();
    },
  },
  { name: "app-settings", path: first(APP, (id) => `/apps/${id}?tab=settings`) },
  { name: "app-actions", path: first(APP, (id) => `/apps/${id}?tab=actions`) },
  { name: "app-database", path: first(APP, (id) => `/apps/${id}?tab=database`) },
  {
    name: "app-share",
    path: first(APP, (id) => `/apps/${id}`),
    prepare: (page) => page.getByRole("button", { name: "Share", exact: true }).click(),
  },
  {
    name: "app-mistake",
    path: first(APP, (id) => `/apps/${id}`),
    prepare: async (page) => {
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+Home");
      await page.keyboard.type("<p>{#if</p>");
      await page.getByRole("alert").first().waitFor();
    },
    leave: discard,
  },
  { name: "app-versions", path: first(APP, (id) => `/apps/${id}?tab=versions`) },
  {
    name: "app-version",
    path: first(APP, (id) => `/apps/${id}?tab=versions`),
    prepare: (page) => page.getByRole("button", { name: /^Version|^Edit the code/ }).first().click(),
  },
  {
    name: "app-conflict",
    path: first(APP, (id) => `/apps/${id}`),
    prepare: async (page) => {
      const { pathname, origin } = new URL(page.url());
      const { request } = page.context();
      const headers = { "sec-fetch-site": "same-origin" };
      const address = `${origin}/platform${pathname}.json`;
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+Home");
      await page.keyboard.type("// Mine\n");
      const { source_code, lock_version } = await (await request.get(address, { headers })).json();
      const data = { app: { source_code: `// Theirs\n${source_code}`, lock_version } };
      await request.patch(address, { headers, data });
      await page.keyboard.press("Control+s");
      await page.getByText("Another person has").first().waitFor();
    },
    leave: discard,
  },
  {
    name: "app-action",
    path: first(APP, (id) => `/apps/${id}?tab=actions`),
    prepare: (page) => page.getByRole("button", { name: /^Add/ }).first().click(),
  },
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
  { name: "modules", path: at("/modules") },
  { name: "module", path: at("/modules/crm") },
  { name: "module-empty", path: at("/modules/kb") },
  { name: "module-page", path: at("/modules/organize?page=tasks/index") },
  { name: "departments", path: at("/departments") },
  { name: "departments-visibility", path: at("/departments?show=visibility") },
  { name: "department-new", path: at("/departments/new") },
  { name: "department", path: first(DEPARTMENT, (id) => `/departments/${id}`) },
  {
    name: "department-delete",
    path: first(DEPARTMENT, (id) => `/departments/${id}`),
    prepare: (page) => page.getByRole("button", { name: "Delete the department" }).click(),
  },
  { name: "department-html", path: first(DEPARTMENT, (id) => `/departments/${id}?footer=html`) },
  { name: "department-people", path: first(DEPARTMENT, (id) => `/departments/${id}?tab=people`) },
  { name: "department-mailboxes", path: first(DEPARTMENT, (id) => `/departments/${id}?tab=mailboxes`) },
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
  { name: "people", path: at("/people") },
  { name: "person", path: first("/account/user_settings.json?sort=-id&per_page=1", (id) => `/people?person=${id}`) },
  { name: "person-edit", path: first("/account/user_settings.json?per_page=1", (id) => `/people?person=${id}&edit=1`) },
  {
    name: "person-rules",
    path: first("/account/user_settings.json?sort=-id&per_page=1", (id) => `/people?person=${id}`),
    prepare: (page) => page.getByRole("button", { name: "Show the rule for each" }).click(),
  },
  {
    name: "person-viewed",
    path: first("/account/user_settings.json?sort=-id&per_page=1", (id) => `/people?person=${id}`),
    prepare: async (page) => {
      await page.getByRole("button", { name: /^View as/ }).click();
      await page.getByRole("button", { name: "Stop" }).waitFor();
    },
    leave: async (page) => {
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    },
  },
  { name: "people-none", path: at("/people?q=nobody+has+this+name") },
  { name: "invite", path: at("/people?invite=1") },
  { name: "invitations", path: at("/people?tab=invitations") },
  { name: "teams", path: at("/people?tab=teams") },
  { name: "team", path: first("/account/teams.json?per_page=1", (id) => `/people?tab=teams&entry=${id}`) },
  { name: "team-new", path: at("/people?tab=teams&new=1") },
  { name: "groups", path: at("/people?tab=groups") },
  { name: "mailboxes", path: at("/people?tab=mailboxes") },
  { name: "mailbox", path: first("/account/mailboxes.json?per_page=1", (id) => `/people?tab=mailboxes&entry=${id}`) },
  { name: "operations", path: at("/operations") },
  { name: "operations-log", path: at("/operations?tab=log") },
  { name: "profile", path: at("/profile") },
  ...["", "/tokens", "/agents", "/sign_in", "/embedding", "/limits", "/audit", "/about"].map((part) => ({
    name: `account${part.replace("/", "-")}`,
    path: at(`/account${part}`),
  })),
  {
    name: "agents-undo",
    path: at("/account/agents"),
    prepare: async (page: Page) => {
      await page.getByRole("button", { name: /^Undo what/ }).click();
      await page.getByText("Stock of 2019", { exact: true }).waitFor();
    },
  },
  {
    name: "token-new",
    path: at("/account/tokens"),
    prepare: (page: Page) => page.getByRole("button", { name: "New token" }).click(),
  },
  { name: "docs", path: at("/docs") },
  { name: "docs-page", path: at("/docs/flows") },
  { name: "docs-tables", path: at("/docs/running") },
  { name: "docs-audit", path: at("/docs/audit") },
  { name: "docs-search", path: at("/docs?q=visitor+cookie") },
  { name: "docs-api", path: at("/docs/api") },
  { name: "docs-operation", path: at("/docs/api?operation=departments.create") },
  {
    name: "docs-try",
    path: at("/docs/api?operation=apps.list&try=1"),
    prepare: async (page) => {
      await page.getByRole("button", { name: /^Send/ }).click();
      await page.getByText("200 OK").waitFor();
    },
  },
  { name: "palette", path: at("/"), prepare: (page) => page.keyboard.press("Control+k") },
  {
    name: "palette-found",
    path: at("/"),
    prepare: async (page) => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("wor");
      await page.getByRole("option").first().waitFor();
    },
  },
];
