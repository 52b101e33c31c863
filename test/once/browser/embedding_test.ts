/**
 * Apps in pages of another site, in Chromium: three apps at a target, which grow and shrink and follow the page's color
 * scheme; a viewer by JWT without any cookie; a page that is not listed.
 */
import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import type { Browser, Frame, Page } from "../../packages/playwright.ts";
import { type BrowserStage, browserTest } from "../../stage/browser.ts";
import { addEmbeddingKey, type SigningKey, signJwt } from "../../stage/embedding/jwt.ts";
import { type PortServer, serveOnPort } from "../../stage/embedding/on_port.ts";
import { addPerson, type Ask, made } from "../../stage/people.ts";
import { until } from "../../stage/until.ts";

/** Calls an action, follows a stream, uploads with XHR and downloads, and shows what came of it. */
const WORKER = `<!doctype html><title>Worker</title><style>body { margin: 0 }</style><pre id="out"></pre><script>
const out = { user: PlatformAppContext.user?.login, role: PlatformAppContext.user?.role };
const tell = () => document.querySelector("#out").textContent = JSON.stringify(out);
const db = "/platform/db/" + PlatformAppContext.app.db_code;
const upload = () => new Promise((done) => {
  const xhr = new XMLHttpRequest();
  xhr.open("POST", db + "/create");
  xhr.setRequestHeader("content-type", "application/json");
  xhr.onload = () => done(xhr.status);
  xhr.send(JSON.stringify({ data: { title: "x".repeat(100_000) } }));
});
const act = async () => (await (await fetch("/platform/apps/" + PlatformAppContext.app.id + "/action/go", { method: "POST" })).json()).data?.login;
platform.db().subscribe(({ kind, record }) => {
  if (kind === "create") out.streamed = record.author;
  if (kind === "ready") out.ready = true;
  tell();
});
const work = async () => {
  out.acted = await act();
  out.uploaded = await upload();
  const list = await (await fetch(db + "/list", { method: "POST" })).blob();
  out.downloaded = list.size > 100_000;
  tell();
};
</script>`;

const SIZED = `<!doctype html><title>Sized</title><style>body { margin: 0 }</style>
<div id="box" style="height: 300px">sized</div>`;

/** Without a doctype, in quirks mode. */
const QUIRKY = `<style>body { margin: 7px }</style><div id="box" style="height: 90px">quirky</div>`;

const FULL_HEIGHT = `<!doctype html><title>Full</title><style>body { margin: 0 }</style>
<header style="height: 40px"></header><main style="min-height: 100vh"></main><div id="box"></div>`;

/** As high as its frame, as soon as it has content. */
const LATE = `<!doctype html><title>Late</title><style>body { margin: 0 }</style><script>
setTimeout(() => document.body.innerHTML = '<main style="height: 100vh">late</main>', 300);
</script>`;

interface Stage {
  atrium: PortServer;
  key: SigningKey;
  login: string;
  ask: Ask;
  /** How often the host page has asked for a JWT. */
  asked(): number;
  /** The port of the host pages. */
  port: number;
}

browserTest("embedding: apps in pages of another site", (test) => embeds(test));
browserTest(
  "embedding: apps on hosts of their own, in pages of another site",
  (test) => embeds(test, (port) => ({ APPS_ORIGIN: `http://*.localhost:${port}` })),
);

