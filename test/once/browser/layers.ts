/** Apps that show in their text whether the part of a runtime works that they load. */
import { deepEqual, equal } from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Engine } from "../../../server/compiler/compiler.ts";
import { openCompiler } from "../compiler/scratch.ts";
import { complaintsOf, executablePath, launch } from "../../stage/browser.ts";

export interface Case {
  source: string;
  /** What the page says, at first and after each click on the button. */
  texts: string[];
  /** Files of the runtime that it loads. */
  files: number;
}

/** A step a case, in the page of an app, but without the server around it. */
export function testCases(engine: Engine, cases: Record<string, Case>): void {
  Deno.test({
    name: `${engine} in a browser: whatever part of the runtime an app loads`,
    ignore: !executablePath,
    // The browser is a process of its own, with pipes that outlive a step.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: (t) => seeAll(t, engine, cases),
  });
}

async function seeAll(t: Deno.TestContext, engine: Engine, cases: Record<string, Case>) {
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
  const browser = await launch();
  try {
    for (const [name, { source, texts, files }] of Object.entries(cases)) {
      await t.step(name, async () => {
        const { code, imports } = await compiler.compile({ engine, css_engine: "none", source_code: source });
        codes.set(name, code);
        const page = await browser.newPage();
        const complaints = complaintsOf(page);
        await page.goto(`http://127.0.0.1:${server.addr.port}/${encodeURI(name)}`);
        for (const [index, text] of texts.entries()) {
          if (index > 0) await page.getByRole("button").click();
          await says(page, text);
        }
        deepEqual(complaints, []);
        equal(imports.length, files, `${imports}`);
        await page.close();
      });
    }
  } finally {
    await browser.close();
  }
}

/** Waits for a text, and tells the other one where it does not come. */
async function says(page: Page, expected: string): Promise<void> {
  const text = `document.getElementById("platform-app").textContent.replace(/\\s+/g, " ").trim()`;
  await page.waitForFunction(`${text} === ${JSON.stringify(expected)}`, undefined, { timeout: 10_000 }).catch(() => {});
  equal(await page.evaluate(text), expected);
}
