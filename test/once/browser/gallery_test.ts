/** The gallery's apps in Chromium, in the sandbox that they are served in, used by mouse and keyboard. */
import { deepEqual, equal, ok } from "node:assert/strict";
import type { Browser, Page } from "../../packages/playwright.ts";
import { GALLERY, type GalleryApp, readSource } from "../../../client/gallery/gallery.ts";
import { CSS_ENGINES, type CssEngine } from "../../../server/compiler/compiler.ts";
import { startServer, type TestServer } from "../../stage/harness.ts";
import { browserTest, complaintsOf } from "../../stage/browser.ts";
import { TIME_ZONE, USES } from "./gallery_uses.ts";

const WIDE = { viewport: { width: 1024, height: 720 }, colorScheme: "light" } as const;
const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: "dark" } as const;

/** Only these engines take a CSS engine. */
const isStyled = ({ app_engine }: GalleryApp) => ["svelte", "vue", "react"].includes(app_engine);

browserTest("the gallery in a browser", async ({ browser, step }) => {
  const server = await startServer();
  try {
    const base = server.listen();
    for (const app of GALLERY) {
      const others = isStyled(app) ? CSS_ENGINES.filter((css_engine) => css_engine !== app.css_engine) : [];
      for (const css_engine of [app.css_engine, ...others]) {
        const url = await publish(server, base, app, css_engine);
        const looks = css_engine === app.css_engine ? [WIDE, NARROW] : [WIDE];
        // Side by side, because the games run in real time.
        await Promise.all(looks.map((look) =>
          step(
            `${app.name}: ${app.app_engine}, ${css_engine}, ${look.viewport.width} wide`,
            () => use(browser, url, app, css_engine, look),
          )
        ));
      }
    }
  } finally {
    await server.close();
  }
});

/** Creates the app. Returns its address. */
async function publish(server: TestServer, base: string, app: GalleryApp, css_engine: CssEngine): Promise<string> {
  const { file: _, ...fields } = app;
  const source_code = await readSource(app);
  const { status, body } = await server.request("POST", "/platform/apps.json", {
    json: { app: { ...fields, url_code: `${app.url_code}-${css_engine}`, css_engine, source_code, public: true } },
  });
  equal(status, 201, JSON.stringify(body));
  deepEqual(body.config.warnings, []);
  return `${base}/a/${body.url_code}`;
}

async function use(
  browser: Browser,
  url: string,
  app: GalleryApp,
  css_engine: CssEngine,
  look: typeof WIDE | typeof NARROW,
): Promise<void> {
  const context = await browser.newContext({ ...look, timezoneId: TIME_ZONE, locale: "en-GB" });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints = complaintsOf(page);
  try {
    await page.goto(url);
    if (isStyled(app)) await showsTailwind(page, css_engine !== "none");
    await USES[app.url_code]?.(page);
    ok(app.url_code in USES, "gallery_uses.ts has a use of it");
    deepEqual(await nameless(page), [], "every control has a name");
    equal(await page.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)"), 0, await widths(page));
    deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

/** The main element of every app that is made with Tailwind has the class `min-h-screen`. */
async function showsTailwind(page: Page, expected: boolean): Promise<void> {
  const height = "getComputedStyle(document.querySelector('main')).minHeight";
  await page.locator("main").waitFor();
  if (expected) await page.waitForFunction(`${height} === innerHeight + "px"`);
  else ok(["0px", "auto"].includes(`${await page.evaluate(height)}`));
}

/** Describes what does not fit the page's width. */
const widths = (page: Page) =>
  page.evaluate<string>(`["it fits " + innerWidth].concat([...document.querySelectorAll("*")]
    .map((element) => [element.tagName, element.className, element.getBoundingClientRect().right].join(" "))
    .filter((text) => Number(text.split(" ").at(-1)) > innerWidth)).join("; ")`);

/** Controls without an accessible name. */
const nameless = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll("button, input, textarea, meter")]
    .filter((control) => !(control.ariaLabel || control.labels?.[0]?.textContent || control.textContent).trim())
    .map((control) => control.outerHTML)`);
