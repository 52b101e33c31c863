/**
 * The console in Chromium: what it loads, when it paints, how soon a key is painted, how soon a preview follows, and the
 * memory of a page after scripted use. The figures are those of this machine; the aims are those of the design.
 */
import { chromium, type Page } from "../packages/playwright.ts";
import { addSession, made } from "../stage/people.ts";
import { ADMIN_TOKEN, startServer, type TestServer } from "../stage/harness.ts";
import type { Section } from "./measure/section.ts";
import { layOut, median } from "./measure/table.ts";

interface Options {
  rounds: number;
  /** Rounds of scripted use before memory is read: some 2 s each. */
  uses?: number;
}

interface Figure {
  name: string;
  values: number[];
  unit: "KB" | "ms" | "MB" | "";
  aim?: number;
}

/** A source of some 3 KB. */
const SOURCE = `<script>let n = $state(0);</script>
<button onclick={() => n++}>clicked {n}</button>
${"<p>One of many paragraphs, as pages have them.</p>\n".repeat(56)}`;

const PATH = "/apps";

/** Bytes over the wire of a first visit, by the browser's own count. */
async function weigh(page: Page, url: string): Promise<{ kb: number; files: number }> {
  await page.goto(url, { waitUntil: "load" });
  await page.locator("h1").first().waitFor();
  const sizes = await page.evaluate<number[]>(
    `performance.getEntriesByType("resource").filter(({ name }) => name.includes("/console/")).map(({ encodedBodySize }) => encodedBodySize)`,
  );
  return { kb: sizes.reduce((sum, size) => sum + size, 0) / 1000, files: sizes.length };
}

const firstPaint = (page: Page) =>
  page.evaluate<number>(`new Promise((resolve) => {
    const found = performance.getEntriesByName("first-contentful-paint")[0];
    if (found) return resolve(found.startTime);
    new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime)).observe({ type: "paint", buffered: true });
  })`);

/** From a key in the editor to the frame that shows it. */
async function keyToPaint(page: Page): Promise<number> {
  const shown = page.evaluate<number>(`new Promise((resolve) => {
    const content = document.querySelector(".editor").shadowRoot.querySelector(".cm-content");
    content.addEventListener("keydown", ({ timeStamp }) =>
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp))), { once: true });
  })`);
  await page.keyboard.press("x");
  return await shown;
}

/** From the end of the pause after the last key to the preview's own report that it has rendered. */
async function previewLatency(page: Page): Promise<number> {
  const PAUSE_MS = 300;
  const ready = page.evaluate<number>(`new Promise((resolve) => {
    const started = performance.now();
    addEventListener("message", function heard({ data }) {
      if (data?.atrium !== "preview" || data.type !== "ready") return;
      removeEventListener("message", heard);
      resolve(performance.now() - started);
    });
  })`);
  await page.keyboard.press("Space");
  return await ready - PAUSE_MS;
}

const heapOf = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  return await page.evaluate<number>("performance.memory.usedJSHeapSize / 1e6");
};

async function measured(server: TestServer, base: string, { rounds, uses = 60 }: Options): Promise<Figure[]> {
  const app = { name: "Measured", app_engine: "svelte", css_engine: "none", source_code: SOURCE };
  const { id } = made(await server.request("POST", "/platform/apps.json", { json: { app } }));
  const { body: { user } } = await server.request("GET", "/account/me.json", { token: ADMIN_TOKEN });
  const { cookie } = await addSession(server, user.id);
  const [name = "", value = ""] = cookie.split("=");
  const browser = await chromium.launch({
    executablePath: Deno.env.get("TEST_CHROMIUM") ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  });
  try {
    const open = async () => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      await context.addCookies([{ name, value, url: base, httpOnly: true, sameSite: "Lax" }]);
      return await context.newPage();
    };
    const [weights, files, paints, keys, previews]: number[][] = [[], [], [], [], []];
    for (let round = 0; round < rounds; round++) {
      const page = await open();
      const { kb, files: count } = await weigh(page, base + PATH);
      weights?.push(kb);
      files?.push(count);
      paints?.push(await firstPaint(page));
      await page.goto(`${base}/apps/${id}`);
      await page.frameLocator("iframe[title$=preview]").getByText("clicked 0").waitFor();
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+End");
      keys?.push(await keyToPaint(page));
      previews?.push(await previewLatency(page));
      await page.context().close();
    }
    const page = await open();
    await page.goto(base + PATH);
    await page.locator("h1").first().waitFor();
    const before = await heapOf(page);
    for (let use = 0; use < uses; use++) {
      for (const path of ["/", "/apps", `/apps/${id}`, "/apps?view=list"]) {
        await page.evaluate(`{ const link = document.createElement("a"); link.href = ${JSON.stringify(path)};
          document.querySelector("main").append(link); link.click(); link.remove(); }`);
        await page.locator("h1").first().waitFor();
      }
    }
    const after = await heapOf(page);
    return [
      { name: "first load, compressed", values: weights ?? [], unit: "KB", aim: 100 },
      { name: "files of the first load", values: files ?? [], unit: "" },
      { name: "first contentful paint", values: paints ?? [], unit: "ms", aim: 1000 },
      { name: "key to paint", values: keys ?? [], unit: "ms", aim: 50 },
      { name: "preview of 3 KB, after the pause", values: previews ?? [], unit: "ms", aim: 120 },
      { name: "memory of a page", values: [before], unit: "MB" },
      { name: `memory after ${uses * 4} changes of page`, values: [after], unit: "MB" },
    ];
  } finally {
    await browser.close();
  }
}

export const consoleSection = (options: Options): Section => ({
  name: "console",
  missing: undefined,
  async measure(stack) {
    const server = await startServer();
    stack.defer(() => server.close());
    await server.console.prepare();
    const figures = await measured(server, server.listen(), options);
    const number = (value: number) => value.toFixed(value < 10 ? 1 : 0);
    const rows = figures.map(({ name, values, unit, aim }) => [
      name,
      `${number(median(values))} ${unit}`,
      number(Math.min(...values)),
      number(Math.max(...values)),
      aim === undefined ? "" : `≤${aim} ${median(values) <= aim ? "met" : "MISSED"}`,
    ]);
    return { result: { figures }, report: layOut([["", "median", "min", "max", "aim"], ...rows], 1) };
  },
});
