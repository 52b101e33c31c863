/** Journeys through the console in Chromium. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { AXE } from "../packages/axe.ts";
import type { Browser, Page } from "../packages/playwright.ts";
import { browserTest, complaintsOf } from "../stage/browser.ts";
import { ADMIN_PASSWORD, startServer, type TestServer } from "../stage/harness.ts";
import { addPerson, addSession, made } from "../stage/people.ts";

const GREETING = `<p>Hello from the first version</p>`;

/** Long, because the machine may be busy. */
const PATIENCE_MS = 60_000;

browserTest("the console in a browser", async ({ browser, step }) => {
  const server = await startServer();
  const base = server.listen();
  try {
    await step(
      "a member signs in, makes an app from a template, and publishes a change",
      () => publishes(browser, base),
    );
    await step(
      "a mistake is shown at its line, the live app stays, and the text survives a reload",
      () => mistakes(browser, server, base),
    );
    await step("over somebody else's version one decides", () => conflicts(browser, server, base));
    await step("versions are compared and restored", () => restores(browser, server, base));
    await step("a user reads and a guest opens", () => reads(browser, server, base));
    await step("no page has a barrier, light or dark, wide or narrow", () => accessible(browser, server, base));
  } finally {
    await server.close();
  }
});

interface Seat {
  page: Page;
  complaints: string[];
  close(): Promise<void>;
}

async function seat(browser: Browser, options: Parameters<Browser["newContext"]>[0] = {}): Promise<Seat> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  return { page, complaints: complaintsOf(page), close: () => context.close() };
}

/** A seat whose browser has a session of this user. */
async function seatOf(
  browser: Browser,
  server: TestServer,
  base: string,
  user_id: number,
  options?: Parameters<Browser["newContext"]>[0],
): Promise<Seat> {
  const taken = await seat(browser, options);
  const { cookie } = await addSession(server, user_id);
  const [name = "", value = ""] = cookie.split("=");
  await taken.page.context().addCookies([{ name, value, url: base, httpOnly: true, sameSite: "Lax" }]);
  return taken;
}

const adminOf = async ({ request }: TestServer): Promise<number> =>
  (await request("GET", "/account/me.json")).body.user.id;

async function addApp({ request }: TestServer, name: string): Promise<string> {
  const app = { name, app_engine: "svelte", css_engine: "none", source_code: GREETING, dashboard_widget: true };
  return made(await request("POST", "/platform/apps.json", { json: { app } })).id;
}

const preview = (page: Page) => page.frameLocator("iframe[title$=preview]");

/** Replaces the text of the editor, as a person who selects everything and pastes. */
async function write(page: Page, text: string): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.evaluate(`(() => {
    const content = document.querySelector(".editor").shadowRoot.querySelector(".cm-content");
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", ${JSON.stringify(text)});
    content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  })()`);
}

