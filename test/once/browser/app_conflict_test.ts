/** Two people change one app. A publication never overwrites a version that its author has not compared with. */
import { equal } from "node:assert/strict";
import type { Page } from "../../packages/playwright.ts";
import { adminOf, seatOf, write } from "../../browser/seats.ts";
import { browserTest } from "../../stage/browser.ts";
import { startServer } from "../../stage/harness.ts";
import { made } from "../../stage/people.ts";
import { until } from "../../stage/until.ts";

const answered = (page: Page) => page.waitForResponse((response) => response.url().includes("apps.update"));

browserTest("a conflict of an app in the console", async ({ browser, step }) => {
  const server = await startServer();
  await server.console.prepare();
  const base = server.listen();
  const user_id = await adminOf(server);

  const opened = async () => {
    const app = { name: `Shared ${crypto.randomUUID()}`, app_engine: "html", source_code: "<p>ours</p>" };
    const { id } = made(await server.request("POST", "/platform/apps.json", { json: { app } }));
    const { page, close } = await seatOf(browser, server, base, user_id);
    await page.goto(`${base}/apps/${id}`);
    await page.locator(".cm-content").waitFor();
    const source = async () => (await server.request("GET", `/platform/apps/${id}.json`)).body.source_code;
    const theirs = async () => {
      const json = { app: { source_code: "<p>theirs</p>" } };
      equal((await server.request("PATCH", `/platform/apps/${id}.json`, { json })).status, 200);
    };
    return { page, close, source, theirs };
  };

  try {
    await step("the page has read the other version, and is not done with the comparison", async () => {
      const { page, close, source, theirs } = await opened();
      const going_on = Promise.withResolvers<void>();
      let compares = false;
      await page.route(/apps\.versions/, async (route) => {
        compares = true;
        await going_on.promise;
        await route.continue();
      });
      await theirs();
      // The answer to the draft tells of the newer version.
      await write(page, "<p>mine</p>");
      await until(() => Promise.resolve(compares), "the page compares");
      const refused = answered(page);
      await page.keyboard.press("Control+s");
      equal((await refused).status(), 409);
      going_on.resolve();
      await page.getByText("Another person has published").waitFor();
      equal(await source(), "<p>theirs</p>");
      // Without a choice nothing is published.
      const again = answered(page);
      await page.keyboard.press("Control+s");
      equal((await again).status(), 409);
      equal(await source(), "<p>theirs</p>");
      await close();
    });

    await step("the comparison fails at first", async () => {
      const { page, close, source, theirs } = await opened();
      let failures = 0;
      await page.route(/apps\.versions/, async (route) => {
        if (failures++ > 0) await route.continue();
        else await route.fulfill({ status: 500, json: { error: { json: { message: "not now", code: -32603 } } } });
      });
      await theirs();
      await write(page, "<p>mine</p>");
      await until(() => Promise.resolve(failures > 0), "the comparison has failed");
      await page.keyboard.press("Control+s");
      await page.getByText("Another person has published").waitFor();
      equal(await source(), "<p>theirs</p>");
      await close();
    });
  } finally {
    await server.close();
  }
});
