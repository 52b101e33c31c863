/** The first minutes with the console in Chromium, and what the app page says of an app. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Browser, Page } from "../../packages/playwright.ts";
import { draftOf, draftSaved, preview, seatOf, sourceOf, write } from "../../browser/seats.ts";
import { browserTest } from "../../stage/browser.ts";
import { startServer, type TestServer } from "../../stage/harness.ts";
import { chatStandIn } from "../../stage/network/chat_stand_in.ts";
import { addPerson, made } from "../../stage/people.ts";
import { until } from "../../stage/until.ts";

browserTest("the first minutes with the console", async ({ browser, step }) => {
  await using model = chatStandIn();
  const server = await startServer({ AI_URL: `${model.url}/`, AI_KEY: KEY, AI_MODEL: "example-1" });
  await server.console.prepare();
  const base = server.listen();
  try {
    await step("three steps are done by doing them, then they disappear", () => begins(browser, server, base));
    await step(
      "an app without versions, actions or a database explains them and has one action each",
      () => explains(browser, server, base),
    );
    await step("an answer that comes late leaves newer typing alone", () => types(browser, server, base));
    await step("a key in the source is warned of; weight and address are shown", () => weighs(browser, server, base));
    await step("the assistant's edits wait for consent", async () => {
      const edit = { old: "Hello", new: "Good morning" };
      model.answers.push({ text: `Sure.\n\`\`\`replace\n${JSON.stringify(edit)}\n\`\`\`\n` });
      await proposes(browser, server, base);
    });
    await step("a new version of the server is noticed", () => notices(browser, server, base));
  } finally {
    await server.close();
  }
});

const KEY = "canary-of-the-ai-key";
const AN_AWS_KEY = ["AKIA", "IOSFODNN7", "ABCDEFG"].join("");

async function seatOfAdmin(browser: Browser, server: TestServer, base: string) {
  const { id } = await addPerson(server.request, "admin");
  return await seatOf(browser, server, base, id);
}

async function addApp({ request }: TestServer, source_code: string): Promise<string> {
  const name = `App ${crypto.randomUUID().slice(0, 8)}`;
  const app = { name, app_engine: "html", css_engine: "none", source_code };
  return made(await request("POST", "/platform/apps.json", { json: { app } })).id;
}

/** The account's only admin. An attempt before may have taken some of the steps. */
async function begins(browser: Browser, server: TestServer, base: string): Promise<void> {
  const lists = { "/platform/apps": "id", "/platform/dbs": "code", "/account/invitations": "id" };
  for (const [list, key] of Object.entries(lists)) {
    for (const found of (await server.request("GET", `${list}.json`)).body) {
      const { status } = await server.request("DELETE", `${list}/${found[key]}.json`);
      ok(status < 300, `${list}: ${status}`);
    }
  }
  const { body: { user } } = await server.request("GET", "/account/me.json");
  const { page, complaints, close } = await seatOf(browser, server, base, user.id);
  const steps = page.getByRole("region", { name: "First steps" });
  const home = async () => {
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" }).first().click();
    await page.getByRole("heading", { name: "Recently edited" }).waitFor();
  };
  await page.goto(base);
  await page.getByText("What you or others edit is listed here.").waitFor();
  await page.getByRole("link", { name: "Make an app" }).waitFor();
  await steps.getByRole("link", { name: "Choose a template" }).click();
  await page.getByRole("button", { name: /^Blank page/ }).first().click();
  await page.getByRole("tab", { name: "Code" }).waitFor();
  await preview(page).getByRole("heading").first().waitFor();
  const id = page.url().split("/").at(-1);
  await home();
  await steps.getByRole("button", { name: "Make the database" }).click();
  await page.getByText("The page uses it as").waitFor();
  ok((await server.request("GET", `/platform/apps/${id}.json`)).body.db_code);
  await home();
  await steps.getByRole("link", { name: "Invite" }).click();
  const dialog = page.getByRole("dialog", { name: "Invite people" });
  await dialog.getByLabel("E-mail addresses").fill("grace@people.test");
  await dialog.getByRole("button", { name: /^Invite/ }).click();
  await page.getByRole("button", { name: "Done" }).click();
  await home();
  await page.getByRole("button", { name: "Add a tile" }).waitFor();
  await steps.waitFor({ state: "detached" });
  // Another browser asks the server, and sees that the steps are done.
  await page.evaluate("localStorage.clear()");
  const asked = page.waitForResponse(/invitations\.list/);
  await page.reload();
  await asked;
  await page.getByRole("button", { name: "Add a tile" }).waitFor();
  await until(async () => await page.evaluate("localStorage.getItem('first_steps_done')") === "true", "the steps end");
  equal(await steps.count(), 0);
  deepEqual(complaints, []);
  await close();
}

