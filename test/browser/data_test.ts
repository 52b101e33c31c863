/** A journey through the console's data: a database from nothing, its records edited, pasted, filtered and undone. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Browser, Page } from "../packages/playwright.ts";
import { browserTest } from "../stage/browser.ts";
import { on_postgres, startServer, type TestServer } from "../stage/harness.ts";
import { made } from "../stage/people.ts";
import { until } from "../stage/until.ts";
import { movesToDepartment } from "./database_page.ts";
import { keepsWork, outlivesServer, tellsWhatChanged } from "./grid_stays.ts";
import { makesDatabases } from "./new_database.ts";
import { opensForm } from "./public_form.ts";
import { refusesFields } from "./schema_page.ts";
import { adminOf, seatOf, see } from "./seats.ts";

/** Long, because the machine may be busy. */
const BUILD_MS = 240_000;

browserTest("data in a browser", async ({ browser, step }) => {
  const server = await startServer();
  const base = server.listen();
  try {
    await step(
      "a database from nothing: records are created, edited and pasted, and what is pasted is undone",
      () => fills(browser, server, base),
    );
    await step("from nothing to a public form used by an app", async () => {
      const seat = await adminSeat(browser, server, base);
      await opensForm(browser, server, base, seat, unique("Guests"));
      await seat.close();
    });
    await step("what is checked and typed stays while the page reads the database again", async () => {
      const seat = await adminSeat(browser, server, base);
      await keepsWork(server, base, seat, unique("Stays"));
      await seat.close();
    });
    await step(
      "a refused value is taken back, and what is set in many records is told, undone and done again",
      async () => {
        const seat = await adminSeat(browser, server, base);
        await tellsWhatChanged(server, base, seat, unique("Bills"));
        await seat.close();
      },
    );
    await step("the server stops and comes back", async () => {
      const seat = await adminSeat(browser, server, base);
      await outlivesServer(server, base, seat, unique("Away"));
      await seat.close();
    });
    await step("a database is renamed and moved to a department, and is missing for others", async () => {
      const seat = await adminSeat(browser, server, base);
      await movesToDepartment(browser, server, base, seat, unique("Archive"));
      await seat.close();
    });
    await step("the schema says what uses a field, and why records do not fit it", async () => {
      const seat = await adminSeat(browser, server, base);
      await refusesFields(server, base, seat, unique("Stock"));
      await seat.close();
    });
    await step(
      `${shown(MANY)} records are imported, one is edited, they are filtered, and all others are exported unchanged`,
      () => movesMany(browser, server, base),
    );
    await step(
      "a list is filtered, sorted and scrolled; what others change appears",
      () => follows(browser, server, base),
    );
    await step(
      "what is shown is saved as a view, changed, shared, opened by its address and deleted",
      () => names(browser, server, base),
    );
    await step(
      "a file is mapped, tried, imported and exported; what is rejected is a file",
      () => imports(browser, server, base),
    );
  } finally {
    await server.close();
  }
});

const adminSeat = async (browser: Browser, server: TestServer, base: string) =>
  await seatOf(browser, server, base, await adminOf(server));

const unique = (word: string) => `${word} ${crypto.randomUUID().slice(0, 8)}`;

/** As a spreadsheet's copy arrives in the page. */
const paste = (page: Page, text: string) =>
  page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", ${JSON.stringify(text)});
    document.dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
  }`);

const cell = (page: Page, row: number, column: number) => page.locator(`#cell-${row}-${column}`);

interface Stored {
  data: Record<string, unknown>;
}

