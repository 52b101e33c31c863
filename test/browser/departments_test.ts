/** Departments and modules of the console in Chromium. */
import { Buffer } from "node:buffer";
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Browser, Page } from "../packages/playwright.ts";
import { browserTest } from "../stage/browser.ts";
import { startServer, type TestServer } from "../stage/harness.ts";
import { PNG } from "../stage/images.ts";
import { addPerson, made, restrictTo } from "../stage/people.ts";
import { until } from "../stage/until.ts";
import { choosesAmongMany } from "./choices.ts";
import { adminOf, seatOf } from "./seats.ts";

const BUILD_MS = 180_000;

browserTest("departments and modules in a browser", async ({ browser, step }) => {
  const server = await startServer();
  const base = server.listen();
  try {
    await until(
      async () => (await server.request("GET", "/departments")).status === 200,
      "the console is built",
      BUILD_MS,
    );
    await step(
      "an admin creates a department, gives it a logo and a person, and deletes it",
      () => keeps(browser, server, base),
    );
    await step("two admins save different fields of one department", () => merges(browser, server, base));
    await step("visibility is explained before it changes, and is taken back", () => restricts(browser, server, base));
    await step(
      "a manager of a department makes things that belong to it",
      () => makesWithin(browser, server, base),
    );
    await step(
      "what the server does not answer is shown when it is back",
      () => recovers(browser, server, base),
    );
    await step("one of many departments is found by keyboard", async () => {
      const seat = await adminSeat(browser, server, base);
      await choosesAmongMany(server, base, seat, unique("Branch"));
      await seat.close();
    });
    await step("j and k walk along every list, and Enter opens", () => walks(browser, server, base));
    await step("an app is put into a module, and shown on a page", () => places(browser, server, base));
  } finally {
    await server.close();
  }
});

/** Tall enough for the whole form. */
const LOOK = { viewport: { width: 1280, height: 900 } };

const adminSeat = async (browser: Browser, server: TestServer, base: string) =>
  await seatOf(browser, server, base, await adminOf(server), LOOK);

/**
 * A refused form; the logo in the mail footer: its address begins with the base URL, which no name server knows; a footer
 * that is replaced by another one while it loads.
 */
const EXPECTED = /422|NAME_NOT_RESOLVED|\/footer\.html\S* net::ERR_ABORTED/;
const FILE = Buffer.from(PNG);

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });

const unique = (name: string) => `${name} ${crypto.randomUUID().slice(0, 8)}`;

const addDepartment = async ({ request }: TestServer, name: string): Promise<number> =>
  made(await request("POST", "/account/departments.json", { json: { department: { name } } })).id;

