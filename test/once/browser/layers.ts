/** Checks in Chromium that apps work with the parts of a runtime that they load. */
import { deepEqual, equal } from "node:assert/strict";
import type { Page } from "../../packages/playwright.ts";
import type { CssEngine, Engine } from "../../../server/compiler/compiler.ts";
import { openCompiler } from "../compiler/scratch.ts";
import { type BrowserStage, browserTest, complaintsOf } from "../../stage/browser.ts";

export interface Case {
  source: string;
  /** The page's text: at first, and after each click on the button. */
  texts: string[];
  /** How many files of the runtime the app loads; undefined where the case is about something else. */
  files?: number;
  css_engine?: CssEngine;
}

/** Registers one test with a step for each case. The page is built like an app's page, without the server. */
export function testCases(engine: Engine, cases: Record<string, Case>): void {
  browserTest(
    `${engine} in a browser: every part of the runtime that an app may load`,
    (stage) => checkAll(stage, engine, cases),
  );
}

/** Adds a step for each case to a test. */
export async function checkAll({ browser, step }: BrowserStage, engine: Engine, cases: Record<string, Case>) {
  await using compiler = openCompiler();
  const codes = new Map<string, string>();
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async ({ url }) => {
    const path = new URL(url).pathname;
    const vendor = path.startsWith("/vendor/") && await compiler.vendor(path.slice("/vendor/".length));
    if (vendor) return new Response(vendor.body, { headers: { "content-type": vendor.content_type } });
    const code = codes.get(decodeURI(path.slice(1)));
    if (code === undefined) return new Response(null, { status: 404 });
    const page = `<!doctype html><body><div id="platform-app"></div><script type="module">${code}</script>`;
    return new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } });
  });
  for (const [name, { source, texts, files, css_engine = "none" }] of Object.entries(cases)) {
    await step(name, async () => {
      const { code, imports } = await compiler.compile({ engine, css_engine, source_code: source });
      codes.set(name, code);
      const page = await browser.newPage();
      const complaints = complaintsOf(page);
      await page.goto(`http://127.0.0.1:${server.addr.port}/${encodeURI(name)}`);
      for (const [index, text] of texts.entries()) {
        if (index > 0) await page.getByRole("button").click();
        await says(page, text);
      }
      deepEqual(complaints, []);
      if (files !== undefined) equal(imports.length, files, `${imports}`);
      await page.close();
    });
  }
}

/** Waits for a text. If it does not appear, the assertion shows the text that is there. */
async function says(page: Page, expected: string): Promise<void> {
  const text = `document.getElementById("platform-app").textContent.replace(/\\s+/g, " ").trim()`;
  await page.waitForFunction(`${text} === ${JSON.stringify(expected)}`, undefined, { timeout: 60_000 }).catch(() => {});
  equal(await page.evaluate(text), expected);
}