async function fills(browser: Browser, server: TestServer, base: string): Promise<void> {
  const name = unique("Parts");
  const code = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
  const stored = async (): Promise<unknown[]> =>
    (await server.request("GET", `/platform/dbs/${code}/records.json?sort=n,title&per_page=500`)).body
      .map(({ data }: Stored) => [data.title, data.n]);
  const { page, complaints, close } = await adminSeat(browser, server, base);
  await page.goto(`${base}/data`);
  // The server may still build the console.
  await page.getByRole("heading", { name: "Data" }).waitFor({ timeout: BUILD_MS });
  complaints.length = 0;
  await makesDatabases(page, base, { name, code });
  await page.goto(`${base}/data/${code}/records`);
  await page.getByText("There are no records yet.").waitFor();

  await page.locator("body").press("n");
  const form = page.getByRole("complementary", { name: "New record" });
  // On a phone the sheet has its buttons where all sheets have them.
  await page.setViewportSize({ width: 360, height: 780 });
  const [cancel, create] = [
    await form.getByRole("button", { name: "Cancel" }).boundingBox(),
    await form.getByRole("button", { name: "Create" }).boundingBox(),
  ];
  ok(cancel && create && cancel.x > 160 && create.x > cancel.x && create.x + create.width > 330, "at the right");
  await page.setViewportSize({ width: 1280, height: 800 });
  await form.getByLabel("title").fill("Chain");
  await form.getByLabel("n", { exact: true }).fill("many");
  await page.keyboard.press("Control+s");
  await form.getByText("n must be an integer").waitFor();
  equal(await form.getByLabel("title").inputValue(), "Chain", "what was typed stays");
  await form.getByLabel("n", { exact: true }).fill("1");
  await page.keyboard.press("Control+s");
  const panel = page.getByRole("complementary", { name: "Chain" });
  await panel.getByText("Created the record").waitFor();
  match(page.url(), /record=[0-9a-f-]{36}/);
  await panel.getByRole("button", { name: "Close" }).click();

  // Typing on a cell replaces it; the server's words stand at the cell.
  await cell(page, 0, 1).click();
  await page.keyboard.type("x");
  await page.keyboard.press("Enter");
  await page.getByRole("gridcell", { name: "x" }).and(page.locator("[aria-invalid=true]")).waitFor();
  await cell(page, 0, 1).click();
  await page.getByText("n must be an integer").waitFor();
  await page.keyboard.type("10");
  await page.keyboard.press("Enter");
  await until(async () => (await stored()).join() === "Chain,10", "the cell is stored");

  // 500 rows over one: the others are created, and one undo takes all of it back.
  await cell(page, 0, 0).click();
  await paste(page, Array.from({ length: 500 }, (_, i) => `Row ${i}\t${i}`).join("\n"));
  await page.getByText("500 rows pasted, 499 of them new").waitFor();
  const pasted = await stored();
  deepEqual([pasted.length, pasted[0], pasted[499]], [500, ["Row 0", 0], ["Row 499", 499]]);
  await page.locator("[role=grid]").press("Control+z");
  await until(async () => (await stored()).join() === "Chain,10", "the paste is undone");
  await page.locator("[role=grid]").press("Control+Shift+z");
  await until(async () => (await stored()).length === 500, "and done again");

  // The first row of a range is filled down.
  await cell(page, 0, 1).click();
  await cell(page, 3, 1).click({ modifiers: ["Shift"] });
  const first = Number(await cell(page, 0, 1).innerText());
  await page.locator("[role=grid]").press("Control+d");
  await until(
    async () => (await stored()).filter((row) => Array.isArray(row) && row[1] === first).length === 4,
    "filled down",
  );
  complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes("422")));
  deepEqual(complaints, []);
  await close();
}