async function embeds({ browser, step }: BrowserStage, environmentOf?: (port: number) => Record<string, string>) {
  await using atrium = await serveOnPort(environmentOf);
  const ask: Ask = atrium.server.request;
  const login = "embedded-ada";
  await addPerson(ask, "user", { login });
  const key = await addEmbeddingKey(ask);
  await addApps(ask);
  let asked = 0;
  const host = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, ({ url }) => {
    const { pathname } = new URL(url);
    if (pathname !== "/jwt") {
      return new Response(pageOf(pathname, atrium.url), { headers: { "content-type": "text/html" } });
    }
    asked++;
    return new Response(signJwt(key, { sub: login, aud: atrium.url, role: "guest" }));
  });
  const hosts = [`http://localhost:${host.addr.port}`];
  equal((await ask("PATCH", "/account/embedding.json", { json: { embedding: { hosts } } })).status, 200);
  const stage: Stage = { atrium, key, login, ask, asked: () => asked, port: host.addr.port };
  try {
    await step("three apps for a user by JWT, without cookies", () => showsThree(browser, stage));
    await step("a classic script, and a page that is not listed", () => saysWhatIsMissing(browser, stage));
    await step("a classic script beside a module on one page", () => showsBeside(browser, stage));
    await step("removed while the viewer's JWT is on its way", () => staysRemoved(browser, stage));
    await step("a part of 100vh beside another, and a scheme by a class", () => showsFullHeight(browser, stage));
  } finally {
    await host.shutdown();
  }
}

/** A page of the host. */
function pageOf(path: string, base: string): string {
  const head = `<!doctype html><title>Host</title><style>:root { color-scheme: light dark }</style>`;
  const classic = `<main><script src="${base}/embed.js" data-app="sized"></script></main>`;
  if (path === "/classic") return head + classic;
  if (path === "/full") {
    return `<!doctype html><title>Host</title><style>.dark { color-scheme: dark }</style><body>
    <script src="${base}/embed.js" data-app="full"></script>
    <script src="${base}/embed.js" data-app="late"></script><script src="${base}/embed.js"></script>`;
  }
  if (path === "/hasty") {
    return `${head}<button onclick="remove()">Leave</button><div id="place"></div><script type="module">
    import { embed } from "${base}/embed.js";
    let calls = 0;
    const left = new Promise((resolve) => window.left = resolve);
    const viewer = async () => {
      if (++calls === 2) await left;
      return (await fetch("/jwt")).text();
    };
    window.remove = embed(document.querySelector("#place"), { app: "worker", viewer });
    window.called = () => calls;
    </script>`;
  }
  if (path === "/both") {
    return `${head}${classic}<div id="place"></div><script type="module">
    import { embed } from "${base}/embed.js";
    const viewer = async () => (await fetch("/jwt")).text();
    embed(document.querySelector("#place"), { app: "worker", viewer });
    </script>`;
  }
  return `${head}<main id="place"></main><script type="module">
    import { embed } from "${base}/embed.js";
    const viewer = async () => (await fetch("/jwt")).text();
    window.remove = embed(document.querySelector("#place"), { target: "contacts/index", viewer });
  </script>`;
}

async function addApps(ask: Ask): Promise<void> {
  const db = {
    name: "Notes",
    code: "notes",
    schema: { fields: { title: "text", author: "string" } },
    public_methods: { list: {}, create: { allowed_fields: ["title"], auto_fields: { author: "{user_name}" } } },
    public_write_limit: 1000,
  };
  made(await ask("POST", "/platform/dbs.json", { json: { db } }));
  const flow = { name: "Who", code: "who", fields: { program: [{ type: "return", data: "{user}" }] } };
  made(await ask("POST", "/connect/flows.json", { json: { flow } }));
  const shared = { app_engine: "html", css_engine: "none", show_in_module: "contacts/index" };
  const actions = [{ action: "go", flow_code: "who" }];
  const apps = [
    { name: "Worker", url_code: "worker", source_code: WORKER, db_code: "notes", actions, embed_height: 77 },
    { name: "Sized", source_code: SIZED, url_code: "sized", public: true },
    { name: "Quirky", source_code: QUIRKY },
    { name: "Late", source_code: LATE, url_code: "late", public: true, show_in_module: null, embed_height: 320 },
    { name: "Full", source_code: FULL_HEIGHT, url_code: "full", public: true, show_in_module: null },
  ];
  for (const app of apps) made(await ask("POST", "/platform/apps.json", { json: { app: { ...shared, ...app } } }));
}

