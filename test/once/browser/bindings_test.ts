/** The bindings of the npm package for React, Vue and Svelte, in Chromium. */
import assert from "node:assert/strict";
import * as esbuild from "esbuild";
import type { Browser, Page } from "../../packages/playwright.ts";
import { browserTest, complaintsOf } from "../../stage/browser.ts";
import { ADMIN_TOKEN, startServer, type TestServer } from "../../stage/harness.ts";
import { until } from "../../stage/until.ts";
import { bindingPages } from "./bindings_pages.ts";

declare const test: { uses: Record<"create" | "update" | "remove" | "run", (...input: unknown[]) => Promise<unknown>> };

browserTest(
  "bindings of the package: lists are live and optimistic, actions and runs are followed",
  async ({ browser, step }) => {
    const server = await startServer();
    try {
      const url = server.listen();
      const run_id = await prepare(server);
      const pages = await bindingPages();
      for (const [name, html] of pages) {
        await step(name, () => uses(browser, server, url, html, run_id));
      }
    } finally {
      await esbuild.stop();
      await server.close();
    }
  },
);

const post = async ({ request }: TestServer, path: string, json: unknown) => {
  const { status, body } = await request("POST", path, { json });
  assert.ok(status < 300, JSON.stringify(body));
  return body;
};

/** @returns the id of a run that has ended */
async function prepare(server: TestServer): Promise<string> {
  const program = [{ type: "return", data: { city: "{input.city}" } }];
  const flow = await post(server, "/connect/flows.json", {
    flow: { name: "Weather", code: "weather", active: true, fields: { program } },
  });
  await post(server, "/platform/apps.json", {
    app: {
      name: "Weather",
      url_code: "weather",
      app_engine: "html",
      css_engine: "none",
      source_code: "<p>Weather</p>",
      actions: [{ action: "now", flow_code: "weather" }],
    },
  });
  const { flow_process_id } = await post(server, `/connect/flows/${flow.id}/run.json`, { input: { city: "Oslo" } });
  return flow_process_id;
}

const messages = (page: Page): Promise<string[]> => page.locator("li").allTextContents();
const shows = (page: Page, ...wanted: string[]) =>
  until(async () => (await messages(page)).join() === wanted.join(), `the list is ${wanted}`);
const says = (page: Page, text: string) =>
  until(async () => ((await page.locator("p").textContent()) ?? "").replaceAll(/\s+/g, " ").includes(text), text);

async function uses(browser: Browser, server: TestServer, url: string, html: string, run_id: string): Promise<void> {
  const code = `guests_${crypto.randomUUID().replaceAll("-", "")}`;
  const fields = { message: { type: "string", required: true } };
  await post(server, "/platform/dbs.json", { db: { name: "Guests", code, schema: { fields } } });
  const records = `/platform/dbs/${code}/records.json`;
  const first = await post(server, records, { record: { data: { message: "first" } } });

  const page = await browser.newPage();
  try {
    const complaints = complaintsOf(page);
    await page.route("**/bindings?*", (route) => route.fulfill({ contentType: "text/html", body: html }));
    await page.goto(`${url}/bindings?${new URLSearchParams({ token: ADMIN_TOKEN, code, run_id })}`);
    await shows(page, "first");
    await says(page, "open false");

    // What others write.
    const second = await post(server, records, { record: { data: { message: "second" } } });
    await shows(page, "second", "first");
    await server.request("PATCH", `/platform/dbs/${code}/records/${second.id}.json`, {
      json: { record: { data: { message: "changed" } } },
    });
    await shows(page, "changed", "first");

    // What this page writes is there before the answer, and once after it.
    const held = Promise.withResolvers<void>();
    await page.route(`**${records}`, async (route) => {
      await held.promise;
      await route.continue();
    });
    const creating = page.evaluate(() => test.uses.create({ message: "own" }));
    await shows(page, "own", "changed", "first");
    held.resolve();
    await creating;
    await shows(page, "own", "changed", "first");
    await page.evaluate((id) => test.uses.update(id, { message: "renamed" }), first.id);
    await shows(page, "own", "changed", "renamed");

    // What the server refuses is taken back.
    await page.route(
      `**/records/${first.id}.json`,
      (route) => route.fulfill({ status: 404, json: { error: "Record not found", code: "not_found" } }),
    );
    assert.equal(await page.evaluate((id) => test.uses.remove(id).catch(({ code }) => code), first.id), "not_found");
    await shows(page, "own", "changed", "renamed");
    await page.evaluate((id) => test.uses.remove(id), second.id);
    await shows(page, "own", "renamed");

    assert.deepEqual(await page.evaluate(() => test.uses.run({ city: "Rome" })), { city: "Rome" });
    await says(page, "Rome");
    await says(page, "0 finished");
    assert.deepEqual(complaints.filter((text) => !text.includes("404")), []);
  } finally {
    await page.close();
  }
}