async function follows(browser: Browser, server: TestServer, base: string): Promise<void> {
  const { request } = server;
  const schema = { fields: { title: "string", n: "integer" }, indexes: { idx_int_1: "n" } };
  const { code } = made(await request("POST", "/platform/dbs.json", { json: { db: { name: unique("Log"), schema } } }));
  const at = `/platform/dbs/${code}`;
  const raw = `title,n\n${Array.from({ length: 3_000 }, (_, i) => `Entry ${i},${i}`).join("\n")}\n`;
  await request("POST", `${at}/import.csv`, { raw, headers: { "content-type": "text/csv" } });
  const { page, complaints, close } = await adminSeat(browser, server, base);
  await page.goto(`${base}/data/${code}/records`);
  await page.getByText("3,000 records").waitFor({ timeout: BUILD_MS });
  complaints.length = 0;
  await cell(page, 0, 0).click();
  await page.keyboard.press("Control+End");
  // The last row of the newest first is one of the oldest.
  await until(async () => /^Entry \d+$/.test(await cell(page, 2_999, 0).innerText()), "the end is read");

  const head = page.getByRole("columnheader", { name: /^n/ }).getByRole("button");
  await head.click();
  await page.getByRole("menuitem", { name: "Filter by this" }).click();
  await page.getByLabel("Comparison").selectOption("lt");
  await page.getByLabel("Value").fill("3");
  await page.keyboard.press("Enter");
  await page.getByText("3 records", { exact: true }).waitFor();
  // Ascending first: the list may already have been in descending order, and typing must not meet its reading.
  for (const [order, first] of [["ascending", "Entry 0"], ["descending", "Entry 2"]]) {
    await head.click();
    await page.getByRole("menuitem", { name: `Sort ${order}` }).click();
    await until(async () => await cell(page, 0, 0).innerText() === first, `sorted in ${order} order`);
  }
  match(page.url(), /filter=.*&sort=-n/);

  // An edited row stays where it is, and changes by another person appear.
  await cell(page, 0, 1).click();
  await page.keyboard.type("500");
  await page.keyboard.press("Enter");
  const { body: [one] } = await request("GET", `${at}/records.json?filter[n]=1`);
  await request("PATCH", `${at}/records/${one.id}.json`, { json: { record: { data: { title: "By a colleague" } } } });
  await page.getByRole("gridcell", { name: "By a colleague" }).waitFor();
  equal(await cell(page, 0, 1).innerText(), "500");
  await cell(page, 1, 0).click();
  await page.keyboard.press("Space");
  const panel = page.getByRole("complementary", { name: "By a colleague" });
  await panel.getByText("Entry 1", { exact: true }).waitFor();
  await page.goBack();
  await panel.waitFor({ state: "detached" });

  // A hidden tab leaves its connection to others, and reads what it has missed.
  const let_go = page.waitForEvent("requestfailed", (asked) => asked.url().includes("records.changes"));
  await see(page, "hidden");
  await let_go;
  await request("PATCH", `${at}/records/${one.id}.json`, { json: { record: { data: { title: "Meanwhile" } } } });
  await see(page, "visible");
  await page.getByRole("gridcell", { name: "Meanwhile" }).waitFor();
  deepEqual(complaints, []);
  await close();
}