async function showsThree(browser: Browser, { atrium, login, asked, port }: Stage): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  try {
    const sent: string[] = [];
    page.on("request", (request) =>
      void request.allHeaders().then((headers) => {
        if (request.url().startsWith(atrium.url)) {
          sent.push(`${request.method()} ${request.url()} ${headers.cookie ?? ""}`);
        }
      }, () => {}));
    const blocked = await context.newCDPSession(page);
    await blocked.send("Network.setCookieControls" as "Network.enable", {
      enableThirdPartyCookieRestriction: true,
      disableThirdPartyCookieMetadata: true,
      disableThirdPartyCookieHeuristics: true,
    } as unknown as undefined).catch(() => {});
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(`http://localhost:${port}/`);
    const frames = page.locator("iframe");
    await until(async () => await frames.count() === 3, "three frames are there");
    const titles = await frames.evaluateAll((all) => all.map((frame) => frame.getAttribute("title")));
    deepEqual(titles, ["Quirky", "Sized", "Worker"]);

    const sized = await frameOf(page, "Sized");
    const height = (title: string) => page.locator(`iframe[title=${title}]`).evaluate((frame) => frame.clientHeight);
    const becomes = (title: string, px: number) =>
      until(async () => await height(title) === px, `${title} is ${px} px high`);
    await becomes("Sized", 300);
    const quirky = await frameOf(page, "Quirky");
    await becomes("Quirky", 104);
    for (const [frame, title, more] of [[sized, "Sized", 0], [quirky, "Quirky", 14]] as const) {
      for (const px of [900, 120]) {
        await frame.locator("#box").evaluate((box, px) => void (box.style.height = `${px}px`), px);
        await becomes(title, px + more);
      }
    }
    // Each frame of an animation is as much higher as the page has made the one before.
    await sized.evaluate(`(async () => {
      for (let px = 120; px <= 600; px += 12) {
        box.style.height = px + "px";
        await new Promise(requestAnimationFrame);
      }
    })()`);
    await becomes("Sized", 600);
    const scheme = () => sized.evaluate("getComputedStyle(document.documentElement).colorScheme");
    await until(async () => await scheme() === "dark", "the app is dark");
    await page.emulateMedia({ colorScheme: "light" });
    await until(async () => await scheme() === "light", "the app is light");

    const worker = await frameOf(page, "Worker");
    const out = async () => JSON.parse(await worker.locator("#out").textContent() || "{}");
    await until(async () => (await out()).ready, "the stream is open");
    await worker.evaluate("work()");
    await until(async () => (await out()).streamed && (await out()).downloaded !== undefined, "the app has worked");
    deepEqual(await out(), {
      user: login,
      role: "guest",
      ready: true,
      acted: login,
      uploaded: 201,
      streamed: login,
      downloaded: true,
    });
    // The frame asks for another token; a message that comes from elsewhere changes nothing.
    await page.evaluate(
      `document.querySelector("iframe[title=Worker]").contentWindow.postMessage({ atrium: "size", height: 5 }, "*")`,
    );
    await page.evaluate(`postMessage({ atrium: "size", height: 5 }, "*")`);
    const [before, token] = [asked(), tokenOf(worker)];
    notEqual(await token(), "");
    const first = await token();
    await worker.evaluate(`parent.postMessage({ atrium: "token" }, "*")`);
    await until(async () => asked() > before && await token() !== first, "the page has another token");
    await worker.evaluate("work()");
    await until(async () => (await out()).acted === login, "the other token works, too");

    equal((await context.cookies()).length, 0, "no cookie is set");
    ok(sent.length > 5 && sent.every((line) => line.endsWith(" ")), "no cookie is sent");
    ok(sent.every((line) => !line.includes("eyJ")), "no address has a JWT");
    await page.evaluate("window.remove()");
    equal(await frames.count(), 0);
  } finally {
    await context.close();
  }
}

/** The page token that the frame's next request carries. */
const tokenOf = (frame: Frame) => async (): Promise<string> => {
  const [request] = await Promise.all([
    frame.page().waitForRequest((request) => request.url().includes("/action/")),
    frame.evaluate("act()"),
  ]);
  return await request.headerValue("x-app-token") ?? "";
};

