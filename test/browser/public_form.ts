/** From nothing to a public form: a database, its schema, its public methods, a trial, an app, a visitor, a record. */
import { deepEqual, equal, match } from "node:assert/strict";
import type { Browser, Page } from "../packages/playwright.ts";
import { complaintsOf } from "../stage/browser.ts";
import type { TestServer } from "../stage/harness.ts";
import { until } from "../stage/until.ts";
import { write } from "./seats.ts";

const FORM = `<form><label>Message <input name="message"></label><label>Stars <input name="stars"></label>
<button>Send</button></form><p role="status"></p>
<script type="module">
  const { db } = platform;
  const shown = document.querySelector("[role=status]");
  document.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const { message, stars } = Object.fromEntries(new FormData(event.target));
    try {
      await db().create({ message, stars: Number(stars), approved: true });
      shown.textContent = (await db().list()).length + " of your own";
    } catch (error) {
      shown.textContent = JSON.stringify(error.fields);
    }
  });
</script>`;

export async function opensForm(
  browser: Browser,
  { request }: TestServer,
  base: string,
  { page, complaints }: { page: Page; complaints: string[] },
  name: string,
): Promise<void> {
  const code = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
  const find = async () => (await request("GET", `/platform/dbs/${code}.json`)).body;
  await page.goto(`${base}/data?new=1`);
  const dialog = page.getByRole("dialog", { name: "New database" });
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  await dialog.getByLabel("Name of field 1").fill("message");
  await dialog.getByLabel("Name of field 2").fill("approved");
  await dialog.getByRole("button", { name: "Remove field 3" }).click();
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByText("There are no records yet.").waitFor();

  // The schema: fields are added, moved and required, and what saving does is said beforehand.
  await page.getByRole("link", { name: "Schema" }).click();
  const added = page.getByLabel("Name of a new field");
  for (const field of ["stars", "message"]) {
    await added.fill(field);
    await added.press("Enter");
  }
  await page.getByRole("alert").filter({ hasText: /message/ }).waitFor();
  await added.fill("owner");
  await added.press("Enter");
  await page.getByLabel("Type of stars").selectOption("integer");
  await page.getByLabel("Index slot of stars").selectOption("int_2");
  await page.getByLabel("Index slot of owner").selectOption("str_2");
  await page.getByRole("switch", { name: "message is required" }).setChecked(true, { force: true });
  await page.getByRole("button", { name: "Move stars: arrow keys" }).press("ArrowUp");
  await page.getByRole("region", { name: "What saving will do" }).getByText(/stars/).first().waitFor();
  await page.keyboard.press("Control+s");
  await page.getByText("The schema is saved").waitFor();
  const { schema } = await find();
  deepEqual(Object.keys(schema.fields), ["message", "stars", "approved", "owner"]);
  deepEqual([schema.fields.message, schema.indexes.idx_int_2], [{ type: "string", required: true }, "stars"]);

  // The public methods, as sentences.
  await page.getByRole("link", { name: "Public methods" }).click();
  await page.getByRole("switch", { name: "Visitors may add records" }).setChecked(true, { force: true });
  const picks = page.getByRole("group", { name: "Allowed fields of create" });
  await picks.getByRole("button", { name: "approved" }).click();
  await page.getByLabel("A field that the server writes").selectOption("owner");
  await page.getByRole("switch", { name: "Visitors may see records" }).setChecked(true, { force: true });
  await page.getByLabel("Whose records: list").selectOption("owner");
  await page.getByText(
    "Visitors may add message and stars; owner is set to their browser key; they see only their own records.",
  ).waitFor();
  // What is not saved outlives a look at another tab.
  await page.getByLabel("A field with a default").selectOption("stars");
  await page.getByRole("link", { name: "API" }).click();
  await page.getByRole("link", { name: "Public methods" }).click();
  await page.getByLabel("Default of stars", { exact: true }).fill("3");
  await page.keyboard.press("Control+s");
  await page.getByText("The public methods are saved").waitFor();
  deepEqual((await find()).public_methods, {
    list: { scope_by: "owner" },
    create: {
      allowed_fields: ["message", "stars"],
      auto_fields: { owner: "{cookie_key}" },
      default_values: { stars: 3 },
    },
  });

  // A trial as a visitor, who sees only what is theirs.
  const trial = page.getByRole("region", { name: "Try as visitor" });
  await trial.getByRole("button", { name: "create", exact: true }).click();
  await trial.getByLabel(/^stars/).fill("4");
  await trial.getByRole("button", { name: "Call create" }).click();
  await trial.getByText("422", { exact: true }).waitFor();
  await trial.getByText(/can't be blank/).waitFor();
  await trial.getByLabel(/^message/).fill("A trial");
  await trial.getByRole("button", { name: "Call create" }).click();
  await trial.getByText("201", { exact: true }).waitFor();
  await trial.getByRole("button", { name: "list", exact: true }).click();
  await trial.getByRole("button", { name: "Call list" }).click();
  await trial.getByText(/A trial/).waitFor();
  // The answer to one visitor comes when another one is chosen already.
  const called = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const TRY = /records\.try_public/;
  await page.route(TRY, async (route) => {
    called.resolve();
    await released.promise;
    await route.continue();
  });
  await trial.getByRole("button", { name: "Call list" }).click();
  await called.promise;
  await trial.getByRole("button", { name: "Become another visitor" }).click();
  const late = page.waitForResponse(TRY);
  released.resolve();
  await late;
  await page.unroute(TRY);
  await trial.getByRole("button", { name: "Call list", disabled: false }).waitFor();
  equal(await trial.getByText("200", { exact: true }).count(), 0, "the answer is the first visitor's");
  await trial.getByRole("button", { name: "Call list" }).click();
  await trial.getByText("200", { exact: true }).waitFor();
  equal(await trial.getByText(/A trial/).count(), 0, "another visitor does not see it");

  // An app that uses the database.
  await page.goto(`${base}/apps/new?engine=html`);
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: /^Blank page/ }).click();
  await page.getByRole("tab", { name: "Database" }).click();
  await page.getByLabel("Use a database that exists").selectOption(code);
  await page.getByText("The page uses it as db(), without a name.").waitFor();
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.getByRole("checkbox", { name: /^Public/ }).check();
  // What is not saved stays while another page is open; Ctrl+S saves it.
  await page.getByRole("link", { name: "Home", exact: true }).click();
  await page.waitForURL(`${base}/`);
  await page.goBack();
  await page.getByRole("checkbox", { name: /^Public/, checked: true }).waitFor();
  await page.getByRole("tab", { name: "Code" }).click();
  await page.getByRole("link", { name: "The settings are not saved" }).click();
  await page.getByRole("button", { name: /^Save/, disabled: false }).waitFor();
  await page.keyboard.press("Control+s");
  await page.getByText("Everyone", { exact: true }).waitFor();
  await page.getByRole("button", { name: /^Save/, disabled: true }).waitFor();
  await page.getByRole("tab", { name: "Code" }).click();
  await write(page, FORM);
  await page.keyboard.press("Control+s");
  await page.getByText(/^Published in \d+ ms$/).waitFor();
  const address = await page.getByRole("link", { name: "Open the app" }).getAttribute("href");

  // A visitor without a login fills the form while the grid is open: the record appears in it.
  await page.goto(`${base}/data/${code}/records`);
  await page.getByText("1 record", { exact: true }).waitFor();
  const visitor = await browser.newContext();
  const form = await visitor.newPage();
  const theirs = complaintsOf(form);
  await form.goto(`${base}${address}`);
  await form.getByLabel("Stars").fill("5");
  await form.getByRole("button", { name: "Send" }).click();
  await form.getByRole("status").filter({ hasText: "can't be blank" }).waitFor();
  await form.getByLabel("Message").fill("From a stranger");
  await form.getByRole("button", { name: "Send" }).click();
  await form.getByRole("status").filter({ hasText: "1 of your own" }).waitFor();
  await page.getByRole("gridcell", { name: "From a stranger" }).waitFor();
  const list = async () => (await request("GET", `/platform/dbs/${code}/records.json?filter[stars]=5`)).body;
  await until(async () => (await list()).length === 1, "the record is stored");
  const [{ data }] = await list();
  deepEqual([data.message, data.approved ?? null], ["From a stranger", null], "what is not allowed is dropped");
  match(data.owner, /.{8,}/);
  await visitor.close();

  // The list is for members from now on.
  await page.goto(`${base}/data/${code}/public`);
  await page.getByLabel("Who: list").selectOption("members");
  await page.getByText(/they see no records\. Members see only their own records\./).waitFor();
  await page.keyboard.press("Control+s");
  await page.getByText("The public methods are saved").waitFor();
  deepEqual((await find()).public_methods.list, { scope_by: "owner", members_only: true });
  // The app's page is left while its preview loads.
  const unexpected = (text: string) => !/status of 422|\/previews\/.*ERR_ABORTED/.test(text);
  deepEqual([...complaints, ...theirs].filter(unexpected), []);
}
