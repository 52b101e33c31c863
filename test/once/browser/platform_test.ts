/** The `platform` module in Chromium, in the apps' sandbox, where every request comes from an opaque origin. */
import { deepEqual, equal } from "node:assert/strict";
import type { Browser, Page } from "../../packages/playwright.ts";
import { startServer, type TestServer } from "../../stage/harness.ts";
import { browserTest, complaintsOf } from "../../stage/browser.ts";

/** Defines `tell`, which runs a call and returns its result or its error as text. */
const TELL = `
const tell = async (name, call) => name + ": " + await call().then(
  (value) => JSON.stringify(value),
  (error) => [error instanceof PlatformError, error.status, error.code].join(" "),
);`;

const SVELTE = `<script>
  import { action, context, db, PlatformError, user } from "platform";
  let said = $state("");
  ${TELL}
  const calls = {
    action: () => action("nothing here?", { at: new Date() }),
    list: () => db().list({ page: 1 }),
    create: () => db("other").create({ title: "x" }),
  };
</script>
<h1>{[context.app.name, context.app.db_code, \`\${user}\`, context === window.PlatformAppContext].join(", ")}</h1>
{#each Object.entries(calls) as [name, call]}
  <button onclick={async () => said = await tell(name, call)}>{name}</button>
{/each}
<output>{said}</output>`;

const HTML = `<!doctype html><title>Own page</title>
<h1></h1><button>action</button><output></output>
<script>
const { action, context, PlatformError, user } = window.platform;
${TELL}
document.querySelector("h1").textContent = [context.app.name, \`\${context.app.db_code}\`, \`\${user}\`, Object.keys(platform)].join(", ");
document.querySelector("button").onclick = async () => {
  document.querySelector("output").textContent = await tell("action", () => action("nothing"));
};
</script>`;

/** A game that declares its own variable `platform`. */
const GAME = `let platform = { width: 90 };
document.querySelector("#platform-app").textContent = "a platform of " + platform.width;`;

const apps: Record<string, Record<string, unknown>> = {
  module: { app_engine: "svelte", db_code: "todos", source_code: SVELTE },
  script: { app_engine: "html", source_code: HTML },
  game: { app_engine: "js", source_code: GAME },
};

/** A stranger cannot tell a missing action from a private one. */
const MISSING = "true 401 unauthorized";

browserTest("the platform module in a browser", async ({ browser, step }) => {
  const server = await startServer();
  try {
    const base = server.listen();
    const ids: Record<string, string> = {};
    for (const [url_code, fields] of Object.entries(apps)) {
      const { status, body } = await server.request("POST", "/platform/apps.json", {
        json: { app: { name: `The ${url_code}`, url_code, public: true, css_engine: "none", ...fields } },
      });
      equal(status, 201, JSON.stringify(body));
      ids[url_code] = body.id;
    }
    await step("a compiled app imports it, and reads why it is refused", () => readsRefusals(browser, base));
    await step("an html app has platform in its window", () => hasItInWindow(browser, base));
    await step("an app may call its own things platform", () => hasItsOwn(browser, base));
    await step("an action is waited for", () => waits(browser, base, `${ids.module}`));
    const token = await addViewer(server);
    await step("platform has the viewer", () => knowsViewer(browser, token, base));
  } finally {
    await server.close();
  }
});

async function opened(browser: Browser, url: string, work: (page: Page) => Promise<void>) {
  const page = await browser.newPage();
  await page.goto(url);
  await work(page);
  await page.close();
}

/** Clicks a button and returns what the app prints. */
async function told(page: Page, button: string): Promise<string> {
  await page.getByRole("button", { name: button }).click();
  const output = page.locator("output", { hasText: `${button}: ` });
  return `${await output.textContent()}`.slice(`${button}: `.length);
}

const readsRefusals = (browser: Browser, base: string) =>
  opened(browser, `${base}/a/module`, async (page) => {
    equal(await page.locator("h1").textContent(), "The module, todos, null, true");
    // No action can have this name, so its absence tells nothing.
    equal(await told(page, "action"), "true 404 not_found", "action");
    equal(await told(page, "list"), MISSING, "list");
    equal(await told(page, "create"), MISSING, "create");
  });

const hasItInWindow = (browser: Browser, base: string) =>
  opened(browser, `${base}/a/script`, async (page) => {
    equal(await page.locator("h1").textContent(), "The script, null, null, PlatformError,action,context,db,user");
    equal(await page.evaluate("document.compatMode"), "CSS1Compat", "its doctype is still the first thing");
    equal(await told(page, "action"), MISSING, "action");
  });

async function hasItsOwn(browser: Browser, base: string) {
  const page = await browser.newPage();
  const complaints = complaintsOf(page);
  await page.goto(`${base}/a/game`);
  equal(await page.locator("#platform-app").textContent(), "a platform of 90");
  equal(await page.evaluate("typeof window.platform"), "undefined", "which means that it does not use the module");
  deepEqual(complaints, []);
  await page.close();
}

/** The answers are intercepted: the server's side of actions is tested in test/flow/. */
async function waits(browser: Browser, base: string, id: string) {
  const asked: string[] = [];
  const page = await browser.newPage();
  await page.route("**/action/**", (route, request) => {
    const status = asked.push(`${request.method()} ${request.url().slice(base.length)}`) < 3 ? "pending" : "finished";
    return route.fulfill({
      headers: { "access-control-allow-origin": "*" },
      json: { flow_process_id: "p", status, data: { rate: 4.2 } },
    });
  });
  await page.goto(`${base}/a/module`);
  equal(await told(page, "action"), `{"rate":4.2}`);
  const address = `/platform/apps/${id}/action/nothing%20here%3F`;
  const poll = `GET ${address}/status?flow_process_id=p`;
  deepEqual(asked, [`POST ${address}`, poll, poll]);
  await page.close();
}

/** Creates a guest. Returns its token. */
async function addViewer(server: TestServer): Promise<string> {
  const user = { email: "viewer@example.com", name: "Viewer", role: "guest" };
  const made = await server.request("POST", "/account/user_settings.json", { json: { user_setting: user } });
  const token = await server.request("POST", "/account/tokens.json", {
    json: { token: { name: "viewer", user_setting_id: made.body.id } },
  });
  return token.body.token;
}

async function knowsViewer(browser: Browser, token: string, base: string) {
  const page = await browser.newPage({ extraHTTPHeaders: { authorization: `Bearer ${token}` } });
  await page.goto(`${base}/a/script`);
  deepEqual(await page.evaluate("[platform.user.name, platform.user === PlatformAppContext.user]"), ["Viewer", true]);
  deepEqual(await page.evaluate("Object.keys(PlatformAppContext)"), ["user", "app"]);
  await page.close();
}
