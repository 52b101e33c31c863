/** Journeys through the console's pages of people, of the own profile and of the account, in Chromium. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Browser, Page } from "../packages/playwright.ts";
import { connectAgent } from "../stage/agents/agent.ts";
import { browserTest } from "../stage/browser.ts";
import { ADMIN_TOKEN, startServer, type TestServer } from "../stage/harness.ts";
import { addPerson, addSession, made } from "../stage/people.ts";
import { findsTokensAndInvitations, fitsItsWidth, keepsItsButtons } from "./long_lists.ts";
import { adminOf, seatOf } from "./seats.ts";
import { keepsOthersChanges, keepsTypedNames, keepsTypedPerson, keepsTypingDuringSaves } from "./unsaved_forms.ts";

/** Long, because the machine may be busy. */
const PATIENCE_MS = 60_000;
const BUILD_MS = 240_000;
const PASSWORD = "turquoise anvil 93 parade";

browserTest("people, profile and account in a browser", async ({ browser, step }) => {
  const server = await startServer();
  const base = server.listen();
  try {
    await step("an admin invites, and the invited person signs in", () => invites(browser, server, base));
    await step("a person is found, changed, deactivated with undo, and deleted", () => changes(browser, server, base));
    await step(
      "viewed as a restricted member, the console shows less and says why",
      () => views(browser, server, base),
    );
    await step("teams have members", () => teams(browser, server, base));
    await step(
      "a token is shown once; the account is changed, with undo, and audited",
      () => account(browser, server, base),
    );
    await step("an agent's question is accepted, and its session undone", () => agents(browser, server, base));
    await step("tokens and invitations are found by words; an admin's profile has the admin's own tokens", async () => {
      const taken = await seatOf(browser, server, base, await adminOf(server));
      await findsTokensAndInvitations(server, base, taken, unique("Robot"));
      await fitsItsWidth(base, taken);
      await keepsItsButtons(base, server, taken);
      await taken.close();
    });
    await step("a name that was typed and not saved is kept", async () => {
      const taken = await seatOf(browser, server, base, await adminOf(server));
      await keepsTypedNames(base, taken);
      await keepsTypingDuringSaves(base, server, taken);
      await keepsTypedPerson(base, taken, (await addPerson(server.request, "user")).id);
      await taken.close();
    });
    await step("what waits for a sign-in is not sent as another person", () => othersSignIn(browser, server, base));
    await step("settings that others save meanwhile stay", async () => {
      const taken = await seatOf(browser, server, base, await adminOf(server));
      await keepsOthersChanges(base, server, taken);
      await taken.close();
    });
    await step("a user reads what concerns it", () => reads(browser, server, base));
  } finally {
    await server.close();
  }
});

const unique = (word: string) => `${word} ${crypto.randomUUID().slice(0, 8)}`;

/** A department, and the account restricted. */
async function addDepartment(
  { request }: TestServer,
  name = unique("Workshop"),
): Promise<{ id: number; name: string }> {
  const { id } = made(await request("POST", "/account/departments.json", { json: { department: { name } } }));
  await request("PATCH", "/account.json", { json: { account: { departments: { mode: "restricted" } } } });
  return { id, name };
}

const addNamed = async (
  { request }: TestServer,
  fields: Record<string, unknown>,
): Promise<{ id: number; name: string }> => {
  const name = unique("Samir Haddad");
  const { id } = await addPerson(request, "user", { name, ...fields });
  return { id, name };
};

const row = (page: Page, name: string) => page.getByRole("row", { name });

/** The session has ended, and another person signs in in another tab. */
async function othersSignIn(browser: Browser, server: TestServer, base: string): Promise<void> {
  const { page, close } = await seatOf(browser, server, base, await adminOf(server));
  await page.goto(`${base}/profile`);
  const people = page.getByRole("link", { name: "People" }).first();
  await people.waitFor();
  await page.context().clearCookies();
  // Another request may have opened the dialog already.
  await people.dispatchEvent("click");
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
  const { cookie } = await addSession(server, (await addPerson(server.request, "user")).id);
  const [name = "", value = ""] = cookie.split("=");
  await page.context().addCookies([{ name, value, url: base }]);
  const opened = page.waitForURL(`${base}/`);
  await page.evaluate(`dispatchEvent(new Event("focus"))`);
  await opened;
  await close();
}

