/** Every page of the console in Chromium: no barrier by axe, nothing that scrolls sideways, no breach of its policy. */
import { deepEqual, ok } from "node:assert/strict";
import { AXE } from "../../packages/axe.ts";
import { fill } from "../../screens/fill.ts";
import { PAGES } from "../../screens/pages.ts";
import { browserTest, complaintsOf } from "../../stage/browser.ts";
import { startServer } from "../../stage/harness.ts";
import { addSession } from "../../stage/people.ts";

const LOOKS = [
  { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { viewport: { width: 360, height: 740 }, colorScheme: "dark" },
] as const;

/** Long, because the machine may be busy. */
const PATIENCE_MS = 60_000;

browserTest("the console's pages have no barriers", async ({ browser, step }) => {
  const server = await startServer();
  await server.console.prepare();
  await fill(server.request);
  const base = server.listen();
  const { body: { user } } = await server.request("GET", "/account/me.json");
  const { cookie } = await addSession(server, user.id);
  const [name = "", value = ""] = cookie.split("=");
  try {
    for (const look of LOOKS) {
      // axe is put into the page, which the console's policy forbids; breaches of it are collected without axe.
      const context = await browser.newContext({ ...look, reducedMotion: "reduce", bypassCSP: true });
      await context.addCookies([{ name, value, url: base, httpOnly: true, sameSite: "Lax" }]);
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      for (const screen of PAGES) {
        await step(`${screen.name}, ${look.viewport.width} wide, ${look.colorScheme}`, async () => {
          await page.goto(base + await screen.path(page, base));
          await page.locator("h1").first().waitFor();
          await page.waitForFunction("!document.querySelector('.skel')");
          await screen.prepare?.(page);
          await page.evaluate(AXE);
          const found = await page.evaluate<string[]>(`axe.run(document, { iframes: false }).then(({ violations }) =>
            violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 160))))`);
          deepEqual(found, []);
          ok(Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0, "scrolls sideways");
        });
      }
      await context.close();
    }
    await step("no page breaks the content security policy", async () => {
      const context = await browser.newContext();
      await context.addCookies([{ name, value, url: base, httpOnly: true, sameSite: "Lax" }]);
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      const complaints = complaintsOf(page);
      for (const screen of PAGES) {
        await page.goto(base + await screen.path(page, base));
        await page.locator("h1").first().waitFor();
        await screen.prepare?.(page);
      }
      deepEqual(complaints.filter((text) => /Content.Security.Policy|TrustedHTML|Refused to/i.test(text)), []);
      await context.close();
    });
  } finally {
    await server.close();
  }
});
