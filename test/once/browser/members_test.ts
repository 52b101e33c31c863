/** Two members and two apps in Chromium: nobody reads what belongs to another viewer or another app. */
import assert from "node:assert/strict";
import type { Browser, BrowserContext, Frame, Page } from "../../packages/playwright.ts";
import { browserTest } from "../../stage/browser.ts";
import { startServer, type TestServer } from "../../stage/harness.ts";
import { addPerson, addSession, type Ask, made } from "../../stage/people.ts";
import { freePort } from "../../stage/network/ports.ts";
import { until } from "../../stage/until.ts";
import { ATTACKS, hostileSource } from "./hostile_app.ts";

/** Stands in the source of the first app, which is private. */
const CANARY = "canary-of-the-first-app";

/** Keeps a note as a record of its viewer, and as an item of its storage. */
const NOTES = `<!doctype html><title>Notes</title><p id="out">…</p><a id="two" href="?page=2">next</a><script>
const secret = "${CANARY}";
const call = (method, body) => fetch("/platform/db/notes/" + method, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
const show = (value) => { document.querySelector("#out").textContent = JSON.stringify(value); };
(async () => {
  const stored = localStorage.getItem("note");
  localStorage.setItem("note", "storage-of-" + PlatformAppContext.user?.name);
  const before = await (await call("list", {})).json();
  const events = new EventSource("/platform/db/notes/changes");
  const next = (type) => new Promise((done) => events.addEventListener(type, done, { once: true }));
  await next("ready");
  const created = next("create");
  await call("create", { data: { text: "record-of-" + PlatformAppContext.user?.name } });
  const { data, lastEventId } = await created;
  const worker = await new Promise((done) => {
    const started = new Worker(URL.createObjectURL(new Blob(["postMessage(self.origin)"])));
    started.onmessage = ({ data }) => done(data);
  });
  const told = [JSON.parse(data).text, Number(lastEventId) > 0, events instanceof EventSource, events.readyState];
  show({ told, worker, user: PlatformAppContext.user?.name, stored, before, search: location.search, hash: location.hash, origin: self.origin });
})();
</script>`;

browserTest("members, apps under the site's address", async ({ browser, step }) => {
  const server = await startServer();
  try {
    const stage = await furnish(server, server.listen(), undefined);
    await step("a bar and the app in a frame, with its address", () => showsBar(browser, stage));
    await step("no way leads out of an app, and no viewer sees another's", () => keepsApart(browser, stage));
    await step("signing out ends the calls of open pages", () => endsCalls(browser, stage));
  } finally {
    await server.close();
  }
});

browserTest("members, apps on hosts of their own", async ({ browser, step }) => {
  const port = freePort();
  const APPS_ORIGIN = `http://*.localhost:${port}`;
  const server = await startServer({ BASE_URL: `http://localhost:${port}`, APPS_ORIGIN });
  try {
    server.listen(port);
    const stage = await furnish(server, server.base_url, APPS_ORIGIN);
    await step("storage lasts, for one member", () => keepsStorage(browser, stage));
    await step("no way leads out of an app, and no viewer sees another's", () => keepsApart(browser, stage));
    await step("signing out ends the calls of open pages", () => endsCalls(browser, stage));
  } finally {
    await server.close();
  }
});

interface Stage {
  base: string;
  server: TestServer;
  ann: Member;
  ben: Member;
  /** Addresses of apps. */
  notes: string;
  hostile: string;
  quiet: string;
  /** The frame of a page in which an app runs. */
  appOf(page: Page): Promise<Frame>;
}

interface Member {
  id: number;
  name: string;
}

/** Stands in what the site says about its viewer. */
const ACCOUNT = "Account-of-the-site";