async function invites(browser: Browser, server: TestServer, base: string): Promise<void> {
  const department = await addDepartment(server);
  const app = { name: "Bench", app_engine: "html", source_code: "<p>", department_id: department.id };
  made(await server.request("POST", "/platform/apps.json", { json: { app } }));
  const email = `grace.${crypto.randomUUID().slice(0, 8)}@people.test`;
  const { page, complaints, close } = await seatOf(browser, server, base, await adminOf(server));
  await page.goto(`${base}/people`);
  // The server may still build the console.
  await page.getByRole("columnheader", { name: "Departments" }).waitFor({ timeout: BUILD_MS });
  complaints.length = 0;
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "Invite people" });
  await dialog.getByLabel("E-mail addresses").fill("nobody");
  await page.keyboard.press("Enter");
  await dialog.getByText("nobody is not an e-mail address yet").waitFor();
  await dialog.getByRole("button", { name: department.name }).click();
  await dialog.getByText("They will see 1 app.").waitFor();
  // A typed address needs no Enter before the button.
  await dialog.getByLabel("E-mail addresses").fill(email);
  await dialog.getByRole("button", { name: /^Invite/ }).click();
  const link = await page.getByLabel(`Invitation link of ${email}`).inputValue();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("link", { name: /^Invitations/ }).click();
  await row(page, email).getByText(department.name).waitFor();

  const other = await browser.newContext();
  const invited = await other.newPage();
  invited.setDefaultTimeout(PATIENCE_MS);
  await invited.goto(base + link.slice(link.indexOf("/invitation")));
  await invited.fill("[name=password]", PASSWORD);
  await invited.keyboard.press("Enter");
  const opened = invited.getByRole("region", { name: "Apps for you" }).getByRole("link", { name: "Bench" });
  match(await opened.getAttribute("href") ?? "", /^\/a\//);
  await invited.getByRole("link", { name: "Apps", exact: true }).first().click();
  await invited.getByText("Bench").first().waitFor();
  equal(await invited.getByRole("link", { name: "People" }).count(), 0);
  await other.close();

  await page.getByRole("link", { name: /^People \d/ }).click();
  await page.getByLabel("Filter", { exact: true }).fill(email);
  await row(page, email).getByText("now").waitFor();
  deepEqual(complaints, []);
  await close();
}

async function changes(browser: Browser, server: TestServer, base: string): Promise<void> {
  const department = await addDepartment(server);
  const person = await addNamed(server, { department_ids: [department.id], without_department: true });
  const { page, complaints, close } = await seatOf(browser, server, base, await adminOf(server));
  await page.goto(`${base}/people`);
  await row(page, "Admin").first().waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type(person.name);
  // The marker stands in front of the names, in italics.
  await row(page, person.name).waitFor();
  await page.getByRole("row").nth(2).waitFor({ state: "detached" });
  const marker = row(page, person.name).locator("td.deps em");
  equal(await marker.innerText(), "without department");
  match(
    await row(page, person.name).locator("td.deps").innerText(),
    new RegExp(`^without department, ${department.name}$`),
  );
  equal(await page.evaluate("getComputedStyle(document.querySelector('td.deps em')).fontStyle"), "italic");
  await page.getByRole("link", { name: person.name }).click();
  const panel = page.getByRole("complementary", { name: person.name });
  await panel.getByText(/^Also sees what belongs to no department: /).waitFor();
  match(page.url(), new RegExp(`person=${person.id}`));
  await page.locator("body").press("e");
  const form = page.getByRole("complementary");
  await form.getByLabel("E-mail").fill("nothing");
  await page.keyboard.press("Control+s");
  await form.getByText(/^E-mail /).first().waitFor();
  const email = `s.${crypto.randomUUID().slice(0, 8)}@people.test`;
  await form.getByLabel("E-mail").fill(email);
  await form.getByLabel("Role").selectOption("manager");
  await page.keyboard.press("Control+s");
  await row(page, person.name).getByText("Manager").waitFor();
  await panel.getByRole("button", { name: "Deactivate" }).click();
  await row(page, person.name).getByText("inactive").waitFor();
  await page.getByRole("status").getByRole("button", { name: "Undo" }).last().click();
  await panel.getByRole("button", { name: "Deactivate" }).waitFor();
  const read = async () => await server.request("GET", `/account/user_settings/${person.id}.json`);
  deepEqual([(await read()).body.active, (await read()).body.email], [true, email]);
  await panel.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Make a password reset link" }).click();
  match(await page.getByLabel("Link to choose a new password").inputValue(), /\/password_reset\?secret=/);
  await page.getByRole("button", { name: "Done" }).click();
  await panel.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: /^Delete / }).click();
  const dialog = page.getByRole("dialog", { name: `Delete ${person.name}?` });
  ok(await dialog.getByRole("button", { name: "Delete", exact: true }).isDisabled());
  await dialog.getByRole("textbox").fill(person.name);
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText(`${person.name} was deleted`).waitFor();
  equal((await read()).status, 404);
  deepEqual(complaints.filter((text) => !text.includes("422")), []);
  await close();
}

