/** The documentation and the API reference of the console in Chromium. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Browser, BrowserContextOptions, Page } from "../../packages/playwright.ts";
import { browserTest, complaintsOf } from "../../stage/browser.ts";
import { startServer, type TestServer } from "../../stage/harness.ts";
import { addPerson, addSession } from "../../stage/people.ts";
import { until } from "../../stage/until.ts";

/** Long, because the machine may be busy. */
const PATIENCE_MS = 60_000;

browserTest("the documentation in the console", async ({ browser, step }) => {
  const server = await startServer();
  try {
    const base = server.listen();
    await server.console.prepare();
    await step("pages are found by words, read, and left and come back to", () => reads(browser, server, base));
    await step("an operation is found, tried and changed, and its examples follow", () => tries(browser, server, base));
    await step("what a role may not do is refused by the server", () => isRefused(browser, server, base));
  } finally {
    await server.close();
  }
});

async function pageOf(
  browser: Browser,
  server: TestServer,
  base: string,
  user_id = 1,
  options?: BrowserContextOptions,
) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const { cookie } = await addSession(server, user_id);
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url: base, httpOnly: true, sameSite: "Lax" }]);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  return { page, complaints: complaintsOf(page), close: () => context.close() };
}

/** A PNG of one pixel. */
const DOT = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** How far the article is scrolled. */
const scrolled = (page: Page) => page.evaluate<number>(`document.querySelector("article").parentElement.scrollTop`);

async function reads(browser: Browser, server: TestServer, base: string): Promise<void> {
  const { page, complaints, close } = await pageOf(browser, server, base);
  await page.goto(`${base}/docs`);
  await page.getByRole("heading", { name: "Documentation" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("ledger of missed due times");
  await page.getByRole("heading", { name: "Results for" }).waitFor();
  await page.locator("mark").first().waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Triggers", level: 1 }).waitFor();
  match(page.url(), /\/docs\/triggers#the-ledger$/);
  await until(async () => await scrolled(page) > 0, "the heading is scrolled to");

  // A link of the text leads to another page without a load, and back leads to where one was.
  await page.goto(`${base}/docs/apps`);
  const link = page.locator("article").getByRole("link", { name: "connector" });
  await link.scrollIntoViewIfNeeded();
  await until(() => page.evaluate<boolean>("history.state?.scroll > 0"), "the place is kept");
  const before = await scrolled(page);
  await link.click();
  await page.getByRole("heading", { name: "Connectors", level: 1 }).waitFor();
  equal(await scrolled(page), 0);
  await page.goBack();
  await page.getByRole("heading", { name: "Apps", level: 1 }).waitFor();
  await until(async () => await scrolled(page) === before, "the page is where it was left");

  await page.getByRole("button", { name: "Copy code" }).first().click();
  match(await page.evaluate<string>("navigator.clipboard.readText()"), /^curl -s \$ATRIUM\/platform\/apps\.json/);
  await page.keyboard.press("]");
  await page.getByRole("heading", { name: "Databases", level: 1 }).waitFor();
  deepEqual(complaints, []);
  await close();
}

async function tries(browser: Browser, server: TestServer, base: string): Promise<void> {
  const { page, complaints, close } = await pageOf(browser, server, base);
  const name = `Sales ${crypto.randomUUID().slice(0, 8)}`;
  await page.goto(`${base}/docs/api`);
  await page.getByLabel("Filter operations and fields").fill("create department");
  await page.getByRole("link", { name: "Create a department" }).click();
  await page.getByRole("heading", { name: "Create a department" }).waitFor();
  match(page.url(), /operation=departments\.create/);
  await page.getByRole("button", { name: "Try it" }).click();
  const body = page.getByLabel(/^Body/);
  await body.fill("{");
  await page.getByText("is not valid JSON").waitFor();
  ok(await page.getByRole("button", { name: /^Send/ }).isDisabled());
  await body.fill(JSON.stringify({ department: { name } }));
  await page.getByRole("button", { name: "Typed client" }).click();
  await page.getByText(`atrium.departments.create.mutate({ department: { name: "${name}" } })`).waitFor();

  // The first click shows what will change, and changes nothing.
  const count = async () => (await server.request("GET", "/account/departments.json")).body.length;
  const before = await count();
  await page.getByRole("button", { name: /^Send/ }).click();
  await page.getByText("This changes").waitFor();
  equal(await count(), before);
  await page.getByRole("button", { name: "Send POST" }).click();
  await page.getByText("201 Created").waitFor();
  equal(await count(), before + 1);

  // Reading runs at once.
  await page.goto(`${base}/docs/api?operation=departments.list&try=1`);
  await page.getByText(/optional parameters/).click();
  await page.getByLabel("sort").selectOption("-id");
  await page.getByRole("button", { name: /^Send/ }).click();
  await page.getByText("200 OK").waitFor();
  await page.getByLabel("the answer, json").getByText(`"${name}"`).waitFor();
  await page.getByRole("button", { name: "curl" }).click();
  await page.getByLabel("the example, sh").getByText("/account/departments.json?sort=-id").waitFor();

  // A file is sent with the fields of the body.
  const with_logo = `${name} with a logo`;
  await page.goto(`${base}/docs/api?operation=departments.create&try=1`);
  await page.getByLabel(/^Body/).fill(JSON.stringify({ department: { name: with_logo } }));
  await page.getByLabel("department[logo]").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: DOT });
  await page.getByText("-F 'department[logo]=@dot.png'").waitFor();
  await page.getByRole("button", { name: /^Send/ }).click();
  await page.getByRole("button", { name: "Send POST" }).click();
  await page.getByText("201 Created").waitFor();
  const { body: made } = await server.request("GET", `/account/departments.json?q=${encodeURIComponent(with_logo)}`);
  match(made[0].logo_url, /\/logos\//);
  deepEqual(complaints, []);
  await close();
}

async function isRefused(browser: Browser, server: TestServer, base: string): Promise<void> {
  const guest = await addPerson(server.request, "guest");
  const { page, complaints, close } = await pageOf(browser, server, base, guest.id);
  await page.goto(`${base}/docs/api?operation=departments.list&try=1`);
  await page.getByText("Your role may not call this").waitFor();
  await page.getByRole("button", { name: /^Send/ }).click();
  await page.getByText("403 Forbidden").waitFor();
  deepEqual(complaints.filter((text) => !text.includes("403")), []);
  await close();
}
