/** Chromium on the console, and the times that the page itself takes of keys, paints and previews. */
import { type Browser, chromium, type Page } from "../../packages/playwright.ts";
import { until } from "../../stage/until.ts";

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: Deno.env.get("TEST_CHROMIUM") ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  });

/** Listens from the start of each document: a listener that is added beside a key may come after it. */
const WATCH = `globalThis.watched = { pressed: 0, painted: [], ready: [] };
addEventListener("keydown", ({ timeStamp }) => {
  watched.pressed = timeStamp;
  requestAnimationFrame(() => setTimeout(() => watched.painted.push(performance.now() - timeStamp)));
}, true);
addEventListener("message", ({ data }) => {
  if (data?.atrium === "preview" && data.type === "ready") watched.ready.push(performance.now());
});`;

/** @param cookie of a session */
export async function openPage(browser: Browser, url: string, cookie: string): Promise<Page> {
  const [name = "", value = ""] = cookie.split("=");
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addInitScript(WATCH);
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: "Lax" }]);
  return await context.newPage();
}

/** Waits until an expression of the page is true. The console's policy forbids Playwright's own `waitForFunction`. */
export const untilTrue = (page: Page, expression: string): Promise<void> =>
  until(() => page.evaluate<boolean>(`Boolean(${expression})`), expression, 60_000);

export async function firstPaint(page: Page): Promise<number> {
  await untilTrue(page, `performance.getEntriesByName("first-contentful-paint").length > 0`);
  return await page.evaluate<number>(`performance.getEntriesByName("first-contentful-paint")[0].startTime`);
}

/** From a key to the end of the frame after it, in milliseconds, of each of the keys. */
export async function keysToPaint(page: Page, keys: readonly string[]): Promise<number[]> {
  await page.evaluate("void (watched.painted = [])");
  for (const [index, key] of keys.entries()) {
    await page.keyboard.press(key);
    await untilTrue(page, `watched.painted.length > ${index}`);
  }
  return await page.evaluate<number[]>("watched.painted");
}

/** The pause after the last key, before the console asks for a preview. */
const PAUSE_MS = 300;

/** From the end of the pause after a key to the preview's own report that it has rendered. */
export async function previewLatency(page: Page, key: string): Promise<number> {
  await page.evaluate("void (watched.ready = [])");
  await page.keyboard.press(key);
  await untilTrue(page, "watched.ready.length > 0");
  return await page.evaluate<number>("watched.ready[0] - watched.pressed") - PAUSE_MS;
}

/** From Ctrl-K to the frame in which the palette takes words. */
export async function paletteToPaint(page: Page): Promise<number> {
  await page.evaluate(`void (watched.palette = new Promise((resolve) =>
    addEventListener("keydown", ({ key, timeStamp }) => {
      const look = () => document.activeElement?.closest("dialog[open]")
        ? setTimeout(() => resolve(performance.now() - timeStamp))
        : requestAnimationFrame(look);
      if (key === "k") requestAnimationFrame(look);
    }, true)))`);
  await page.keyboard.press("Control+k");
  await page.locator("dialog[open] input").first().waitFor();
  const took = await page.evaluate<number>("watched.palette");
  await page.keyboard.press("Escape");
  return took;
}