async function views(browser: Browser, server: TestServer, base: string): Promise<void> {
  const department = await addDepartment(server);
  const person = await addNamed(server, { without_department: false });
  const app = { name: unique("Hidden"), app_engine: "html", source_code: "<p>", department_id: department.id };
  made(await server.request("POST", "/platform/apps.json", { json: { app } }));
  const { page, complaints, close } = await seatOf(browser, server, base, await adminOf(server));
  await page.goto(`${base}/people/${person.id}`);
  await page.getByText(`of the department ${department.name}: add `).waitFor();
  await page.waitForLoadState("networkidle");
  await page.getByRole("button", { name: /^View as / }).click();
  const banner = page.getByText(`You see the console as ${person.name}`);
  await banner.waitFor();
  ok(((await banner.boundingBox())?.y ?? Infinity) < 40, "the banner is one line at the top");
  await page.getByRole("link", { name: "Apps", exact: true }).first().click();
  await page.getByText(new RegExp(`hidden from ${person.name}`)).waitFor();
  await page.getByText(`of the department ${department.name}: add `).waitFor();
  equal(await page.getByText(app.name).count(), 0);
  equal(await page.getByRole("link", { name: "New app" }).count(), 0);
  equal(await page.getByRole("link", { name: "People" }).count(), 0);
  await page.getByRole("link", { name: "Home", exact: true }).first().click();
  await page.getByRole("heading", { name: "Recently edited" }).waitFor();
  equal(await page.getByRole("button", { name: "Arrange" }).count(), 0, "the board is read-only, too");
  await page.getByRole("link", { name: /^Runs/ }).first().click();
  await page.getByText("Each execution of a flow is a run.").waitFor();
  await page.reload();
  await page.waitForLoadState("networkidle");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("heading", { name: person.name }).waitFor();
  await page.getByRole("link", { name: "Apps", exact: true }).first().click();
  await page.getByText(app.name).first().waitFor();
  deepEqual(complaints, []);
  await close();
}

async function teams(browser: Browser, server: TestServer, base: string): Promise<void> {
  const person = await addNamed(server, {});
  const name = unique("Buyers");
  const { page, complaints, close } = await seatOf(browser, server, base, await adminOf(server));
  await page.goto(`${base}/people?tab=teams`);
  await page.getByRole("button", { name: "New team" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill(name);
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary", { name });
  await panel.getByLabel("Add a person").fill(person.name);
  await panel.getByRole("button", { name: new RegExp(`${person.name}.*@`) }).click();
  await panel.getByRole("button", { name: `Remove ${person.name}` }).click();
  await panel.getByText("Nobody is in this team yet.").waitFor();
  await page.getByRole("status").getByRole("button", { name: "Undo" }).last().click();
  await panel.getByRole("link", { name: person.name }).waitFor();
  const { body } = await server.request("GET", `/account/user_settings/${person.id}.json`);
  equal(body.team_ids.length, 1);
  deepEqual(complaints, []);
  await close();
}

async function account(browser: Browser, server: TestServer, base: string): Promise<void> {
  await server.request("PATCH", "/account.json", { json: { account: { rate_limits: {} } } });
  const { id } = await addPerson(server.request, "admin");
  const { page, complaints, close } = await seatOf(browser, server, base, id);
  await page.goto(`${base}/profile`);
  await page.getByText("this session").waitFor();
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByLabel("Name", { exact: true }).last().fill("Nightly export");
  await page.getByLabel("Apps: read").check();
  await page.getByRole("button", { name: "Create" }).click();
  const token = await page.getByLabel("The new token").inputValue();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("Apps (read)").waitFor();
  equal((await server.request("GET", "/platform/apps.json", { token })).status, 200);
  equal((await server.request("GET", "/account.json", { token })).status, 403);
  await page.getByRole("button", { name: "Revoke Nightly export" }).click();
  const dialog = page.getByRole("dialog", { name: "Revoke Nightly export?" });
  await dialog.getByLabel(/^Type/).fill("Nightly export");
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await page.getByText("Apps (read)").waitFor({ state: "detached" });
  equal((await server.request("GET", "/platform/apps.json", { token })).status, 401);

  const named = async () => (await server.request("GET", "/account.json")).body.name;
  const before = await named();
  const name = unique("Kettle Lane Cycles");
  await page.goto(`${base}/account`);
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("navigation", { name: "Main" }).getByText(name).first().waitFor();
  equal(await named(), name);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("navigation", { name: "Main" }).getByText(before, { exact: true }).first().waitFor();
  equal(await named(), before);
  await page.getByLabel("With runs that have ended").check();
  const [copy] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download" }).click(),
  ]);
  equal(new URL(copy.url()).search, "?records=true&runs=true");
  const archive = await Deno.readTextFile(await copy.path());
  ok(archive.startsWith("account.json\0") && archive.includes(before), "the file of this account, whole");
  await page.getByRole("link", { name: "Limits" }).click();
  await page.getByLabel("Compilations, one caller").fill("many");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("is a number, none, or blank for the default").waitFor();
  await page.getByLabel("Compilations, one caller").fill("120");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").waitFor();
  deepEqual((await server.request("GET", "/account.json")).body.rate_limits, { compiles: 120 });
  await page.goto(`${base}/account/audit?object=account&user=${id}`);
  const entry = page.locator("details", { hasText: "changed account" }).first();
  await entry.locator("summary").click();
  await entry.getByText("rate_limits").waitFor();
  deepEqual(complaints, []);
  await close();
}

