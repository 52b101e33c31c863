/** What a person does in the grid stays while the page reads the database again, also when its schema has changed. */
import { deepEqual, equal } from "node:assert/strict";
import type { Locator, Page } from "../packages/playwright.ts";
import { made } from "../stage/people.ts";
import type { TestServer } from "../stage/harness.ts";
import { until } from "../stage/until.ts";
import type { Seat } from "./seats.ts";

const hasFocus = async (element: Locator) => await element.and(element.page().locator(":focus")).count() === 1;

/** The page reads what it shows again, as it does by itself every 30 seconds. */
async function readAgain(page: Page): Promise<void> {
  const answer = page.waitForResponse(/trpc\/dbs\.find/);
  await page.evaluate(`["offline", "online"].forEach((type) => dispatchEvent(new Event(type)))`);
  await (await answer).finished();
  await page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
}

export async function keepsWork(
  { request }: TestServer,
  base: string,
  { page, complaints }: Seat,
  name: string,
): Promise<void> {
  const schema = { fields: { size: "integer", title: "string", n: "integer" } };
  const { code } = made(await request("POST", "/platform/dbs.json", { json: { db: { name, schema } } }));
  const at = `/platform/dbs/${code}`;
  const raw = `title,n\n${Array.from({ length: 120 }, (_, i) => `Row ${i},${i}`).join("\n")}\n`;
  await request("POST", `${at}/import.csv`, { raw, headers: { "content-type": "text/csv" } });
  await page.goto(`${base}/data/${code}/records?sort=n&filter=${encodeURIComponent('[["n","gte","0"]]')}`);
  await page.getByText("120 records", { exact: true }).waitFor();
  complaints.length = 0;

  await page.locator("#cell-0-1").click();
  for (let i = 0; i < 90; i++) await page.keyboard.press("ArrowDown");
  await page.locator("#cell-90-1").getByText("Row 90").waitFor();
  await page.keyboard.press("Shift+Space");
  const checked = page.getByRole("checkbox", { name: "Select row 91" });
  await page.locator("#cell-90-1").dblclick();
  const editor = page.getByRole("textbox", { name: "title", exact: true });
  await editor.fill("half typed");
  const state = async () => ({
    checked: await checked.isChecked(),
    typed: await editor.inputValue(),
    focused: await hasFocus(editor),
    scrolled: await page.locator(".scroller").evaluate((node) => node.scrollTop),
  });
  const before = await state();
  deepEqual([before.checked, before.typed, before.focused], [true, "half typed", true]);
  await readAgain(page);
  deepEqual(await state(), before);

  // A colleague takes a field out in front of the edited one, and puts another one in.
  const fields = { first: "string", second: "string", title: "string", n: "integer" };
  equal((await request("PATCH", `${at}.json`, { json: { db: { schema: { fields } } } })).status, 200);
  await readAgain(page);
  await page.getByRole("columnheader", { name: /^second/ }).waitFor();
  deepEqual(await state(), before);
  const stored = page.waitForResponse(/trpc\/records\.update/);
  await page.keyboard.press("Enter");
  const answer = await stored;
  equal(answer.status(), 200, await answer.text());
  equal((await request("GET", `${at}/records.json?filter[n]=90`)).body[0].data.title, "half typed");
  await page.locator("#cell-91-2[aria-selected=true]").getByText("Row 91").waitFor();

  // The field of the filter and of the order goes: the list is another one, and the checked record stays checked.
  const left = { fields: { first: "string", title: "string" } };
  equal((await request("PATCH", `${at}.json`, { json: { db: { schema: left } } })).status, 200);
  await readAgain(page);
  await page.getByRole("columnheader", { name: /^n,? ?/ }).waitFor({ state: "detached" });
  await page.getByText("1 selected").waitFor();
  deepEqual(complaints, []);
}

