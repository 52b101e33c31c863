/** Journeys through the console in Chromium. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Browser, Page } from "../packages/playwright.ts";
import { browserTest } from "../stage/browser.ts";
import { ADMIN_PASSWORD, ADMIN_TOKEN, startServer, type TestServer } from "../stage/harness.ts";
import { keepConsole } from "../stage/console.ts";
import { adminPlace, ask, launch, stop } from "../stage/launch.ts";
import { freePort } from "../stage/network/ports.ts";
import { until } from "../stage/until.ts";
import { addPerson, made } from "../stage/people.ts";
import {
  adminOf,
  draftOf,
  draftSaved,
  pasteText,
  preview,
  seat,
  seatOf,
  selectText,
  sourceOf,
  write,
} from "./seats.ts";

const GREETING = `<p>Hello from the first version</p>`;

browserTest("the console in a browser", async ({ browser, step }) => {
  const server = await startServer();
  await server.console.prepare();
  const base = server.listen();
  try {
    await step("a member signs in, makes an app and publishes a change", () => publishes(browser, base));
    await step(
      "a mistake is shown at its line, the preview stays, the draft survives",
      () => mistakes(browser, server, base),
    );
    await step("two people change one source: both changes are merged", () => merges(browser, server, base));
    await step("another engine is part of the draft until it is published", () => engines(browser, server, base));
    await step(
      "names of the platform and of the database are completed and explained",
      () => completes(browser, server, base),
    );
    await step("one person types in two tabs", () => twoTabs(browser, server, base));
    await step("the server is killed and started again during an edit: nothing typed is lost", () => restarts(browser));
    await step("a session ends during an edit: signing in continues the save", () => expires(browser, server, base));
    await step("versions are compared and restored", () => restores(browser, server, base));
    await step("a board is built with keys alone", () => boards(browser, server, base));
    await step("a user reads and a guest opens", () => reads(browser, server, base));
  } finally {
    await server.close();
  }
});

async function addApp({ request }: TestServer, name: string): Promise<string> {
  const app = { name, app_engine: "svelte", css_engine: "none", source_code: GREETING, dashboard_widget: true };
  return made(await request("POST", "/platform/apps.json", { json: { app } })).id;
}

async function publishes(browser: Browser, base: string): Promise<void> {
  const { page, complaints, close } = await seat(browser);
  const name = `Errands ${crypto.randomUUID().slice(0, 8)}`;
  await page.goto(`${base}/apps/new`);
  await signIn(page);
  await page.getByLabel("Name").fill(name);
  const address = name.toLowerCase().replace(" ", "-");
  await until(async () => await page.getByLabel("Address").inputValue() === address, "the address follows the name");
  await page.getByRole("button", { name: "HTML", exact: true }).click();
  await page.getByRole("button", { name: /^Board/ }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^Form/ }).waitFor();
  await page.getByRole("button", { name: "All", exact: true }).click();
  // The first template is the blank page.
  await page.getByLabel("Name").press("Enter");
  await page.getByRole("tab", { name: "Code" }).waitFor();
  await preview(page).locator("body *").first().waitFor();
  await write(page, `<h1>Errands of today</h1>`);
  await preview(page).getByRole("heading", { name: "Errands of today" }).waitFor();
  await page.keyboard.press("Control+s");
  await page.getByText(/^Published in \d+ ms$/).waitFor();
  ok(await page.getByRole("button", { name: "Publish" }).isDisabled());
  // The palette leads back to it from anywhere.
  await page.getByRole("link", { name: "Home", exact: true }).first().click();
  await page.getByRole("heading", { name: "Recently edited" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type(name.toLowerCase());
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name, exact: true }).waitFor();
  match(page.url(), /\/apps\/[0-9a-f-]{36}$/);
  deepEqual(complaints.filter(unexpected), []);
  await close();
}

/** A source with a mistake is answered with 422. */
const unexpected = (text: string) => !/status of 422/.test(text);

