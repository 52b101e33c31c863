/** The examples that `deno task seed` installs, in Chromium: the main journey of each, without barriers and errors. */
import { deepEqual, ok } from "node:assert/strict";
import type { Browser, Page } from "../../packages/playwright.ts";
import { putExample } from "../../../client/cli/seed_example.ts";
import { EXAMPLES } from "../../../client/gallery/examples.ts";
import { barriersOf, browserTest, complaintsOf } from "../../stage/browser.ts";
import { ADMIN_TOKEN, startServer } from "../../stage/harness.ts";
import { JOURNEYS } from "./examples_journeys.ts";

const LOOKS = [
  { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { viewport: { width: 360, height: 740 }, colorScheme: "dark" },
  { viewport: { width: 360, height: 740 }, colorScheme: "light" },
  { viewport: { width: 1920, height: 1080 }, colorScheme: "dark" },
] as const;
const [WIDE] = LOOKS;

/** Long, because the machine may be busy. */
const PATIENCE_MS = 60_000;

browserTest("the examples in a browser", async ({ browser, step }) => {
  const server = await startServer();
  try {
    const base = server.listen();
    const client = server.client();
    for (const example of EXAMPLES) {
      await putExample(client, example);
      await step(example.name, async () => {
        const stage = stageOf(browser, base);
        try {
          const journey = JOURNEYS[example.folder];
          ok(journey, "examples_journeys.ts has its journey");
          await journey({ ...stage, ask: server.request });
          deepEqual(stage.complaints(), []);
        } finally {
          await stage.close();
        }
      });
    }
  } finally {
    await server.close();
  }
});

/** Opens pages of a person each, and remembers what goes wrong on them. */
function stageOf(browser: Browser, base: string) {
  const pages: { page: Page; complaints: string[] }[] = [];
  const open = async (url_code: string, headers: Record<string, string>, is_deaf = false) => {
    const context = await browser.newContext({ ...WIDE, reducedMotion: "reduce", extraHTTPHeaders: headers });
    if (is_deaf) await context.route("**/changes*", () => {});
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    pages.push({ page, complaints: complaintsOf(page) });
    await page.goto(`${base}/a/${url_code}`);
    return page;
  };
  return {
    open: (url_code: string) => open(url_code, {}),
    openDeaf: (url_code: string) => open(url_code, {}, true),
    openAsMember: (url_code: string) => open(url_code, { authorization: `Bearer ${ADMIN_TOKEN}` }),
    async check(page: Page, in_all_looks = false) {
      for (const { viewport, colorScheme } of in_all_looks ? LOOKS : LOOKS.slice(0, 2)) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        const look = `${viewport.width} wide, ${colorScheme}`;
        deepEqual({ look, barriers: await barriersOf(page) }, { look, barriers: [] });
        ok(Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0, `${look}: too wide`);
      }
      await page.setViewportSize(WIDE.viewport);
    },
    complaints: () => pages.flatMap(({ complaints }) => complaints),
    async close() {
      for (const { page } of pages) await page.context().close();
    },
  };
}