async function publishes(browser: Browser, base: string): Promise<void> {
  const { page, complaints, close } = await seat(browser);
  const name = `Errands ${crypto.randomUUID().slice(0, 8)}`;
  await page.goto(`${base}/apps/new`);
  await page.fill("[name=login]", "admin");
  await page.fill("[name=password]", ADMIN_PASSWORD);
  await page.click("button[type=submit], form button");
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Checklist" }).click();
  await preview(page).getByRole("heading", { name: "Checklist" }).waitFor();
  await write(page, `<h1>Errands of today</h1>`);
  await page.keyboard.press("Control+s");
  await page.getByText(/^Published in \d+ ms$/).waitFor();
  await preview(page).getByRole("heading", { name: "Errands of today" }).waitFor();
  ok(await page.getByRole("button", { name: "Publish" }).isDisabled());
  // The palette leads back to it from anywhere.
  await page.getByRole("link", { name: "Home", exact: true }).first().click();
  await page.getByRole("heading", { name: "Recently edited" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type(name.toLowerCase());
  await page.getByRole("option", { name }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name, exact: true }).waitFor();
  match(page.url(), /\/apps\/[0-9a-f-]{36}$/);
  deepEqual(complaints, []);
  await close();
}

async function mistakes(browser: Browser, server: TestServer, base: string): Promise<void> {
  const id = await addApp(server, "Faulty");
  const { page, complaints, close } = await seatOf(browser, server, base, await adminOf(server));
  await page.goto(`${base}/apps/${id}`);
  await write(page, "<p>one</p>\n{#if true}\n<p>two</p>");
  await page.keyboard.press("Control+s");
  await page.getByRole("alert").getByRole("button").first().waitFor();
  match(await page.getByRole("alert").innerText(), /line \d/);
  await preview(page).getByText("Hello from the first version").waitFor();
  await page.reload();
  await page.getByText("not published").waitFor();
  match(await page.locator(".cm-content").innerText(), /#if true/);
  await write(page, "<p>one</p>\n{#if true}<p>mended</p>{/if}");
  await page.keyboard.press("Control+s");
  await preview(page).getByText("mended").waitFor();
  deepEqual(complaints.filter((text) => !text.includes("422")), []);
  await close();
}

async function conflicts(browser: Browser, server: TestServer, base: string): Promise<void> {
  const id = await addApp(server, "Shared");
  const { page, close } = await seatOf(browser, server, base, await adminOf(server));
  await page.goto(`${base}/apps/${id}`);
  await write(page, "<p>mine</p>");
  await server.request("PATCH", `/platform/apps/${id}.json`, { json: { app: { source_code: "<p>theirs</p>" } } });
  await page.keyboard.press("Control+s");
  await page.getByText("Somebody else published").waitFor();
  equal((await server.request("GET", `/platform/apps/${id}.json`)).body.source_code, "<p>theirs</p>");
  await page.getByRole("button", { name: "Publish mine over it" }).click();
  await preview(page).getByText("mine").waitFor();
  await close();
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
  equal((await server.request("GET", `/platform/apps/${id}.json`)).body.source_code, GREETING);
  deepEqual(complaints, []);
  await close();
}

async function reads(browser: Browser, server: TestServer, base: string): Promise<void> {
  const id = await addApp(server, "Looked at");
  const user = await addPerson(server.request, "user");
  const guest = await addPerson(server.request, "guest");
  {
    const { page, complaints, close } = await seatOf(browser, server, base, user.id);
    await page.goto(`${base}/apps/${id}`);
    await preview(page).getByText("Hello from the first version").waitFor();
    equal(await page.getByRole("button", { name: "Publish" }).count(), 0);
    equal(await page.getByRole("link", { name: "New app" }).count(), 0);
    deepEqual(complaints, []);
    await close();
  }
  const { page, complaints, close } = await seatOf(browser, server, base, guest.id);
  await page.goto(`${base}/apps?view=list`);
  const link = page.getByRole("link", { name: "Looked at" });
  equal(
    await link.getAttribute("href"),
    `/a/${(await server.request("GET", `/platform/apps/${id}.json`)).body.url_code ?? id}`,
  );
  deepEqual(complaints, []);
  await close();
}

const LOOKS = [
  { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { viewport: { width: 360, height: 740 }, colorScheme: "dark" },
] as const;

async function accessible(browser: Browser, server: TestServer, base: string): Promise<void> {
  const id = await addApp(server, "Plain");
  const admin = await adminOf(server);
  for (const look of LOOKS) {
    const { page, close } = await seatOf(browser, server, base, admin, {
      ...look,
      reducedMotion: "reduce",
      bypassCSP: true,
    });
    for (const path of ["/", "/apps", "/apps?view=list", "/apps/new", `/apps/${id}`, `/apps/${id}?tab=settings`]) {
      await page.goto(base + path);
      await page.locator("h1").first().waitFor();
      await page.waitForFunction("!document.querySelector('.skel')");
      await page.evaluate(AXE);
      const found = await page.evaluate<string[]>(`axe.run(document, { iframes: false }).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 160))))`);
      deepEqual(found, [], `${path}, ${look.viewport.width} wide`);
      const sideways = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      ok(Number(sideways) <= 0, `${path} scrolls sideways`);
    }
    await close();
  }
}