async function reads(browser: Browser, server: TestServer, base: string): Promise<void> {
  const { id } = await addNamed(server, {});
  const { page, complaints, close } = await seatOf(browser, server, base, id);
  await page.goto(`${base}/profile`);
  await page.getByText("An admin can change them for you.").waitFor();
  await page.goto(`${base}/account/audit`);
  await page.getByText("Admins see and change this.").waitFor();
  await page.goto(`${base}/account`);
  ok(await page.getByRole("textbox", { name: "Name" }).isDisabled());
  equal(await page.getByRole("button", { name: "Save" }).count(), 0);
  await page.goto(`${base}/people`);
  await page.getByText("Managers and admins see who else uses this account.").waitFor();
  deepEqual(complaints, []);
  await close();
}

async function agents(browser: Browser, server: TestServer, base: string): Promise<void> {
  const agent_name = unique("browser-agent");
  const agent = await connectAgent(server, ADMIN_TOKEN, agent_name);
  const name = unique("Old stock");
  const { code } = await agent.call("create", { kind: "db", value: { name } });
  const kept = unique("New stock");
  const { code: kept_code } = await agent.call("create", {
    kind: "db",
    value: { name: kept, schema: { fields: { part: "string" } } },
  });
  await agent.call("create", { kind: "record", db_code: kept_code, records: [{ part: "Bell" }, { part: "Chain" }] });
  const { confirmation } = await agent.call("delete", { kind: "db", id: code });
  const { page, complaints, close } = await seatOf(browser, server, base, await adminOf(server));
  await page.goto(base);
  await page.getByRole("heading", { name: "Agents wait for you" }).waitFor();
  await page.goto(`${base}/account/agents`);
  const accept = page.getByRole("button", { name: `Accept: Delete the database ${name} (${code})` });
  await accept.click();
  await accept.waitFor({ state: "detached" });
  equal((await agent.call("delete", { kind: "db", id: code, confirmation })).status, "done");
  const session = page.getByRole("listitem").filter({ hasText: agent_name });
  await session.getByRole("link", { name: "5 changes" }).click();
  await page.getByRole("button", { name: "Remove the filter Agent" }).waitFor();
  await page.getByText(kept, { exact: true }).first().waitFor();
  const entries = page.locator(".entry");
  equal(await entries.filter({ hasNotText: `agent ${agent_name}` }).count(), 0);
  ok(await entries.count() >= 4);
  await page.goBack();
  await page.getByRole("button", { name: `Undo what ${agent_name} changed` }).click();
  await page.getByRole("dialog").getByText(`2 records of ${kept}`).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText(`What ${agent_name} changed is undone`).waitFor();
  const { body } = await server.request("GET", "/account/agents.json");
  deepEqual([body[0].name, body[0].changes], [agent_name, 0]);
  deepEqual(complaints, []);
  await Promise.all([close(), agent.close()]);
}
