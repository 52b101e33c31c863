/** Previews in Chromium, in a frame of a page of this site: what each engine's page reports, with lines of the source. */
import { deepEqual, equal, ok } from "node:assert/strict";
import type { Page } from "../../packages/playwright.ts";
import { browserTest } from "../../stage/browser.ts";
import { startServer, type TestServer } from "../../stage/harness.ts";
import { addSession, made } from "../../stage/people.ts";
import { until } from "../../stage/until.ts";

const COUNTER = `<script>
  let { start = 1 } = $props();
  let count = $state(start);
  console.log("count is %s", count, { deep: [1, new Map([["a", null]])] });
  function fail() {
    Promise.reject(new TypeError("rejected"));
    throw new Error("thrown");
  }
</script>
<button onclick={fail}>{count}</button>
`;

const DOCUMENT = `<!-- first
line --><!doctype html><script>console.warn("on the doctype's line")</script>
<p>text</p>
<script>
  missing();
</script>`;

const SCRIPT = `document.body.append("drawn");
console.error(new RangeError("logged"));
setTimeout(() => undefined.property);
`;

/** For each kind of message its text and place. */
interface Message {
  type: string;
  level?: string;
  text?: string;
  line?: number | null;
  column?: number | null;
  rendered?: boolean;
}

browserTest("previews report their console, errors and first render", async ({ browser, step }) => {
  const server = await startServer();
  try {
    const base = server.listen();
    const { cookie } = await addSession(server, 1);
    const [name = "", value = ""] = cookie.split("=");
    const context = await browser.newContext();
    await context.addCookies([{ name, value, url: base }]);
    const page = await context.newPage();
    // A page at this site's address, as the console is one.
    await page.route(`${base}/apps/1`, (route) => route.fulfill({ contentType: "text/html", body: "" }));
    await page.goto(`${base}/apps/1`);
    await step("svelte", () => reportsSvelte(server, page));
    await step("html, with lines behind what the server inserts", () => reportsHtml(server, page));
    await step("js, and no more messages than a console can show", () => reportsScript(server, page));
    await step("a live page reports nothing, and a preview nothing to other sites", () => keepsToItself(server, page));
  } finally {
    await server.close();
  }
});

async function previewOf(server: TestServer, app: Record<string, unknown>): Promise<string> {
  return made(await server.request("POST", "/platform/apps/preview.json", { json: { app } })).url;
}

/** Shows the address in a frame. @returns the messages so far */
async function show(page: Page, url: string): Promise<() => Promise<Message[]>> {
  await page.evaluate(`
    globalThis.messages = [];
    document.body.innerHTML = '<iframe src="${url}"></iframe>';
    onmessage = ({ data, source, origin }) => {
      if (data?.atrium === "preview" && source === frames[0] && origin === "null") messages.push(data);
    };
  `);
  return () => page.evaluate<Message[]>("messages");
}

const places = (messages: Message[]) => messages.map(({ type, text, line }) => [type, text, line]);

async function reportsSvelte(server: TestServer, page: Page): Promise<void> {
  const app = { app_engine: "svelte", css_engine: "none", source_code: COUNTER };
  const messages = await show(page, await previewOf(server, app));
  await until(async () => (await messages()).length === 2, "the console and the first render are reported");
  const ready = (await messages()).find(({ type }) => type === "ready");
  equal(ready?.rendered, true);
  const [log] = (await messages()).filter(({ type }) => type === "console");
  deepEqual([log?.level, log?.text, log?.line, log?.column], [
    "log",
    `count is 1 { deep: [1, Map { "a" => null }] }`,
    4,
    11,
  ]);
  await page.frameLocator("iframe").getByRole("button").click();
  await until(async () => (await messages()).length === 4, "both errors are reported");
  deepEqual(places((await messages()).filter(({ type }) => /error|rejection/.test(type))).sort(), [
    ["error", "Error: thrown", 7],
    ["rejection", "TypeError: rejected", 6],
  ]);
}

async function reportsHtml(server: TestServer, page: Page): Promise<void> {
  const messages = await show(page, await previewOf(server, { app_engine: "html", source_code: DOCUMENT }));
  await until(async () => (await messages()).some(({ type }) => type === "ready"), "it is ready");
  await until(async () => (await messages()).length === 3, "all is reported");
  deepEqual(places((await messages()).filter(({ type }) => type !== "ready")), [
    ["console", "on the doctype's line", 2],
    ["error", "ReferenceError: missing is not defined", 5],
  ]);
}

async function reportsScript(server: TestServer, page: Page): Promise<void> {
  const messages = await show(page, await previewOf(server, { app_engine: "js", source_code: SCRIPT }));
  await until(async () => (await messages()).length === 3, "all is reported");
  const [logged, thrown] = places((await messages()).filter(({ type }) => type !== "ready"));
  deepEqual(logged, ["console", "RangeError: logged", 2]);
  equal(thrown?.[2], 3);
  const source_code = "for (let i = 0; i < 5_000; i++) console.log(i);";
  const many = await show(page, await previewOf(server, { app_engine: "js", source_code }));
  await until(async () => (await many()).some(({ type }) => type === "dropped"), "the number left out is reported");
  ok((await many()).length < 1_000);
}

async function keepsToItself(server: TestServer, page: Page): Promise<void> {
  const app = { name: "Live", app_engine: "js", source_code: SCRIPT, public: true };
  const { id } = made(await server.request("POST", "/platform/apps.json", { json: { app } }));
  const messages = await show(page, `/a/${id}/frame`);
  await page.frameLocator("iframe").getByText("drawn").waitFor();
  deepEqual(await messages(), []);
}
