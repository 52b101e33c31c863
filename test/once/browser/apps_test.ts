/** Compiled apps in Chromium, in the sandbox that they are served in. */
import { deepEqual, equal, match } from "node:assert/strict";
import type { Browser, Page } from "../../packages/playwright.ts";
import { startServer, type TestServer } from "../../stage/harness.ts";
import { browserTest, complaintsOf } from "../../stage/browser.ts";

const COUNTER = `<script lang="ts">
  import { fade } from "svelte/transition";
  let { start = 0 }: { start?: number } = $props();
  let count = $state(start);
  let doubled = $derived(count * 2);
</script>

<h1 class="text-3xl font-bold">Counter</h1>
<button class="bg-indigo-600 text-white" onclick={() => count++}>clicked {count}</button>
{#if count > 0}<p transition:fade>doubled {doubled}</p>{/if}

<style>
  h1 { color: rgb(1, 2, 3); }
</style>
`;

const STORAGE = `localStorage.setItem("visits", "1");
localStorage.best = 7;
document.querySelector("#platform-app").textContent =
  [localStorage.getItem("visits"), localStorage.best, localStorage.length, Object.keys(localStorage).join("+")].join(" ");
`;

const PRYING = `<!doctype html><title>Prying</title><pre id="out"></pre><script>
const tried = {};
const attempt = async (name, work) => { try { tried[name] = String(await work()).slice(0, 60); } catch (e) { tried[name] = "refused " + e.name; } };
(async () => {
  await attempt("origin", () => location.origin === "null" ? "opaque" : self.origin);
  await attempt("cookie", () => document.cookie);
  await attempt("worker", () => navigator.serviceWorker.register("/a/x"));
  await attempt("api", async () => (await fetch("/account/departments.json", { credentials: "include" })).status);
  await attempt("page", async () => (await fetch("/a/counter")).status);
  await attempt("indexed", () => indexedDB.open("x"));
  document.querySelector("#out").textContent = JSON.stringify({ ...tried, origin: self.origin, user: PlatformAppContext.user });
})();
</script>`;

/** Declares what the page's own scripts must not. */
const WITHOUT = `const missing = [], tell = 1, thing = 2, value = 3;
const attempt = (work) => { try { work(); } catch (error) { missing.push(error.name); } };
attempt(() => document.cookie);
attempt(() => { document.cookie = "a=1"; });
attempt(() => indexedDB.open("x"));
attempt(() => navigator.locks?.request("x", () => {}).catch(() => {}));
document.querySelector("#platform-app").textContent = "done";`;

const apps: Record<string, Record<string, unknown>> = {
  without: { app_engine: "js", css_engine: "none", source_code: WITHOUT },
  counter: { app_engine: "svelte", css_engine: "tailwind", source_code: COUNTER },
  everything: { app_engine: "svelte", css_engine: "tailwind_all", source_code: COUNTER },
  storage: { app_engine: "js", css_engine: "none", source_code: STORAGE },
  prying: { app_engine: "html", css_engine: "none", source_code: PRYING },
};

browserTest("apps in a browser", async ({ browser, step }) => {
  const server = await startServer();
  try {
    const base = server.listen();
    for (const [url_code, fields] of Object.entries(apps)) {
      const { status, body } = await server.request("POST", "/platform/apps.json", {
        json: { app: { name: url_code, url_code, public: true, ...fields } },
      });
      equal(status, 201, JSON.stringify(body));
    }
    for (const css_engine of ["counter", "everything"]) {
      await step(`${css_engine}: a click counts`, () => counts(browser, `${base}/a/${css_engine}`));
    }
    await step("storage lives as long as the page", () => keepsStorage(browser, base));
    await step("cookies, IndexedDB and locks log the alternative", () => namesAlternative(browser, base));
    await step("the sandbox holds", () => holds(browser, base));
    const viewer = await addViewer(server);
    await step("an embedded viewer is known to its page", () => knowsViewer(browser, viewer, base));
  } finally {
    await server.close();
  }
});

async function opened(browser: Browser, url: string, work: (page: Page, complaints: string[]) => Promise<void>) {
  const page = await browser.newPage();
  const complaints = complaintsOf(page);
  await page.goto(url);
  await work(page, complaints);
  await page.close();
}

const counts = (browser: Browser, url: string) =>
  opened(browser, url, async (page, complaints) => {
    const button = page.getByRole("button");
    equal(await button.textContent(), "clicked 0");
    await button.click();
    equal(await button.textContent(), "clicked 1");
    equal(await page.getByText("doubled 2").count(), 1);
    const styled = (property: string, selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector("${selector}")).getPropertyValue("${property}")`);
    equal(await styled("color", "h1"), "rgb(1, 2, 3)", "the component's own style");
    await page.waitForFunction(
      `getComputedStyle(document.querySelector("button")).backgroundColor !== "rgba(0, 0, 0, 0)"`,
      undefined,
      { timeout: 60_000 },
    );
    equal(await styled("font-weight", "h1"), "700", "Tailwind's");
    deepEqual(complaints, []);
  });

const keepsStorage = (browser: Browser, base: string) =>
  opened(browser, `${base}/a/storage`, async (page, complaints) => {
    equal(await page.locator("#platform-app").textContent(), "1 7 2 visits+best");
    deepEqual(complaints, []);
  });

async function namesAlternative(browser: Browser, base: string) {
  const page = await browser.newPage();
  const warnings: string[] = [];
  page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
  await page.goto(`${base}/a/without`);
  await page.getByText("done").waitFor();
  const told = warnings.filter((text) => text.includes('db() of "platform"')).map((text) => text.split(" ")[0]);
  // A page over plain http has no locks.
  deepEqual(told.filter((thing) => thing !== "navigator.locks"), ["document.cookie", "IndexedDB"]);
  await page.close();
}

const holds = (browser: Browser, base: string) =>
  opened(browser, `${base}/a/prying`, async (page) => {
    await page.locator("#out:not(:empty)").waitFor();
    const tried = JSON.parse(await page.locator("#out").textContent() ?? "{}");
    equal(tried.origin, "null");
    equal(tried.user, null);
    for (const way of ["cookie", "worker", "page", "indexed"]) match(tried[way], /^refused /, `${way}: ${tried[way]}`);
    match(tried.api, /^(401|refused )/);
  });

async function addViewer(server: TestServer): Promise<{ token: string; team_id: number }> {
  const team = await server.request("POST", "/account/teams.json", { json: { team: { name: "Field </script>" } } });
  const user = { email: "viewer@example.com", name: "Viewer", role: "guest", team_ids: [team.body.id] };
  const made = await server.request("POST", "/account/user_settings.json", { json: { user_setting: user } });
  const token = await server.request("POST", "/account/tokens.json", {
    json: { token: { name: "viewer", user_setting_id: made.body.id } },
  });
  return { token: token.body.token, team_id: team.body.id };
}

async function knowsViewer(browser: Browser, viewer: { token: string; team_id: number }, base: string) {
  const page = await browser.newPage({ extraHTTPHeaders: { authorization: `Bearer ${viewer.token}` } });
  await page.goto(`${base}/a/storage`);
  deepEqual(await page.evaluate("PlatformAppContext.user"), {
    login: "viewer@example.com",
    email: "viewer@example.com",
    name: "Viewer",
    role: "guest",
    team_ids: [viewer.team_id],
    group_ids: [],
    department_ids: [],
    team_names: ["Field </script>"],
    group_names: [],
    department_names: [],
  });
  await page.close();
}