/** A refused value is taken back; setting a field says how many records it changed; what is undone is done again. */
export async function tellsWhatChanged(
  { request }: TestServer,
  base: string,
  { page, complaints }: Seat,
  name: string,
): Promise<void> {
  const schema = { fields: { title: "string", n: "integer", paid: "boolean" } };
  const { code } = made(await request("POST", "/platform/dbs.json", { json: { db: { name, schema } } }));
  const at = `/platform/dbs/${code}`;
  for (const [i, paid] of [null, null, true].entries()) {
    const record = { data: { title: `Bill ${i}`, n: i, ...paid && { paid } } };
    made(await request("POST", `${at}/records.json`, { json: { record } }));
  }
  await page.goto(`${base}/data/${code}/records`);
  await page.getByText("3 records", { exact: true }).waitFor();
  complaints.length = 0;
  const refused = page.locator("#cell-0-1[aria-invalid=true]");
  const stored = page.locator("#cell-0-1:not([aria-invalid])").getByText("2", { exact: true });
  for (const takeBack of ["Escape", "Restore"]) {
    await page.locator("#cell-0-1").click();
    await page.keyboard.type("abc");
    await page.keyboard.press("Enter");
    // The next row is active, and the refusal is announced.
    await refused.getByText("abc", { exact: true }).waitFor();
    await page.getByRole("alert").getByText("n must be an integer").waitFor({ state: "attached" });
    await refused.click();
    const told = page.getByRole("alert").filter({ hasText: "n must be an integer" });
    // No frozen column covers it.
    await told.getByText("n must be an integer").click({ trial: true });
    if (takeBack === "Escape") await page.keyboard.press("Escape");
    else await told.getByRole("button", { name: takeBack }).click();
    await stored.waitFor();
    equal(await hasFocus(page.getByRole("grid")), true);
  }

  // In the panel, too: the value that was refused goes with its message, and the panel stays.
  await page.locator("#cell-0-0").click();
  await page.keyboard.press("Space");
  const panel = page.getByRole("complementary", { name: "Bill 2" });
  const field = panel.getByLabel("n", { exact: true });
  await field.fill("abc");
  await field.press("Enter");
  await panel.getByText("n must be an integer").waitFor();
  equal(await field.inputValue(), "abc", "what was typed stays");
  await field.focus();
  await field.press("Escape");
  await panel.getByText("n must be an integer").waitFor({ state: "detached" });
  equal(await field.inputValue(), "2");
  await panel.getByRole("button", { name: "Close" }).click();
  await stored.waitFor();

  for (const row of [0, 1, 2]) {
    await page.locator(`#cell-${row}-0`).click();
    await page.keyboard.press("Shift+Space");
  }
  await page.getByRole("button", { name: "Set a field" }).click();
  const form = page.getByRole("dialog", { name: "Set a field" });
  await form.getByLabel("Field").selectOption("paid");
  await form.getByLabel("Value").selectOption("true");
  await form.getByRole("button", { name: "Set in 3 records" }).click();
  await page.getByText("paid set in 2 records, 1 had it already").waitFor();
  const paid = async () => (await request("GET", `${at}/records.json?filter[paid]=true`)).body.length;
  equal(await paid(), 3);
  await page.locator("[role=grid]").press("Control+z");
  await page.getByText("Undone: paid of 2 records").waitFor();
  equal(await paid(), 1);
  await page.getByRole("button", { name: "Redo", exact: true }).and(page.locator(".toast button")).click();
  await until(async () => await paid() === 3, "it is done again");
  deepEqual(complaints.filter((text) => !text.includes("status of 422")), []);
}

/** The server stops and comes back: what was typed is saved then, and what others did meanwhile is seen. */
export async function outlivesServer(
  { request }: TestServer,
  base: string,
  { page }: Seat,
  name: string,
): Promise<void> {
  const { code } = made(
    await request("POST", "/platform/dbs.json", { json: { db: { name, schema: { fields: { title: "string" } } } } }),
  );
  const at = `/platform/dbs/${code}`;
  const add = async (title: string): Promise<string> =>
    made(await request("POST", `${at}/records.json`, { json: { record: { data: { title } } } })).id;
  const titleOf = async (id: string): Promise<string> =>
    (await request("GET", `${at}/records/${id}.json`)).body.data.title;
  const [first, second, third] = [await add("first"), await add("second"), await add("third")];

  // A server that stops ends the stream.
  const stream = /trpc\/records\.changes/;
  const body = "event: connected\ndata: {}\n\nevent: return\ndata: \n\n";
  await page.route(stream, (route) => route.fulfill({ contentType: "text/event-stream", body }));
  await page.goto(`${base}/data/${code}/records`);
  const foot = page.locator("footer.foot");
  await foot.getByText("3 records").waitFor();
  await foot.getByRole("button", { name: "Refresh" }).waitFor();
  await request("PATCH", `${at}/records/${third}.json`, { json: { record: { data: { title: "meanwhile" } } } });
  await page.unroute(stream);
  await foot.getByRole("button", { name: "Live" }).waitFor();
  await page.locator("#cell-0-0").getByText("meanwhile").waitFor();

  // Nothing else happens while a record is deleted.
  await request("DELETE", `${at}/records/${second}.json`);
  await page.locator(".row.gone").getByText("second").waitFor();
  await foot.getByText("2 records").waitFor();

  // What was typed and deleted meanwhile is sent when the server is back.
  await page.context().route("**/trpc/records.*", (route) => route.abort("connectionrefused"));
  await page.locator("#cell-2-0").click();
  await page.keyboard.type("typed meanwhile");
  await page.keyboard.press("Enter");
  await foot.getByText("Not saved yet").waitFor();
  await page.locator("#cell-2-0").getByText("typed meanwhile").waitFor();
  await page.locator("#cell-0-0").click();
  await page.keyboard.press("Shift+Space");
  await page.getByRole("button", { name: "Delete" }).click();
  equal(await titleOf(first), "first");
  await page.context().unroute("**/trpc/records.*");
  await until(async () => await titleOf(first) === "typed meanwhile", "it is saved");
  await until(async () => (await request("GET", `${at}/records/${third}.json`)).status === 404, "it is deleted");
  await foot.getByText("1 record", { exact: true }).waitFor();
  equal(await foot.getByText("Not saved yet").count(), 0);

  // A new record is sent once, so undoing a deletion is for the person to try again.
  const undo = foot.getByRole("button", { name: "Undo" });
  await page.context().route("**/trpc/records.*", (route) => route.abort("connectionrefused"));
  await undo.click();
  await page.getByText("Not saved: The server does not answer.", { exact: true }).waitFor();
  await page.context().unroute("**/trpc/records.*");
  await undo.click();
  await foot.getByText("2 records", { exact: true }).waitFor();
  await page.locator("#cell-0-0").getByText("meanwhile").waitFor();
}
