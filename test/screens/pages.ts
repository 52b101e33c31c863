/** The pages that `deno task screenshots` takes of the shell, apps, modules, departments, people, account and docs. */
import type { Page } from "../packages/playwright.ts";
import { ALL, at, first, type Screen } from "./screen.ts";

/** Discards the draft that was typed for a picture. */
const discard = async (page: Page) => {
  const { origin, pathname } = new URL(page.url());
  await page.goto(`${origin}/apps`);
  await page.context().request.delete(`${origin}/platform${pathname}/draft.json`, {
    headers: { "sec-fetch-site": "same-origin", origin },
  });
};

const APP = "/platform/apps.json?sort=name&per_page=1";
const DEPARTMENT = "/account/departments.json?per_page=1";

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
    prepare: (page) =>
      page.getByRole("button", { name: /^Version/ }).or(page.getByRole("link", { name: "Edit the code" })).first()
        .click(),
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
