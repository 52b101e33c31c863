/** The templates of the console's New app page in Chromium, on a narrow dark screen, used by mouse and keyboard. */
import { deepEqual, equal, ok } from "node:assert/strict";
import type { Page } from "../../packages/playwright.ts";
import { createApp } from "../../../client/console/pages/apps/create_app.ts";
import { TEMPLATES } from "../../../client/console/pages/apps/templates.ts";
import { ADMIN_TOKEN, startServer } from "../../stage/harness.ts";
import { browserTest, complaintsOf } from "../../stage/browser.ts";

const LOOK = { viewport: { width: 360, height: 740 }, colorScheme: "dark", locale: "en-GB" } as const;

/** Uses a template's app whose page has just been opened. What it writes differs at each call. */
const USES: Record<string, (page: Page, word: string) => Promise<void>> = {
  async blank(page) {
    await page.locator("h1, canvas").first().waitFor();
  },
  async board(page, word) {
    await page.getByRole("button", { name: "Write" }).click();
    await page.getByLabel("Title").fill(word);
    await page.getByLabel("sky").check();
    await page.getByRole("button", { name: "Post" }).click();
    await page.getByRole("heading", { name: word }).waitFor();
    await page.getByRole("button", { name: `Take down ${word}` }).click();
    await page.getByRole("heading", { name: word }).waitFor({ state: "detached" });
  },
  async form(page, word) {
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Please choose one to five stars.").waitFor();
    await page.keyboard.press("ArrowRight");
    await page.getByLabel("Name").fill(word);
    await page.getByLabel("E-mail").fill("nobody");
    await page.getByLabel("What should we know?").fill("All is well.");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Please enter an address such as ada@example.com.").waitFor();
    await page.getByLabel("E-mail").fill("ada@example.com");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: `Thank you, ${word}!` }).waitFor();
  },
  async table(page, word) {
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill(word);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: word }).waitFor();
    await page.getByLabel("Search").fill(word);
    await page.getByRole("button", { name: "Ada Novak" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: word }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: word }).waitFor();
  },
  async chart(page) {
    await page.getByRole("img", { name: /^Week of / }).first().waitFor();
    const sum = async () => Number((await page.locator(".sum b").first().innerText()).replaceAll(",", ""));
    const before = await sum();
    await page.getByLabel("Amount").fill("50");
    await page.getByRole("button", { name: "Add" }).click();
    await page.locator(".sum b").first().filter({ hasText: (before + 50).toLocaleString("en-GB") }).waitFor();
    await page.getByRole("button", { name: "Lines" }).click();
    equal(await page.locator("polyline").count(), 2);
  },
  async calendar(page, word) {
    await page.getByRole("button", { name: "New" }).click();
    await page.getByLabel("Title").fill(word);
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "The chosen day" }).getByRole("button", { name: word }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: word }).first().waitFor({ state: "detached" });
    const month = await page.locator("h1").innerText();
    await page.getByRole("button", { name: "The month after" }).click();
    await page.locator("h1").filter({ hasNotText: month }).waitFor();
  },
  async kanban(page, word) {
    const column = (name: string) => page.getByRole("region", { name });
    const card = page.getByRole("listitem").filter({ hasText: word });
    await page.getByLabel("Add to To do").fill(word);
    await page.keyboard.press("Enter");
    await card.press("ArrowRight");
    await column("Doing").getByText(word).waitFor();
    await page.keyboard.press("ArrowRight");
    await column("Done").getByText(word).waitFor();
    // The card has kept the focus, so the keys moved it on. A mouse drags it back.
    await page.setViewportSize({ width: 360, height: 1400 });
    const to = await column("To do").boundingBox();
    ok(to);
    await card.hover();
    await page.mouse.down();
    await page.mouse.move(to.x + 90, to.y + 60, { steps: 6 });
    await page.mouse.up();
    await column("To do").getByText(word).waitFor();
  },
  async checklist(page) {
    await page.getByLabel("Water the plants", { exact: true }).check();
    await page.getByText("2 of 3 done").waitFor();
  },
  async hop(page) {
    await page.getByRole("img", { name: "A seed that jumps over stones" }).waitFor();
    await page.keyboard.press("Space");
  },
  async bricks(page) {
    await page.getByRole("img", { name: "A ball, a bat and a wall of bricks" }).waitFor();
    await page.keyboard.press("Space");
  },
};

browserTest("the templates in a browser", async ({ browser, step }) => {
  const server = await startServer();
  try {
    const base = server.listen();
    const client = server.client();
    for (const template of TEMPLATES) {
      const id = await createApp(client, template, { name: template.name, url_code: null, department_id: null });
      await step(`${template.name}, ${template.app_engine}`, async () => {
        const context = await browser.newContext(LOOK);
        try {
          const page = await context.newPage();
          page.setDefaultTimeout(60_000);
          const complaints = complaintsOf(page);
          const others: string[] = [];
          page.on("request", (request) => request.url().startsWith(base) || others.push(request.url()));
          const url = `${base}/a/${id}`;
          // Visitors use the form. The other apps need a login, which is the page's own afterwards.
          if (!template.public) {
            await page.route(
              url,
              (route, request) =>
                route.continue({ headers: { ...request.headers(), authorization: `Bearer ${ADMIN_TOKEN}` } }),
            );
          }
          await page.goto(url);
          await USES[template.key]?.(page, `Word ${crypto.randomUUID().slice(0, 6)}`);
          ok(template.key in USES);
          const sideways = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
          ok(Number(sideways) <= 0, "it scrolls sideways");
          deepEqual([complaints, others.filter((url) => !/^(data|blob):/.test(url))], [[], []]);
        } finally {
          await context.close();
        }
      });
    }
  } finally {
    await server.close();
  }
});