async function names(browser: Browser, server: TestServer, base: string): Promise<void> {
  const { request } = server;
  const schema = { fields: { title: "string", n: "integer", size: "integer" } };
  const { code } = made(
    await request("POST", "/platform/dbs.json", { json: { db: { name: unique("Plan"), schema } } }),
  );
  const at = `/platform/dbs/${code}`;
  for (const n of [1, 2, 3]) {
    made(await request("POST", `${at}/records.json`, { json: { record: { data: { title: `Plan ${n}`, n } } } }));
  }
  const { page, complaints, close } = await adminSeat(browser, server, base);
  await page.goto(`${base}/data/${code}/records?filter=${encodeURIComponent('[["n","gte","2"],["size","blank",""]]')}`);
  await page.getByText("2 records", { exact: true }).waitFor({ timeout: BUILD_MS });
  complaints.length = 0;
  const pick = page.getByRole("button", { name: /^View:/ });
  const choose = async (item: string) => {
    await pick.click();
    await page.getByRole("menu", { name: "Views" }).getByText(item, { exact: true }).click();
  };
  await choose("Save as a new view");
  const dialog = page.getByRole("dialog", { name: "Save as a new view" });
  await dialog.getByLabel("Name").fill("Large plans");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "View: Large plans" }).waitFor();
  await page.waitForURL(/view=\d/);
  // A column is moved: the address says that the view is changed, until it is saved.
  await page.getByRole("columnheader", { name: /^title/ }).getByRole("button").click();
  await page.getByRole("menuitem", { name: "Hide" }).click();
  await page.waitForURL(/edited=1/);
  await choose("Save changes");
  await page.waitForURL((url) => !url.searchParams.has("edited"));
  await choose("Share with everyone");
  await page.getByText(/Everyone who sees the database has/).waitFor();
  const [view] = (await request("GET", `${at}/views.json`)).body;
  deepEqual([view.shared, view.filter, view.left_out], [true, { n: { gte: "2" }, size: { eq: null } }, []]);

  // Not in front of the list, which would be read once more by its old filter.
  await page.goto("about:blank");
  // The table loses a field that the view names. The view's address still opens it, and the page says what is left out.
  const [columns, fields] = [{ title: "string", n: "integer" }, { fields: { title: "string", n: "integer" } }];
  deepEqual((await request("PATCH", `${at}.json`, { json: { db: { schema: fields } } })).body.schema.fields, columns);
  await page.goto(`${base}/data/${code}/records?view=${view.id}`);
  await page.getByText("2 records", { exact: true }).waitFor();
  await page.getByText("Large plans leaves out the column size and a filter by size").waitFor();
  equal(await page.getByRole("columnheader", { name: /^title/ }).count(), 0);
  // Columns that were changed in the view are the view's: the list without a view has kept its own.
  await choose("All records");
  await page.getByText("3 records", { exact: true }).waitFor();
  await page.getByRole("columnheader", { name: /^title/ }).waitFor();
  await page.getByRole("button", { name: "Columns: 3 of 5" }).waitFor();
  await page.goBack();
  await page.getByText("2 records", { exact: true }).waitFor();
  await choose("Delete");
  await page.getByText("Large plans is deleted").waitFor();
  deepEqual((await request("GET", `${at}/views.json`)).body, []);
  deepEqual(complaints, []);
  await close();
}

