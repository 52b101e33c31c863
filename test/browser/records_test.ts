/** Apps with a database in Chromium, in the sandbox: each visitor sees only its own records, and sees changes live. */
import { deepEqual, equal } from "node:assert/strict";
import type { Browser, BrowserContext, Page } from "../packages/playwright.ts";
import { startServer, type TestServer } from "../stage/harness.ts";
import { browserTest, complaintsOf } from "../stage/browser.ts";
import { RECORD_APPS } from "./record_apps.ts";

const SCHEMA = {
  fields: { title: { type: "string", required: true }, done: "boolean", visitor: "string" },
  indexes: { idx_str_1: "visitor" },
};
const METHODS = {
  list: { scope_by: "visitor" },
  create: { allowed_fields: ["title"], auto_fields: { visitor: "{cookie_key}" } },
  update: { allowed_fields: ["title", "done"], scope_by: "visitor" },
  delete: { scope_by: "visitor" },
};

browserTest("apps with records in a browser", async ({ browser, step }) => {
  const server = await startServer();
  try {
    const base = server.listen();
    for (const [engine, source_code] of Object.entries(RECORD_APPS)) {
      await addApp(server, engine, source_code);
      await step(engine, () => worksWithRecords(browser, `${base}/a/tasks_${engine}`, `tasks_${engine}`));
    }
  } finally {
    await server.close();
  }
});

async function addApp({ request }: TestServer, engine: string, source_code: string): Promise<void> {
  const code = `tasks_${engine}`;
  const db = { name: code, code, schema: SCHEMA, public_methods: METHODS };
  equal((await request("POST", "/platform/dbs.json", { json: { db } })).status, 201);
  // Two of the three apps name their database in their code; the third is opened with a database.
  const its = engine !== "react"
    ? { source_code: source_code.replace("db()", `db("${code}")`) }
    : { source_code, db_code: code };
  const app = { name: code, url_code: code, app_engine: engine, css_engine: "none", public: true, ...its };
  const { status, body } = await request("POST", "/platform/apps.json", { json: { app } });
  equal(status, 201, JSON.stringify(body));
}

/** Waits until the page lists these titles. */
async function lists(page: Page, titles: string[]): Promise<void> {
  const expected = JSON.stringify(JSON.stringify(titles));
  const shown = `JSON.stringify([...document.querySelectorAll("li span")].map((span) => span.textContent))`;
  await page.waitForFunction(`${shown} === ${expected}`);
}

async function add(page: Page, title: string): Promise<void> {
  await page.getByLabel("Title").fill(title);
  await page.getByRole("button", { name: "Add" }).click();
}

const press = (page: Page, title: string, button: string) =>
  page.locator("li", { hasText: title }).getByRole("button", { name: button }).click();

async function worksWithRecords(browser: Browser, url: string, code: string): Promise<void> {
  const [mine, theirs] = [await browser.newContext(), await browser.newContext()];
  const complaints: string[] = [];
  const open = async (context: BrowserContext) => {
    const page = await context.newPage();
    const known = complaintsOf(page);
    await page.goto(url);
    return { page, known };
  };
  const { page, known } = await open(mine);
  equal(await page.evaluate("self.origin"), "null", "in the sandbox");
  await lists(page, []);
  await add(page, "apple");
  await lists(page, ["apple"]);
  await add(page, "banana");
  await lists(page, ["apple", "banana"]);

  const other = await open(theirs);
  await other.page.locator("form").waitFor();
  await add(other.page, "cherry");
  await lists(other.page, ["cherry"]);
  const ids = await page.locator("li").evaluateAll((items) => items.map((item) => item.getAttribute("data-id") ?? ""));
  deepEqual(await attempt(other.page, code, ids), ids.flatMap(() => [404, 404]), "another's records are not there");

  const third = await open(mine);
  await lists(third.page, ["apple", "banana"]);
  await press(page, "apple", "Finish");
  await add(page, "date");
  await lists(page, ["apple done", "banana", "date"]);
  await lists(third.page, ["apple done", "banana", "date"]);
  await press(third.page, "banana", "Delete");
  await lists(third.page, ["apple done", "date"]);
  await lists(page, ["apple done", "date"]);
  await lists(other.page, ["cherry"]);

  complaints.push(...known, ...third.known);
  // Chromium reports the refused changes and deletions as errors.
  complaints.push(...other.known.filter((complaint) => !complaint.includes("404")));
  deepEqual(complaints, []);
  await Promise.all([mine.close(), theirs.close()]);
}

/** Changes and deletes records by `fetch` in the page. Returns the statuses. */
const attempt = (page: Page, code: string, ids: string[]): Promise<number[]> =>
  page.evaluate(async ([code, ids]) => {
    const statuses: number[] = [];
    for (const id of ids) {
      for (const method of ["update", "delete"]) {
        const { status } = await fetch(`/platform/db/${code}/${method}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ id, data: { title: "taken" } }),
        });
        statuses.push(status);
      }
    }
    return statuses;
  }, [code, ids] as const);