async function furnish(server: TestServer, base: string, apps_origin: string | undefined): Promise<Stage> {
  const ask: Ask = (method, path, sent) => server.request(method, path, sent);
  await ask("PATCH", "/account.json", { json: { account: { name: ACCOUNT } } });
  made(
    await ask("POST", "/platform/dbs.json", {
      json: {
        db: {
          name: "notes",
          schema: { fields: { text: "string", owner: "string" } },
          public_methods: { list: { scope_by: "owner" }, create: { auto_fields: { owner: "{user_name}" } } },
          public_write_limit: 1000,
        },
      },
    }),
  );
  const add = async (name: string, source_code: string): Promise<string> => {
    const app = { name, url_code: name, app_engine: "html", css_engine: "none", source_code, db_code: "notes" };
    return made(await ask("POST", "/platform/apps.json", { json: { app } })).id;
  };
  const id = await add("notes", NOTES);
  const source = apps_origin
    ? hostileSource(base, apps_origin.replace("*", id), `/a/${id}`)
    : hostileSource(base, base, "/a/notes");
  await add("hostile", source);
  await add("quiet", "<!doctype html><title>Quiet</title><p>Nothing happens here.");
  const member = async (name: string) => ({ id: (await addPerson(ask, "user", { name })).id, name });
  return {
    base,
    server,
    ann: await member("Ann-the-viewer"),
    ben: await member("Ben-the-viewer"),
    notes: `${base}/a/notes`,
    hostile: `${base}/a/hostile`,
    quiet: `${base}/a/quiet`,
    appOf: apps_origin ? (page) => Promise.resolve(page.mainFrame()) : frameOf,
  };
}

/** A browser of its own, signed in. */
async function signedIn(browser: Browser, { server, base }: Stage, { id }: Member) {
  const context = await browser.newContext();
  const { cookie } = await addSession(server, id);
  const secret = cookie.split("=")[1] ?? "";
  await context.addCookies([{ name: "session", value: secret, url: base, httpOnly: true, sameSite: "Lax" }]);
  return { context, secret };
}

async function frameOf(page: Page): Promise<Frame> {
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  assert.ok(frame);
  return frame;
}

/** What the notes show when they are ready. */
async function notesIn(frame: Frame) {
  await frame.locator("#out").filter({ hasText: "origin" }).waitFor();
  return JSON.parse(await frame.locator("#out").textContent() ?? "");
}