async function mistakes(browser: Browser, server: TestServer, base: string): Promise<void> {
  const id = await addApp(server, "Faulty");
  const { page, complaints, close } = await seatOf(browser, server, base, await adminOf(server));
  await page.goto(`${base}/apps/${id}`);
  await preview(page).getByText("Hello from the first version").waitFor();
  await write(page, "<p>one</p>\n{#if true}\n<p>two</p>");
  const mistake = page.getByRole("alert").getByRole("button").first();
  await mistake.waitFor();
  match(await mistake.innerText(), /line \d/);
  match(await page.locator(".cm-line", { hasText: "#if true" }).locator(".cm-said").innerText(), /left open/);
  await preview(page).getByText("Hello from the first version").waitFor();
  await draftSaved(page);
  await page.evaluate("localStorage.clear()");
  await page.reload();
  await draftSaved(page);
  match(await page.locator(".cm-content").innerText(), /#if true/);
  await page.getByText("The draft has a mistake. This is the published version.").waitFor();
  await preview(page).getByText("Hello from the first version").waitFor();
  equal(await sourceOf(server, id), GREETING, "a draft is not live");
  await write(page, "<p>one</p>\n{#if true}<p>mended</p>{/if}");
  await preview(page).getByText("mended").waitFor();
  await page.keyboard.press("Control+s");
  await page.getByText(/^Published in/).waitFor();
  await page.getByText("Draft saved").waitFor({ state: "detached" });
  await until(async () => await draftOf(server, id) === undefined, "the draft is discarded");
  match(await sourceOf(server, id), /mended/);
  // What the page says is shown with the author's lines.
  await write(page, "<script>\nconsole.log('from the page');\n</script>\n<p>talks</p>");
  await page.getByRole("tab", { name: /^Console/ }).click();
  await page.getByText("from the page", { exact: true }).waitFor();
  await page.getByRole("button", { name: "line 2" }).waitFor();
  await page.getByRole("button", { name: "Discard" }).click();
  await preview(page).getByText("mended").waitFor();
  deepEqual(complaints.filter(unexpected), []);
  await close();
}

const THREE = "<p>one</p>\n<p>two</p>\n<p>three</p>\n<p>four</p>\n<p>five</p>";

async function merges(browser: Browser, server: TestServer, base: string): Promise<void> {
  const id = await addApp(server, "Shared");
  const theirs = (source_code: string) =>
    server.request("PATCH", `/platform/apps/${id}.json`, { json: { app: { source_code } } });
  await theirs(THREE);
  const { page, close } = await seatOf(browser, server, base, await adminOf(server));
  await page.goto(`${base}/apps/${id}`);
  await preview(page).getByText("five").waitFor();
  await write(page, THREE.replace("one", "my one"));
  await draftSaved(page);
  await theirs(THREE.replace("five", "their five"));
  await page.keyboard.press("Control+s");
  await page.getByText("Another person has published").waitFor();
  match(await sourceOf(server, id), /their five/);
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByText("The changes do not meet").waitFor();
  await page.getByRole("button", { name: "Merge into my draft" }).click();
  await preview(page).getByText("their five").waitFor();
  await page.keyboard.press("Control+s");
  await page.getByText(/^Published in/).waitFor();
  equal(await sourceOf(server, id), THREE.replace("one", "my one").replace("five", "their five"));
  await close();
}

async function engines(browser: Browser, server: TestServer, base: string): Promise<void> {
  const id = await addApp(server, "Styled");
  const { page, complaints, close } = await seatOf(browser, server, base, await adminOf(server));
  const engines = async () => {
    const { body } = await server.request("GET", `/platform/apps/${id}.json`);
    return [body.app_engine, body.css_engine];
  };
  await page.goto(`${base}/apps/${id}`);
  await preview(page).getByText("Hello").waitFor();
  await page.getByLabel("CSS engine").selectOption("tailwind");
  await page.getByLabel("Engine", { exact: true }).selectOption("html");
  // Written last: the page must not be left while a preview of an earlier choice loads.
  await write(page, "<p class='p-8'>not yet</p>");
  await preview(page).getByText("not yet").waitFor();
  await draftSaved(page);
  deepEqual([await engines(), await sourceOf(server, id)], [["svelte", "none"], GREETING], "nothing is published");
  await page.reload();
  await draftSaved(page);
  equal(await page.getByLabel("CSS engine").inputValue(), "tailwind");
  equal(await page.getByLabel("Engine", { exact: true }).inputValue(), "html");
  await page.keyboard.press("Control+s");
  await page.getByText(/^Published in/).waitFor();
  deepEqual([await engines(), await sourceOf(server, id)], [["html", "tailwind"], "<p class='p-8'>not yet</p>"]);
  deepEqual(complaints.filter(unexpected), []);
  await close();
}

async function completes(browser: Browser, server: TestServer, base: string): Promise<void> {
  const schema = { fields: { stars: { type: "integer", required: true } } };
  const db = made(
    await server.request("POST", "/platform/dbs.json", {
      json: { db: { name: `Guests ${crypto.randomUUID()}`, schema } },
    }),
  );
  const source_code = '<script>\nimport { db } from "platform";\ndb().create({});\n</script>\n<p>The guests</p>';
  const fields = { name: "Guests", app_engine: "svelte", css_engine: "none", db_code: db.code, source_code };
  const { id } = made(await server.request("POST", "/platform/apps.json", { json: { app: fields } }));
  const { page, close } = await seatOf(browser, server, base, await adminOf(server));
  await page.goto(`${base}/apps/${id}`);
  await preview(page).getByText("The guests").waitFor();
  const call = page.locator(".cm-line").nth(2);
  await call.getByText("create").hover();
  await page.getByText("create(data): Promise<Record>").waitFor();
  await call.click();
  await page.keyboard.press("Home");
  await page.keyboard.type("db().l");
  await page.getByRole("option", { name: /^list/ }).click();
  await page.keyboard.type("({ sort: '-created_at' });");
  await page.keyboard.press("End");
  for (let n = 0; n < 3; n++) await page.keyboard.press("ArrowLeft");
  await page.keyboard.type(" st");
  await page.getByRole("option", { name: /^stars/ }).click();
  match(await call.innerText(), /^db\(\)\.list\(\{ sort: '-created_at' \}\);db\(\)\.create\(\{ stars\}\);$/);
  await close();
  // Its call fails wherever the app runs, also on the home page of a later step.
  await server.request("PATCH", `/platform/apps/${id}.json`, { json: { app: { active: false } } });
}

async function twoTabs(browser: Browser, server: TestServer, base: string): Promise<void> {
  const id = await addApp(server, "Twice");
  const { page, close } = await seatOf(browser, server, base, await adminOf(server));
  await page.goto(`${base}/apps/${id}`);
  await preview(page).getByText("Hello").waitFor();
  const other = await page.context().newPage();
  await other.goto(`${base}/apps/${id}`);
  await preview(other).getByText("Hello").waitFor();
  await write(page, "<p>first tab</p>");
  await draftSaved(page);
  await write(other, "<p>second tab</p>");
  await draftSaved(other);
  equal(await draftOf(server, id), "<p>second tab</p>");
  match(await page.locator(".cm-content").innerText(), /first tab/, "no tab takes another one's text");
  await close();
}

/** A process of its own, which is killed while a person types, and started again. */
async function restarts(browser: Browser): Promise<void> {
  await using place = await adminPlace();
  await keepConsole(place);
  const environment = { ...place.environment, PORT: `${freePort()}` };
  const killed = await launch(environment);
  const { url } = killed;
  // Of an engine without a runtime, which the process would have to build.
  const app = { name: "Long text", app_engine: "html", css_engine: "none", source_code: GREETING };
  const { id } = await sent(url, "/platform/apps.json", { app });
  const { page, close } = await seat(browser);
  await page.goto(`${url}/apps/${id}`);
  await signIn(page);
  await preview(page).getByText("Hello").waitFor();
  killed.kill("SIGKILL");
  await killed.ended;
  await write(page, "<p>typed while it was away</p>");
  await page.getByText("The server does not answer").first().waitFor();
  match(await page.locator(".cm-content").innerText(), /typed while it was away/);
  await using again = await launch(environment);
  await draftSaved(page);
  const { text } = await ask(`${url}/platform/apps/${id}/draft.json`, ADMIN_TOKEN);
  equal(JSON.parse(text).source_code, "<p>typed while it was away</p>");
  await preview(page).getByText("typed while it was away").waitFor();
  await page.getByText("The server does not answer").first().waitFor({ state: "detached" });
  await close();
  equal((await stop(again)).code, 0);
}

async function sent(url: string, path: string, json: unknown): Promise<{ id: string }> {
  const headers = { "content-type": "application/json" };
  const { status, text } = await ask(url + path, ADMIN_TOKEN, { method: "POST", headers, body: JSON.stringify(json) });
  equal(status, 201, text);
  return JSON.parse(text);
}

async function signIn(page: Page): Promise<void> {
  await page.fill("[name=login]", "admin");
  await page.fill("[name=password]", ADMIN_PASSWORD);
  await page.click("button[type=submit], form button");
}

async function expires(browser: Browser, server: TestServer, base: string): Promise<void> {
  const id = await addApp(server, "Over lunch");
  const { page, close } = await seatOf(browser, server, base, await adminOf(server));
  await page.goto(`${base}/apps/${id}`);
  await preview(page).getByText("Hello").waitFor();
  await selectText(page);
  await page.context().clearCookies();
  // Another request may have opened the dialog already.
  await pasteText(page, "<p>after lunch</p>");
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  equal(await dialog.getByLabel("Login or e-mail").inputValue(), "admin");
  await dialog.getByLabel("Password").fill("wrong");
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Password").fill(ADMIN_PASSWORD);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await draftSaved(page);
  equal(await draftOf(server, id), "<p>after lunch</p>");
  await close();
}

async function boards(browser: Browser, server: TestServer, base: string): Promise<void> {
  const names = ["Left", "Right"].map((side) => `${side} ${crypto.randomUUID().slice(0, 8)}`);
  for (const name of names) await addApp(server, name);
  const { id } = await addPerson(server.request, "user");
  const { page, complaints, close } = await seatOf(browser, server, base, id);
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const answered = Promise.withResolvers<void>();
  await page.route(/dashboards\.find/, async (route) => {
    await answered.promise;
    await route.continue();
  });
  await page.goto(base);
  await page.getByRole("button", { name: "Arrange" }).focus();
  await press("Enter");
  await page.getByRole("button", { name: "Done" }).waitFor();
  const add = page.getByRole("button", { name: "Add a tile" }).first();
  equal(await add.count(), 0, "a board that has not been read yet would be overwritten");
  answered.resolve();
  await add.focus();
  await press("Enter");
  const dialog = page.getByRole("dialog", { name: "Add a tile" });
  for (const name of names) {
    await dialog.getByRole("button", { name }).focus();
    await press("Enter");
    await page.getByRole("button", { name: `${name}: arrow keys` }).waitFor({ state: "attached" });
    equal(
      await page.evaluate("document.activeElement.closest('dialog') !== null"),
      true,
      "the focus stays in the list",
    );
  }
  await press("Escape");
  await page.getByRole("button", { name: /^Left .*: arrow keys/ }).focus();
  await press("ArrowRight", "ArrowRight", "Shift+ArrowDown", "Shift+ArrowLeft");
  await page.getByRole("button", { name: "Done" }).focus();
  await press("Enter");
  await until(async () => {
    const { tiles } = (await board(server, id)) ?? { tiles: [] };
    return tiles.length === 2 && tiles[0]?.x === 2 && tiles[0]?.w === 5 && tiles[0]?.h === 5 && tiles[1]?.y === 5;
  }, "the board is saved as it was arranged");
  deepEqual(complaints.filter(unexpected), []);
  await close();
}

interface Placed {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** A user's tiles as they are stored, in the order of the apps' names. */
async function board({ sql }: TestServer, user: number): Promise<{ tiles: Placed[] } | undefined> {
  const [row] = await sql<{ tiles: Placed[] }[]>`
    select (select json_agg(t.tile order by a.name) from jsonb_array_elements(d.tiles) t (tile) join apps a on a.id = (t.tile ->> 'app_id')::uuid) as tiles
    from dashboards d where d.user_id = ${user}
  `;
  return row;
}

async function restores(browser: Browser, server: TestServer, base: string): Promise<void> {
  const id = await addApp(server, "Older");
  await server.request("PATCH", `/platform/apps/${id}.json`, { json: { app: { source_code: "<p>newer</p>" } } });
  const { page, complaints, close } = await seatOf(browser, server, base, await adminOf(server));
  await page.goto(`${base}/apps/${id}?tab=versions`);
  await page.getByRole("button", { name: /^Version / }).first().click();
  await page.getByText("<p>newer</p>").waitFor();
  await page.getByText(GREETING).waitFor();
  await page.getByRole("button", { name: /^Restore version / }).click();
  await page.getByText(/is live again$/).waitFor();
  const source = async () => (await server.request("GET", `/platform/apps/${id}.json`)).body.source_code;
  equal(await source(), GREETING);
  await page.getByRole("button", { name: "Undo" }).click();
  await until(async () => await source() === "<p>newer</p>", "the version before is live again");
  deepEqual(complaints.filter(unexpected), []);
  await close();
}

async function reads(browser: Browser, server: TestServer, base: string): Promise<void> {
  const name = `Looked at ${crypto.randomUUID().slice(0, 8)}`;
  const id = await addApp(server, name);
  const [user, guest] = [await addPerson(server.request, "user"), await addPerson(server.request, "guest")];
  {
    const { page, complaints, close } = await seatOf(browser, server, base, user.id);
    await page.goto(`${base}/apps/${id}`);
    await preview(page).getByText("Hello from the first version").waitFor();
    equal(await page.getByRole("button", { name: "Publish" }).count(), 0);
    equal(await page.getByRole("link", { name: "New app" }).count(), 0);
    await page.goto(`${base}/account`);
    await page.getByRole("textbox", { name: "Host", disabled: true }).waitFor();
    equal(await page.getByRole("link", { name: "All departments" }).count(), 0);
    deepEqual(complaints.filter(unexpected), []);
    await close();
  }
  const { page, complaints, close } = await seatOf(browser, server, base, guest.id);
  await page.goto(`${base}/apps?view=list`);
  const link = page.getByRole("link", { name });
  equal(
    await link.getAttribute("href"),
    `/a/${(await server.request("GET", `/platform/apps/${id}.json`)).body.url_code ?? id}`,
  );
  deepEqual(complaints.filter(unexpected), []);
  await close();
}