async function frameOf(page: Page, title: string): Promise<Frame> {
  const find = async () => {
    const frame = await (await page.locator(`iframe[title=${title}]`).elementHandle())?.contentFrame();
    return frame?.url().includes("/a/") ? frame : undefined;
  };
  await until(async () => await find() !== undefined, `${title} has loaded`);
  const frame = await find();
  if (!frame) throw new Error(`${title} has no frame`);
  return frame;
}

async function saysWhatIsMissing(browser: Browser, { atrium, port }: Stage): Promise<void> {
  const page = await browser.newPage();
  try {
    const said: string[] = [];
    page.on("console", (message) => void (message.type() === "error" && said.push(message.text())));
    await page.goto(`http://localhost:${port}/classic`);
    const frame = await frameOf(page, "Sized");
    await frame.locator("#box").waitFor();
    equal(await page.locator("main iframe").count(), 1, "in the script's place");

    const stranger = `http://other.localhost:${port}`;
    await page.goto(`${stranger}/classic`);
    const expected = new RegExp(`Pages of "${stranger}" may not show apps.*"hosts" with PATCH /account/embedding.json`);
    match(await page.getByRole("alert").textContent() ?? "", expected);
    ok(said.some((line) => expected.test(line)), said.join("\n"));
    // The frame itself is refused by the browser, too.
    const frame_of_its_own = `<iframe src="${atrium.url}/a/sized"></iframe>`;
    await page.evaluate(`document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(frame_of_its_own)})`);
    await until(() => said.some((line) => /frame-ancestors/.test(line)), "the browser refuses the frame");
  } finally {
    await page.close();
  }
}

/** Each copy of the script finds its own frame. */
async function showsBeside(browser: Browser, { port }: Stage): Promise<void> {
  const page = await browser.newPage();
  try {
    await page.goto(`http://localhost:${port}/both`);
    const [sized, worker] = [await frameOf(page, "Sized"), await frameOf(page, "Worker")];
    await sized.locator("#box").waitFor();
    await worker.locator("#out").waitFor();
  } finally {
    await page.close();
  }
}

/** Each height that the page sets makes the app as much higher: that growth ends, and growth of its content counts. */
async function showsFullHeight(browser: Browser, { port }: Stage): Promise<void> {
  const page = await browser.newPage();
  try {
    await page.goto(`http://localhost:${port}/full`);
    const full = await frameOf(page, "Full");
    const box = full.locator("#box");
    const high = (title = "Full") => page.locator(`iframe[title=${title}]`).evaluate((frame) => frame.clientHeight);
    await until(async () => await high() === 230, "150 px of the frame, 40 px of the header, and 40 px as a proof");
    await box.evaluate((box) => void (box.style.height = "30px"));
    await until(async () => await high() > 230, "the frame grows with the content");
    const grown = await high();
    for (let frames = 0; frames < 40; frames++) await full.evaluate("new Promise(requestAnimationFrame)");
    equal(await high(), grown, "and then stays");

    await (await frameOf(page, "Late")).getByText("late").waitFor();
    equal(await high("Late"), 320, "a frame keeps its height until there is content");

    const scheme = () => full.evaluate("getComputedStyle(document.documentElement).colorScheme");
    equal(await scheme(), "light");
    await page.evaluate(`document.body.className = "dark"`);
    await until(async () => await scheme() === "dark", "the app is dark");
    equal(await page.getByRole("alert").textContent(), "Atrium: target or app is missing");
  } finally {
    await page.close();
  }
}

/** A form that is sent to a frame which is gone would open the app in a new window, after a click also in browsers. */
async function staysRemoved(browser: Browser, { port }: Stage): Promise<void> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(`http://localhost:${port}/hasty`);
    await until(async () => await page.evaluate("called()") === 2, "the frame asks for its JWT");
    await page.getByRole("button").click();
    const [answer] = await Promise.all([page.waitForResponse(/\/jwt$/), page.evaluate("left()")]);
    await answer.finished();
    for (let frames = 0; frames < 20; frames++) await page.evaluate("new Promise(requestAnimationFrame)");
    deepEqual(context.pages().map((each) => each.url()), [page.url()]);
  } finally {
    await context.close();
  }
}