async function open(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

async function showsBar(browser: Browser, stage: Stage) {
  const { appOf, notes, ann } = stage;
  const { context } = await signedIn(browser, stage, ann);
  const page = await open(context, `${notes}?q=1#deep`);
  const { told, user, search, hash, origin } = await notesIn(await appOf(page));
  assert.deepEqual([user, search, hash, origin], [ann.name, "?q=1", "#deep", "null"]);
  assert.deepEqual(told, [`record-of-${ann.name}`, true, true, 1], "an EventSource follows as the viewer");
  await until(async () => await page.title() === "Notes", "the page has the title of the app");
  // The frame's own requests carry no session: the bar loads it again.
  await (await appOf(page)).locator("#two").click();
  await page.locator('iframe[src$="?page=2"]').waitFor();
  const { user: again, search: next } = await notesIn(await appOf(page));
  assert.deepEqual([again, next], [ann.name, "?page=2"]);
  await (await appOf(page)).evaluate(`location.hash = "#further"`);
  await page.waitForURL(`${notes}?q=1#further`);
  await (await appOf(page)).evaluate(`document.title = "(3) Notes"`);
  await until(async () => await page.title() === "(3) Notes", "the page follows the title");
  await (await appOf(page)).evaluate(`history.pushState(null, "", "#routed")`);
  await page.waitForURL(`${notes}?q=1#routed`);
  await context.close();
}

async function keepsStorage(browser: Browser, stage: Stage) {
  const { appOf, notes, ann, base, server } = stage;
  const { context } = await signedIn(browser, stage, ann);
  const page = await open(context, `${notes}?q=1#deep`);
  const { told, user, stored, search, hash, origin, worker } = await notesIn(await appOf(page));
  assert.deepEqual([user, stored, search, hash, worker], [ann.name, null, "?q=1", "#deep", origin]);
  assert.match(origin, /^http:\/\/[0-9a-f-]{36}\.localhost:/);
  assert.deepEqual(told, [`record-of-${ann.name}`, true, true, 1]);
  assert.equal(await page.locator("iframe").count(), 0, "no bar");
  await page.evaluate(`new Promise((done, fail) => {
    Object.assign(indexedDB.open("kept", 1), { onsuccess: done, onerror: fail });
  }).then(() => {})`);
  await page.reload();
  assert.equal((await notesIn(await appOf(page))).stored, `storage-of-${ann.name}`);
  // Another member of the same browser.
  await page.goto(`${base}/sign_in`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${base}/sign_in`);
  const name = `Cid-${crypto.randomUUID()}`;
  const { id } = await addPerson(server.request, "user", { name });
  const { cookie } = await addSession(server, id);
  await context.addCookies([{ name: "session", value: cookie.split("=")[1] ?? "", url: base }]);
  await page.goto(notes);
  const second = await notesIn(await appOf(page));
  assert.deepEqual([second.user, second.stored, second.before], [name, null, []]);
  assert.deepEqual(await page.evaluate(`indexedDB.databases()`), []);
  await context.close();
}

async function keepsApart(browser: Browser, stage: Stage) {
  const { ann, ben, server, appOf } = stage;
  const anns = await signedIn(browser, stage, ann);
  const notes = await open(anns.context, stage.notes);
  const frame = await appOf(notes);
  await notesIn(frame);
  const token = /"([\w-]{50,}\.[\w-]{40,})"/.exec(await frame.content())?.[1] ?? "";
  assert.ok(token);
  const hostile = await open(anns.context, stage.hostile);
  const address = hostile.url();
  const out = (await appOf(hostile)).locator("#out:not(:empty)");
  await out.waitFor({ timeout: 120_000 });
  const found: Record<string, string> = JSON.parse(await out.textContent() ?? "{}");
  assert.deepEqual(Object.keys(found), ATTACKS);
  const cookies = (await anns.context.cookies()).filter(({ httpOnly }) => httpOnly).map(({ value }) => value);
  assert.ok(cookies.includes(anns.secret));
  for (const [way, read] of Object.entries(found)) {
    for (const secret of [...cookies, token, CANARY, ACCOUNT, "Signed in as", `storage-of-${ann.name}`]) {
      assert.ok(!read.includes(secret), `${way} reads ${secret}: ${read.slice(0, 300)}`);
    }
  }
  assert.equal(hostile.url(), address, "the page stays where it is");
  const tokens = await server.sql`select id from tokens where name = 'Stolen'`;
  const still = await open(anns.context, `${stage.base}/sign_in`);
  assert.deepEqual([tokens.length, await still.getByRole("button", { name: "Sign out" }).count()], [0, 1]);
  const bens = await signedIn(browser, stage, ben);
  const seen = await notesIn(await appOf(await open(bens.context, stage.notes)));
  assert.deepEqual([seen.user, seen.stored], [ben.name, null]);
  assert.ok(!JSON.stringify(seen).includes(ann.name), JSON.stringify(seen));
  for (const { context } of [anns, bens]) await context.close();
}

async function endsCalls(browser: Browser, stage: Stage) {
  const { appOf, base, ann } = stage;
  const { context } = await signedIn(browser, stage, ann);
  const [notes, quiet] = [await open(context, stage.notes), await open(context, stage.quiet)];
  const frames = [await appOf(notes), await appOf(quiet)];
  for (const frame of frames) await frame.waitForLoadState();
  const status = (frame: Frame) =>
    frame.evaluate(`fetch("/platform/db/notes/list", { method: "POST" }).then((answer) => answer.status)`);
  for (const frame of frames) assert.equal(await status(frame), 200);
  // A bar has the button, too.
  const other = await open(context, notes.url().startsWith(base) ? stage.notes : `${base}/sign_in`);
  // The page may stand at that address before, too.
  const signed_out = other.waitForResponse((response) => response.url() === `${base}/sign_out`);
  await other.getByRole("button", { name: "Sign out" }).click();
  await signed_out;
  await other.waitForURL(`${base}/sign_in`);
  for (const frame of frames) assert.equal(await status(frame), 401);
  await notes.reload();
  assert.equal(new URL(notes.url()).pathname, "/sign_in");
  await context.close();
}