async function imports(browser: Browser, server: TestServer, base: string): Promise<void> {
  const schema = { fields: { title: { type: "string", required: true }, n: "integer" } };
  const db = { name: unique("Stock"), schema };
  const { code } = made(await server.request("POST", "/platform/dbs.json", { json: { db } }));
  const { page, complaints, close } = await adminSeat(browser, server, base);
  await page.goto(`${base}/data/${code}/records`);
  await page.getByText("There are no records yet.").waitFor({ timeout: BUILD_MS });
  complaints.length = 0;
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Import into ${db.name}` });
  const rows = Array.from({ length: 2_500 }, (_, i) => `${i % 1_000 === 7 ? "many" : i};"Part ""${i}"""`);
  const buffer = Buffer.from(`Count;Title\r\n${rows.join("\r\n")}\r\n`);
  await dialog.getByLabel("File", { exact: true }).setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer });
  await dialog.getByLabel("Field of Count").selectOption("n");
  equal(await dialog.getByLabel("Field of Title").inputValue(), "title", "columns of a field's name are mapped");
  await dialog.getByRole("button", { name: "Dry run" }).click();
  const go = dialog.getByRole("button", { name: "Import 2,497 rows" });
  // The requests of the dry run must have been answered before the next ones are held.
  await go.waitFor();
  // The import goes on while another page is open, and says so.
  const gate = Promise.withResolvers<void>();
  await page.route(/\/import\.csv/, async (route) => {
    await gate.promise;
    await route.continue();
  });
  await go.click();
  await dialog.getByRole("button", { name: "Go on in the background" }).click();
  await page.getByText(`Importing into ${db.name}`).waitFor();
  await page.getByRole("heading", { name: "Data" }).getByRole("link").click();
  await page.waitForURL(`${base}/data`);
  gate.resolve();
  await page.getByText(`Imported into ${db.name}: 2,497 rows, 3 rejected`).waitFor();
  await page.getByRole("link", { name: "Show", exact: true }).click();
  await dialog.getByRole("button", { name: "Done" }).waitFor();
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download the rejected rows" }).click();
  const rejected = await Deno.readTextFile(await (await download).path());
  deepEqual(rejected.trimEnd().split("\n").slice(0, 2), [
    "Count,Title,row,reason",
    'many,"Part ""7""",8,n must be an integer',
  ]);
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByText("2,497 records").waitFor();

  await page.goto(`${base}/data/${code}/records?filter=${encodeURIComponent('[["n","gte","2490"]]')}`);
  await page.getByText("10 records", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const exported = page.waitForEvent("download");
  await page.getByRole("link", { name: "CSV", exact: true }).click();
  const lines = (await Deno.readTextFile(await (await exported).path())).trimEnd().split("\n");
  equal(lines.length, 11);
  match(lines[1] ?? "", /,"Part ""2490""",2490,/);
  deepEqual(complaints, []);
  await close();
}

/** `test/start/moving_test.ts` imports and exports 100,000 on the embedded database, too, and the page is the same. */
const MANY = on_postgres ? 100_000 : 20_000;
const ONE = MANY * 0.7 + 7;
const shown = (count: number) => count.toLocaleString("en");

async function movesMany(browser: Browser, server: TestServer, base: string): Promise<void> {
  const schema = { fields: { title: "string", n: "integer" }, indexes: { idx_int_1: "n" } };
  const db = { name: unique("Many"), schema };
  const { code } = made(await server.request("POST", "/platform/dbs.json", { json: { db } }));
  const titles = Array.from({ length: MANY }, (_, n) => n % 1_000 === 0 ? `Żółw, "${n}"` : `Part ${n}`);
  const quoted = (text: string) => /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const buffer = Buffer.from(`title,n\n${titles.map((title, n) => `${quoted(title)},${n}`).join("\n")}\n`);
  const { page, complaints, close } = await adminSeat(browser, server, base);
  page.setDefaultTimeout(BUILD_MS);
  await page.goto(`${base}/data/${code}/records`);
  await page.getByText("There are no records yet.").waitFor();
  complaints.length = 0;
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Import into ${db.name}` });
  await dialog.getByLabel("File", { exact: true }).setInputFiles({ name: "many.csv", mimeType: "text/csv", buffer });
  await dialog.getByRole("button", { name: "Dry run" }).click();
  await dialog.getByRole("button", { name: `Import ${shown(MANY)} rows` }).click();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByText(`${shown(MANY)} records`).waitFor();

  await page.goto(`${base}/data/${code}/records?filter=${encodeURIComponent(`[["n","eq","${ONE}"]]`)}`);
  await page.getByText("1 record", { exact: true }).waitFor();
  await cell(page, 0, 0).click();
  await page.keyboard.type("Edited");
  await page.keyboard.press("Enter");
  const path = `/platform/dbs/${code}/records.json?filter[n]=${ONE}`;
  await until(
    async () => (await server.request("GET", path)).body[0].data.title === "Edited",
    "the change is stored",
  );
  await page.goto(`${base}/data/${code}/records?filter=${encodeURIComponent(`[["n","gte","${MANY - 10}"]]`)}`);
  await page.getByText("10 records", { exact: true }).waitFor();

  await page.goto(`${base}/data/${code}/records`);
  await page.getByText(`${shown(MANY)} records`).waitFor();
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "NDJSON", exact: true }).click();
  const text = await Deno.readTextFile(await (await download).path());
  const exported: string[] = [];
  for (const line of text.trimEnd().split("\n")) {
    const { data } = JSON.parse(line);
    exported[data.n] = data.title;
  }
  titles[ONE] = "Edited";
  equal(exported.length, MANY);
  equal(exported.findIndex((title, n) => title !== titles[n]), -1, "each has its title");
  deepEqual(complaints, []);
  await close();
}
