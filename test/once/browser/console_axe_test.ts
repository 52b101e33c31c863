/** Every page of the console in Chromium: no barrier by axe, nothing that scrolls sideways, no breach of its policy. */
import { deepEqual, ok } from "node:assert/strict";
import type { Page } from "../../packages/playwright.ts";
import { fill } from "../../screens/fill.ts";
import { writeHistory } from "../../screens/history.ts";
import { PAGES } from "../../screens/pages.ts";
import { PAGES_OF_DATA } from "../../screens/pages_of_data.ts";
import { barriersOf, browserTest, complaintsOf } from "../../stage/browser.ts";
import { startServer } from "../../stage/harness.ts";
import { addSession } from "../../stage/people.ts";
import { until } from "../../stage/until.ts";

const LOOKS = [
  { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { viewport: { width: 360, height: 740 }, colorScheme: "dark" },
] as const;

/** What Chromium says of a breach of the content security policy. */
const BREACH = /Content.Security.Policy|TrustedHTML|Refused to/i;

/** Long, because the machine may be busy. */
const PATIENCE_MS = 60_000;

/** An address of the console without a page. */
const NOWHERE = "/apps/new/nothing";

/** Follows an address as a link of the console does: a load would start axe's code anew, and that takes longest. */
async function follow(page: Page, address: string): Promise<void> {
  const nothing = page.getByText("There is no page at this address.");
  for (const next of [NOWHERE, address]) {
    await page.evaluate(
      `history.pushState(null, "", ${JSON.stringify(next)}); dispatchEvent(new PopStateEvent("popstate"))`,
    );
    await nothing.waitFor({ state: next === NOWHERE ? "visible" : "detached" });
  }
}

/** Changes the look of an open page. */
async function take(page: Page, { viewport, colorScheme }: typeof LOOKS[number]): Promise<void> {
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
}

browserTest("the console's pages have no barriers", async ({ browser, step }) => {
  const server = await startServer();
  await server.console.prepare();
  await fill(server.request);
  await writeHistory(server);
  const base = server.listen();
  const { body: { user } } = await server.request("GET", "/account/me.json");
  const { cookie } = await addSession(server, user.id);
  const [name = "", value = ""] = cookie.split("=");
  try {
    const open = async () => {
      const page = await (await browser.newContext({ reducedMotion: "reduce" })).newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      return { page, complaints: complaintsOf(page) };
    };
    const [inside, outside] = [await open(), await open()];
    await inside.page.context().addCookies([{ name, value, url: base, httpOnly: true, sameSite: "Lax" }]);
    /** The page is as its address alone made it, so that the next address may be followed from there. */
    let is_plain = false;
    for (const screen of [...PAGES, ...PAGES_OF_DATA]) {
      if (screen.states?.includes("small") === false) continue;
      await step(screen.name, async () => {
        const { page, complaints } = screen.signed_out ? outside : inside;
        await take(page, LOOKS[0]);
        const address = await screen.path(page, base);
        ok(address, "the small account has it");
        const may_follow = is_plain && !screen.signed_out;
        is_plain = false;
        if (may_follow) await follow(page, address);
        else await page.goto(base + address);
        await page.locator("h1").first().waitFor();
        // The policy also forbids Chromium to evaluate a condition in the page.
        await until(async () => await page.locator(".skel").count() === 0, `${screen.name} has loaded`);
        try {
          await screen.prepare?.(page);
          deepEqual(complaints.splice(0).filter((text) => BREACH.test(text)), []);
          for (const look of LOOKS) {
            await take(page, look);
            // A page that reads its object again may have begun anew.
            await page.locator("h1").first().waitFor();
            const barriers = await barriersOf(page);
            deepEqual(barriers, [], [`${look.viewport.width} wide, ${look.colorScheme}`, ...barriers].join("\n"));
            ok(
              Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth")) <= 0,
              "scrolls sideways",
            );
          }
        } finally {
          await take(page, LOOKS[0]);
          await screen.leave?.(page);
        }
        is_plain = !screen.signed_out && !screen.prepare && address !== NOWHERE;
      });
    }
    await step("an app and a flow that cannot be read", async () => {
      const { page } = inside;
      for (
        const [list, address, call] of [["platform/apps", "apps", /apps\.find/], [
          "connect/flows",
          "flows",
          /flows\.find/,
        ]] as const
      ) {
        const { body: [{ id }] } = await server.request("GET", `/${list}.json?per_page=1`);
        await page.route(call, (route) => route.abort());
        await page.goto(`${base}/${address}/${id}`);
        await page.getByRole("button", { name: "Retry" }).waitFor();
        deepEqual(await barriersOf(page), [], address);
        await page.unroute(call);
      }
    });
  } finally {
    await server.close();
  }
});