async function explains(browser: Browser, server: TestServer, base: string): Promise<void> {
  const id = await addApp(server, "<p>Hello</p>");
  const { page, complaints, close } = await seatOfAdmin(browser, server, base);
  const tabs: [tab: string, words: RegExp, action: string][] = [
    ["actions", /^An action lets the app's page run a flow/, "New flow"],
    ["database", /^A database keeps the app's records/, "Make a database for this app"],
    ["versions", /^Each publication keeps the version before it/, "Edit the code"],
  ];
  for (const [tab, words, action] of tabs) {
    await page.goto(`${base}/apps/${id}?tab=${tab}`);
    await page.getByText(words).waitFor();
    await page.getByRole("main").getByText(action, { exact: true }).waitFor();
  }
  await page.getByRole("link", { name: "Edit the code" }).click();
  await preview(page).getByText("Hello").waitFor();
  // The folded side bar of a narrow window hides its own names, not those of the menu in it.
  await page.setViewportSize({ width: 768, height: 1024 });
  await page.getByTitle("Your menu").click();
  await page.locator("#me").getByText("Profile and sessions").click();
  await page.waitForURL(`${base}/profile`);
  deepEqual(complaints, []);
  // Who may not read the source is led to the app.
  const guest = await addPerson(server.request, "guest");
  const other = await seatOf(browser, server, base, guest.id);
  await other.page.goto(`${base}/apps/${id}`);
  equal(await other.page.getByRole("link", { name: "Open the app" }).getAttribute("href"), `/a/${id}`);
  await other.page.goto(`${base}/departments`);
  await other.page.getByText("Managers and admins see the departments of this account.").waitFor();
  equal(await other.page.getByRole("button", { name: "Retry" }).count(), 0);
  for (const path of ["flows/1", "runs", "triggers", "connectors/none"]) {
    await other.page.goto(`${base}/${path}`);
    await other.page.getByRole("heading", { name: "Not for guests" }).waitFor();
  }
  deepEqual(other.complaints.filter((text) => !text.includes("403")), []);
  await other.close();
  await close();
}

async function types(browser: Browser, server: TestServer, base: string): Promise<void> {
  const id = await addApp(server, "<p>Hello</p>");
  const { page, complaints, close } = await seatOfAdmin(browser, server, base);
  await page.goto(`${base}/apps/${id}`);
  await preview(page).getByText("Hello").waitFor();
  const [sent, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(/drafts\.put/, async (route) => {
    const response = await route.fetch();
    sent.resolve();
    await late.promise;
    await route.fulfill({ response });
  }, { times: 1 });
  await write(page, "<p>older</p>");
  await sent.promise;
  await write(page, "<p>newer</p>");
  await preview(page).getByText("newer").waitFor();
  late.resolve();
  await draftSaved(page);
  match(await page.locator(".cm-content").innerText(), /^<p>newer<\/p>/);
  const kept = await page.evaluate<string>(
    `fetch("/platform/apps/${id}/draft.json").then((answer) => answer.json()).then(({ source_code }) => source_code)`,
  );
  equal(kept, "<p>newer</p>");
  equal(await sourceOf(server, id), "<p>Hello</p>");
  equal(await draftOf(server, id), undefined, "a draft is its author's");
  deepEqual(complaints, []);
  await close();
}

async function weighs(browser: Browser, server: TestServer, base: string): Promise<void> {
  const id = await addApp(server, "<p>Hello</p>");
  const { page, complaints, close } = await seatOfAdmin(browser, server, base);
  await page.goto(`${base}/apps/${id}`);
  await preview(page).getByText("Hello").waitFor();
  await write(page, `<p>Keys</p>\n<script>const key = "${AN_AWS_KEY}";</script>`);
  await preview(page).getByText("Keys").waitFor();
  await page.getByRole("tab", { name: /^Problems/ }).click();
  const output = page.getByRole("region", { name: "Output" });
  await output.getByText(/looks like an AWS access key, which everyone who opens the app can read/).waitFor();
  await output.getByRole("button", { name: "line 2" }).waitFor();
  await page.getByRole("tab", { name: "Weight" }).click();
  for (const part of ["Page", "First visit"]) await output.getByText(part, { exact: true }).waitFor();
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByRole("img", { name: "QR code of the address" }).waitFor();
  equal(await page.getByLabel("Address", { exact: true }).inputValue(), `${base}/a/${id}`);
  match(await page.getByLabel("In another page").inputValue(), new RegExp(`^<iframe src="${base}/a/${id}"`));
  deepEqual(complaints, []);
  await close();
}

async function proposes(browser: Browser, server: TestServer, base: string): Promise<void> {
  const id = await addApp(server, "<p>Hello</p>");
  const { page, complaints, close } = await seatOfAdmin(browser, server, base);
  const received: string[] = [];
  page.on("response", async (response) => received.push(await response.text().catch(() => "")));
  await page.goto(`${base}/apps/${id}`);
  await preview(page).getByText("Hello").waitFor();
  await page.getByRole("button", { name: "Assistant" }).click();
  const pane = page.getByRole("complementary", { name: "Assistant" });
  await pane.getByLabel("What should change").fill("Greet in the morning");
  await page.keyboard.press("Enter");
  await pane.getByText("Compiles").waitFor();
  await pane.getByText("<p>Good morning</p>").waitFor();
  match(await page.locator(".cm-content").innerText(), /Hello/, "nothing is applied without consent");
  await pane.getByRole("button", { name: "Apply" }).click();
  await preview(page).getByText("Good morning").waitFor();
  await draftSaved(page);
  await page.getByRole("button", { name: "Undo" }).click();
  await preview(page).getByText("Hello").waitFor();
  ok(!received.join().includes(KEY));
  deepEqual(complaints, []);
  await close();
}

async function notices(browser: Browser, server: TestServer, base: string): Promise<void> {
  const { page, close } = await seatOfAdmin(browser, server, base);
  await page.goto(base);
  await page.getByRole("heading", { name: "Recently edited" }).waitFor();
  await page.route(`${base}/`, async (route) => {
    // Unlike the browser, this request says nothing of its origin, and the session's cookie would not count.
    const response = await route.fetch({ headers: { ...route.request().headers(), "sec-fetch-site": "same-origin" } });
    await route.fulfill({
      response,
      body: (await response.text()).replaceAll("/console/main-", "/console/main-newer-"),
    });
  });
  await look(page);
  await page.getByText("A new version of the server is running.").waitFor();
  await page.unroute(`${base}/`);
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByText("A new version of the server is running.").waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Recently edited" }).waitFor();
  await close();
}

/** The person comes back to the tab. */
const look = (page: Page) => page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);
