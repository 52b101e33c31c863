/**
 * `deno task screenshots`: pictures of every page of the console, in four widths and two themes, in the folder screens/.
 * `--only=apps,people` takes the pages whose names begin so, `--widths=360,1280` and `--themes=dark` fewer pictures,
 * `--state=empty` or `full` shows a new account or a large one, instead of a small one,
 * `--whole=yes` makes the window as high as what scrolls in it,
 * `--url=http://… --login=… --password=…` a server that runs already; otherwise one is started and filled.
 */
import { parseArgs } from "node:util";
import { chromium } from "../packages/playwright.ts";
import { ADMIN_PASSWORD, startServer } from "../stage/harness.ts";
import { freePort } from "../stage/network/ports.ts";
import { print } from "../stage/print.ts";
import { fill } from "./fill.ts";
import { fillFull, startService } from "./fill_full.ts";
import { writeHistory } from "./history.ts";
import { fillMore } from "./more.ts";
import { PAGES } from "./pages.ts";
import { PAGES_OF_DATA } from "./pages_of_data.ts";

const text = { type: "string" } as const;
const { values: options } = parseArgs({
  args: Deno.args,
  options: { only: text, widths: text, themes: text, state: text, whole: text, url: text, login: text, password: text },
});
const listOf = (name: "widths" | "themes", all: string) => (options[name] ?? all).split(",");

const FOLDER = new URL("../../screens/", import.meta.url);
const HEIGHTS: Record<string, number> = { 360: 780, 768: 1024, 1280: 800, 1920: 1080 };
/** Longer pages are cut. */
const MAX_MORE = 2_400;
/** Runs in the page: by how much the window is too low for what scrolls in it. */
const MISSING = `Math.max(0, ...[...document.querySelectorAll("body, body *")].map((one) => {
  const scrolls = /auto|scroll/.test(getComputedStyle(one).overflowY) && !one.closest(".cm-editor, .side, dialog");
  return scrolls ? one.scrollHeight - one.clientHeight : 0;
}))`;
/** Runs in the page: whether the gallery's pictures that are in the window have loaded. */
const THUMBNAILS = `[...document.querySelectorAll(".thumbnail")].every((one) =>
  one.getBoundingClientRect().top > innerHeight || one.querySelector("iframe.loaded"))`;

const state = options.state ?? "small";
const service = startService();
/** The server names its own address in mail footers and in what is shared. */
const port = freePort();
const own = options.url !== undefined
  ? undefined
  : await startServer({ EGRESS_ALLOW: service.host, BASE_URL: `http://127.0.0.1:${port}` });
const url = options.url ?? own?.listen(port) ?? "";
if (own) {
  await own.console.prepare();
  if (state !== "empty") {
    await fill(own.request);
    if (state === "full") await fillFull(own.request, service.host);
    await writeHistory(own);
    if (state === "full") await fillMore(own.request);
  }
}
const login = options.login ?? "admin";
const password = options.password ?? ADMIN_PASSWORD;

await Deno.mkdir(FOLDER, { recursive: true });
const browser = await chromium.launch({
  executablePath: Deno.env.get("TEST_CHROMIUM") ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});
const only = options.only?.split(",") ?? [""];
const wanted = [...PAGES, ...PAGES_OF_DATA].filter(({ name, states }) =>
  only.some((start) => name.startsWith(start)) && (states ?? ["small", "full"]).some((one) => one === state)
);
const suffix = state === "small" ? "" : `-${state}`;
for (const colorScheme of listOf("themes", "light,dark")) {
  if (colorScheme !== "light" && colorScheme !== "dark") throw new Error("--themes=light,dark");
  const context = await browser.newContext({ colorScheme, reducedMotion: "reduce" });
  context.setDefaultTimeout(10_000);
  const inside = await context.newPage();
  const stranger = await browser.newContext({ colorScheme, reducedMotion: "reduce" });
  const outside = await stranger.newPage();
  await inside.goto(`${url}/sign_in`);
  await inside.fill("[name=login]", login);
  await inside.fill("[name=password]", password);
  await inside.click("form button");
  for (const width of listOf("widths", "360,768,1280,1920").map(Number)) {
    const height = HEIGHTS[width] ?? 800;
    for (const { name, path, prepare, leave, signed_out = false } of wanted) {
      const page = signed_out ? outside : inside;
      await page.setViewportSize({ width, height });
      const address = await path(page, url);
      if (!address) continue;
      await page.goto(url + address);
      await page.locator("h1").first().waitFor().catch(() => print(`${name} has no h1`));
      await page.locator(".skel").filter({ visible: true }).first().waitFor({ state: "detached", timeout: 10_000 })
        .catch(() => {});
      try {
        await prepare?.(page);
      } catch (error) {
        print(`${name}: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
      }
      if (options.whole === "yes") {
        const missing = Number(await page.evaluate(MISSING));
        await page.setViewportSize({ width, height: height + Math.min(missing, MAX_MORE) });
      }
      // Frames of apps paint after their page has loaded.
      await page.waitForTimeout(700);
      await page.waitForFunction(THUMBNAILS, undefined, { timeout: 6_000 }).catch(() => {});
      await page.screenshot({ path: new URL(`${name}${suffix}-${width}-${colorScheme}.png`, FOLDER).pathname });
      await leave?.(page).catch((error) => print(`${name}, left: ${error}`));
    }
    print(`${colorScheme}, ${width} px: ${wanted.length} pages`);
  }
  await context.close();
  await stranger.close();
}
await browser.close();
await own?.close();
await service.close();