async function keeps(browser: Browser, server: TestServer, base: string): Promise<void> {
  const name = unique("Workshop");
  const ada = unique("Ada");
  await addPerson(server.request, "user", { name: ada });
  const { page, complaints, close } = await adminSeat(browser, server, base);
  await page.goto(`${base}/departments`);
  await page.getByRole("link", { name: "New department" }).click();
  await field(page, "Shortcut").fill("W");
  await field(page, "E-mail").fill("not an address");
  await field(page, "Name").fill(name);
  await page.keyboard.press("Control+s");
  await page.getByText(/^E-mail (?!address)/).waitFor();
  equal(await field(page, "Name").inputValue(), name, "what was typed stays");
  await field(page, "E-mail").fill("workshop@example.com");
  await page.keyboard.press("Control+s");
  await page.getByText(`${name} was created`).waitFor();
  match(page.url(), /\/departments\/\d+$/);
  const id = Number(page.url().split("/").at(-1));
  const read = async () => (await server.request("GET", `/account/departments/${id}.json`)).body;

  await page.locator("input[type=file]").setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: FILE });
  await page.getByText("a.txt is not a PNG").waitFor();
  await page.locator("input[type=file]").setInputFiles({ name: "a.png", mimeType: "image/png", buffer: FILE });
  await page.getByAltText("The logo on a dark background").waitFor();
  ok((await read()).logo_url);
  const footer = page.frameLocator("iframe[title='Mail footer']");
  await footer.getByText("workshop@example.com").waitFor();
  await footer.locator("img[width='160']").waitFor();
  await page.getByRole("slider").fill("320");
  await footer.locator("img[width='320']").waitFor();
  await page.getByRole("button", { name: "Text", exact: true }).click();
  await page.getByText(`-- \n${name}`).waitFor();
  match(page.url(), /width=320&footer=text|footer=text&width=320/);

  await page.getByRole("link", { name: /^People/ }).last().click();
  await page.getByRole("button", { name: "Add the first person" }).click();
  // Enter picks what fits the words, even if that is not known yet.
  await page.keyboard.type(ada);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: ada }).waitFor();
  await page.getByRole("button", { name: `Remove ${ada} from the department` }).click();
  // A notice stays while the pointer is on it.
  await page.getByText(`${ada} no longer belongs to`).hover();
  await page.getByText("Nobody belongs to").waitFor();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await page.getByRole("link", { name: ada }).waitFor();
  equal((await read()).user_setting_ids.length, 1);

  await page.getByRole("link", { name: "Department", exact: true }).click();
  await page.getByRole("button", { name: "Delete the department" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 person loses it, its only one.").waitFor();
  const confirm = dialog.getByRole("button", { name: "Delete", exact: true });
  ok(await confirm.isDisabled());
  await dialog.getByLabel(/Type the name/).fill(name);
  await confirm.click();
  await page.getByText(`${name} was deleted`).waitFor();
  equal((await server.request("GET", `/account/departments/${id}.json`)).status, 404);
  deepEqual(complaints.filter((text) => !EXPECTED.test(text)), []);
  await close();
}

async function merges(browser: Browser, server: TestServer, base: string): Promise<void> {
  const id = await addDepartment(server, unique("Shared"));
  const change = (department: Record<string, unknown>) =>
    server.request("PATCH", `/account/departments/${id}.json`, { json: { department } });
  const { page, close } = await adminSeat(browser, server, base);
  await page.goto(`${base}/departments/${id}`);
  await field(page, "Phone").fill("111");
  await change({ shortcut: "S" });
  await page.keyboard.press("Control+s");
  await page.getByText("Saved", { exact: true }).waitFor();
  equal(await field(page, "Shortcut").inputValue(), "S");
  await field(page, "Phone").fill("222");
  await change({ phone: "333" });
  await page.reload();
  await page.getByText("Changed meanwhile to “333”.").waitFor();
  equal(await field(page, "Phone").inputValue(), "222", "a draft survives a reload");
  await change({ phone: "444" });
  await page.keyboard.press("Control+s");
  await page.getByText("Changed meanwhile to “444”.").waitFor();
  await page.getByRole("button", { name: "Use it" }).click();
  equal(await field(page, "Phone").inputValue(), "444");
  await close();
}

async function restricts(browser: Browser, server: TestServer, base: string): Promise<void> {
  const mode = async () => (await server.request("GET", "/account.json")).body.departments.mode;
  await server.request("PATCH", "/account.json", { json: { account: { departments: { mode: "open" } } } });
  const { page, close } = await adminSeat(browser, server, base);
  await page.goto(`${base}/departments`);
  await page.getByRole("button", { name: /^Open: everyone/ }).click();
  await page.getByRole("radio", { name: /^Restricted/ }).check();
  await page.getByText("with marker").waitFor();
  equal(await mode(), "open", "the explanation changes nothing");
  await page.getByRole("button", { name: "Restrict visibility" }).click();
  await page.getByText("Visibility is restricted").waitFor();
  equal(await mode(), "restricted");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Visibility is open").waitFor();
  equal(await mode(), "open");
  await close();
}

async function makesWithin(browser: Browser, server: TestServer, base: string): Promise<void> {
  const [department_id = 0] = await restrictTo(server.request, unique("Foundry"));
  const { id } = await addPerson(server.request, "manager", {
    department_ids: [department_id],
    without_department: false,
  });
  const { page, complaints, close } = await seatOf(browser, server, base, id);
  const name = unique("Castings");
  for (const [path, title] of [["data", "New database"], ["flows", "New flow"]]) {
    await page.goto(`${base}/${path}?new=1`);
    const dialog = page.getByRole("dialog", { name: title });
    await dialog.getByLabel("Name", { exact: true }).fill(name);
    await dialog.getByRole("button", { name: "Create", exact: true }).click();
    await page.waitForURL(new RegExp(`/${path}/\\w+`));
  }
  await page.goto(`${base}/connectors/new`);
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Address").fill("https://api.example.com");
  await page.keyboard.press("Control+s");
  await page.waitForURL(/connectors\/\d+/);
  await page.goto(`${base}/triggers/new`);
  await page.getByLabel("Flow", { exact: true }).selectOption({ index: 1 });
  await page.getByRole("button", { name: "Make the trigger" }).click();
  await page.waitForURL(/triggers\/\d+/);
  for (const list of ["platform/dbs", "connect/flows", "connect/connectors", "account/crons"]) {
    const { body } = await server.request("GET", `/${list}.json?sort=-created_at`);
    equal(body[0].department_id, department_id, list);
  }
  deepEqual(complaints, []);
  await server.request("PATCH", "/account.json", { json: { account: { departments: { mode: "open" } } } });
  await close();
}

async function walks(browser: Browser, server: TestServer, base: string): Promise<void> {
  const { page, close } = await adminSeat(browser, server, base);
  await server.request("POST", "/platform/dbs.json", { json: { db: { name: unique("Walk") } } });
  await addApp(server, { name: unique("Walk") });
  for (const path of ["apps", "apps?view=list", "data", "connectors", "departments"]) {
    await page.goto(`${base}/${path}`);
    const list = page.locator(".body").first();
    await list.locator("a[href]:not([tabindex])").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    const focused = list.locator("a:focus");
    const href = await focused.getAttribute("href");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}${href}`);
  }
  await close();
}

/** A page whose chunk is not loaded, and one whose data is not loaded. */
async function recovers(browser: Browser, server: TestServer, base: string): Promise<void> {
  const name = unique("Away");
  const id = await addDepartment(server, name);
  const { page, close } = await adminSeat(browser, server, base);
  // The mark stands on the page until its script has come.
  const script = Promise.withResolvers<void>();
  await page.route(/\/console\/main-/, async (route) => {
    await script.promise;
    await route.continue();
  });
  await page.goto(`${base}/people`, { waitUntil: "commit" });
  const mark = page.getByRole("img", { name: "The console is loading" });
  await mark.waitFor();
  script.resolve();
  await page.getByRole("columnheader", { name: "Departments" }).waitFor();
  equal(await mark.count(), 0);
  const gone = page.getByText("The server does not answer. What you typed is kept; this page continues");
  const away = async (work: () => Promise<void>) => {
    await page.context().route("**/*", (route) => route.abort("connectionrefused"));
    await work();
    await gone.waitFor();
    await page.context().unroute("**/*");
    await gone.waitFor({ state: "detached" });
  };
  const menu = page.getByRole("navigation", { name: "Main" });
  // After an address without a page, the page before it does not come back while the next page's chunk is loaded.
  const chunk = Promise.withResolvers<void>();
  await page.route(/\/console\/.*\.js/, async (route) => {
    await chunk.promise;
    await route.continue();
  });
  const nowhere = page.getByText("There is no page at this address.");
  await page.evaluate(`history.pushState(null, "", "/apps/new/nothing"); dispatchEvent(new PopStateEvent("popstate"))`);
  await nowhere.waitFor();
  await menu.getByRole("link", { name: "Flows" }).click();
  await nowhere.waitFor({ state: "detached" });
  equal(await page.getByRole("columnheader", { name: "Departments" }).count(), 0);
  chunk.resolve();
  await page.getByRole("heading", { name: "Flows" }).waitFor();
  await page.unroute(/\/console\/.*\.js/);
  await menu.getByRole("link", { name: "People" }).click();
  await page.getByRole("columnheader", { name: "Departments" }).waitFor();
  await away(async () => {
    await menu.getByRole("link", { name: "Departments" }).click();
    await page.getByText("This page could not be loaded.").waitFor();
  });
  await page.getByRole("link", { name }).waitFor();
  // Chromium may have loaded the whole console again: both chunks are loaded now.
  await menu.getByRole("link", { name: "People" }).click();
  await page.getByRole("columnheader", { name: "Departments" }).waitFor();
  await menu.getByRole("link", { name: "Departments" }).click();
  await page.getByRole("link", { name }).waitFor();
  await away(async () => {
    await menu.getByRole("link", { name: "People" }).click();
    await page.getByRole("alert").getByText("The server does not answer.").waitFor();
  });
  await page.getByRole("columnheader", { name: "Departments" }).waitFor();
  await page.getByRole("link", { name: /^Teams \d/ }).waitFor();
  const found = page.getByRole("dialog").getByRole("option", { name });
  await away(async () => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or run a command" }).fill(name);
    await page.getByRole("dialog").getByText("The server does not answer.").waitFor();
  });
  await found.waitFor();
  await page.keyboard.press("Escape");
  // What is shown stays, and what another person changes appears.
  await page.goto(`${base}/departments/${id}`);
  await field(page, "Phone").fill("111");
  await server.request("PATCH", `/account/departments/${id}.json`, {
    json: { department: { shortcut: "AW", phone: "222" } },
  });
  await away(async () => {
    await page.keyboard.press("Control+s");
    await page.getByText("The server does not answer. What you typed is kept.", { exact: true }).waitFor();
  });
  await page.getByText("Changed meanwhile to “222”.").waitFor();
  equal(await page.getByText("What you typed is kept.").count(), 0, "the notice goes with its reason");
  deepEqual([await field(page, "Shortcut").inputValue(), await field(page, "Phone").inputValue()], ["AW", "111"]);
  await close();
}

async function addApp({ request }: TestServer, fields: Record<string, unknown>): Promise<string> {
  const app = { app_engine: "html", css_engine: "none", source_code: "<h1>Hello from the app</h1>", ...fields };
  return made(await request("POST", "/platform/apps.json", { json: { app } })).id;
}

async function places(browser: Browser, server: TestServer, base: string): Promise<void> {
  // An earlier attempt's apps would stand in the same places.
  for (const { id } of (await server.request("GET", "/platform/apps.json")).body) {
    await server.request("DELETE", `/platform/apps/${id}.json`);
  }
  const name = unique("Shelf");
  const id = await addApp(server, { name });
  const beside = unique("Beside");
  await addApp(server, { name: beside, show_in_module: "contacts/show" });
  const { page, complaints, close } = await adminSeat(browser, server, base);
  await page.goto(`${base}/modules`);
  await page.getByRole("main").getByRole("link", { name: "Drive" }).click();
  await page.getByRole("button", { name: "Add an app" }).click();
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await page.frameLocator(`iframe[title='${name}']`).getByText("Hello from the app").waitFor();
  equal((await server.request("GET", `/platform/apps/${id}.json`)).body.show_in_module, "drive");
  const menu = page.getByRole("navigation", { name: "Modules" });
  await menu.getByRole("link", { name: "contacts/show" }).click();
  match(page.url(), /\/modules\/crm\?page=contacts\/show$/);
  await page.frameLocator(`iframe[title='${beside}']`).getByText("Hello from the app").waitFor();
  await page.goBack();
  await page.frameLocator(`iframe[title='${name}']`).getByText("Hello from the app").waitFor();
  deepEqual(complaints, []);
  await close();
  // Guests open what stands there, and may not add.
  const guest = await addPerson(server.request, "guest");
  const other = await seatOf(browser, server, base, guest.id, LOOK);
  await other.page.goto(`${base}/modules/drive`);
  await other.page.frameLocator(`iframe[title='${name}']`).getByText("Hello from the app").waitFor();
  equal(await other.page.getByRole("button", { name: "Add an app" }).count(), 0);
  deepEqual(other.complaints, []);
  await other.close();
}
