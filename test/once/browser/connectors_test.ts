/** Connectors in the console: from a new one with a secret to its failure in the figures. */
import { deepEqual, equal, ok } from "node:assert/strict";
import type { Browser, Page } from "../../packages/playwright.ts";
import { browserTest, complaintsOf } from "../../stage/browser.ts";
import { type Api, serveApi } from "../../stage/egress/outside.ts";
import { startServer, type TestServer } from "../../stage/harness.ts";
import { addPerson, addSession } from "../../stage/people.ts";
import { proven } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

/** Long, because the machine may be busy. */
const PATIENCE_MS = 60_000;

browserTest("connectors in a browser", async ({ browser, step }) => {
  await using api = serveApi((request) => {
    if (new URL(request.url).pathname.startsWith("/down/")) return Response.json({ why: "repairs" }, { status: 503 });
  });
  const server = await startServer({ EGRESS_ALLOW: `127.0.0.1:${api.port}` });
  await server.console.prepare();
  const base = server.listen();
  const { body: { user } } = await server.request("GET", "/account/me.json");
  try {
    await step("a connector is made with a secret, sent, its answer read, its failure seen in the health", async () => {
      const { page, complaints } = await open(browser, server, base, user.id);
      const name = `Bank ${crypto.randomUUID().slice(0, 8)}`;
      await create(page, base, api, name);
      // The missing parameter.
      deepEqual(complaints.filter((text) => !/status of 422/.test(text)), []);
      await page.context().close();
      await reads(browser, server, base, name);
    });
  } finally {
    await server.close();
  }
});

async function open(browser: Browser, server: TestServer, base: string, user_id: number) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const [name = "", value = ""] = (await addSession(server, user_id)).cookie.split("=");
  await context.addCookies([{ name, value, url: base, httpOnly: true, sameSite: "Lax" }]);
  return { page, complaints: complaintsOf(page) };
}

const status = (page: Page, text: string) => page.getByRole("status").filter({ hasText: text });

async function create(page: Page, base: string, api: Api, name: string): Promise<void> {
  const secret = `canary-${crypto.randomUUID()}`;
  await page.goto(`${base}/connectors`);
  await page.getByRole("link", { name: /^New connector/ }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Address", { exact: true }).fill(api.url);
  await page.getByLabel("Token", { exact: true }).fill(secret);
  await page.keyboard.press("Control+s");
  await page.getByRole("button", { name: /^Add the first method/ }).click();
  await page.getByLabel("Name", { exact: true }).fill("latest");
  await page.getByLabel("Request", { exact: true }).fill("/rates/{base}");
  // A parameter without a value is a mistake at its field.
  await page.getByLabel("base", { exact: true }).focus();
  await page.keyboard.press("Control+Enter");
  await page.getByText("is missing").waitFor();
  await page.getByLabel("base", { exact: true }).fill("EUR");
  await page.keyboard.press("Control+Enter");
  await status(page, "200").waitFor();
  await page.getByText('"/rates/EUR"').waitFor();
  await page.getByRole("button", { name: "Text", exact: true }).click();
  await page.getByText('"Bearer [redacted]"').waitFor();
  ok(api.seen.some(({ path, headers }) => path === "/rates/EUR" && headers.authorization === `Bearer ${secret}`));

  await page.getByLabel("Request", { exact: true }).fill("/down/{base}");
  await page.getByRole("button", { name: /^Save and send/ }).click();
  await status(page, "503").waitFor();
  await page.getByRole("link", { name: /^Connection/ }).click();
  await page.getByText("A secret is stored. It is never shown.").waitFor();
  ok(!(await page.content()).includes(secret));
  await page.getByRole("link", { name: /^Health/ }).click();
  await page.getByText(/answered 503 Service Unavailable$/).waitFor();
  await page.getByRole("link", { name: "Send it again" }).click();
  equal(await page.getByLabel("base", { exact: true }).inputValue(), "EUR", "what was sent before is kept");
  await page.goto(`${base}/connectors`);
  const row = page.getByRole("row").filter({ hasText: name });
  await row.getByText(/% failed|Failing/).waitFor();
}

/** A user sees it without anything that changes it. */
async function reads(browser: Browser, server: TestServer, base: string, name: string): Promise<void> {
  const { id } = await addPerson(proven(server.request), "user");
  const { page, complaints } = await open(browser, server, base, id);
  await page.goto(`${base}/connectors`);
  await page.getByRole("link", { name }).click();
  await page.getByText("Managers may send methods from here.").waitFor();
  await until(
    async () => await page.getByRole("button", { name: /^(Save|Send|Remove|Add)/ }).count() === 0,
    "no buttons",
  );
  ok(await page.getByLabel("Request", { exact: true }).isDisabled());
  deepEqual(complaints.filter((text) => !/status of 403/.test(text)), []);
  await page.context().close();
}
