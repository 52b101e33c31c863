/** The page of a database: its settings, the order of its exports, and what a person reads who may not see it. */
import { deepEqual, equal } from "node:assert/strict";
import type { Browser } from "../packages/playwright.ts";
import { barriersOf } from "../stage/browser.ts";
import { addPerson, made } from "../stage/people.ts";
import type { TestServer } from "../stage/harness.ts";
import { type Seat, seatOf } from "./seats.ts";

export async function movesToDepartment(
  browser: Browser,
  server: TestServer,
  base: string,
  { page, complaints }: Seat,
  name: string,
): Promise<void> {
  const { request } = server;
  const add = async (department: string): Promise<number> =>
    made(await request("POST", "/account/departments.json", { json: { department: { name: department } } })).id;
  const mine = await add(`${name} office`);
  const { code } = made(
    await request("POST", "/platform/dbs.json", { json: { db: { name, schema: { fields: { title: "string" } } } } }),
  );
  await page.goto(`${base}/data/${code}/records`);
  await page.getByText("There are no records yet.").waitFor();
  complaints.length = 0;
  await page.getByRole("button", { name: "Export", exact: true }).click();
  await page.getByText("All records, oldest first").waitFor();
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("button", { name: "Settings", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: `Settings of ${name}` });
  equal(await dialog.getByRole("textbox", { name: "Code" }).inputValue(), code);
  await dialog.getByLabel("Name", { exact: true }).fill(`${name} moved`);
  const choice = dialog.locator("#database-department");
  if (await choice.evaluate((node) => node.tagName) === "SELECT") await choice.selectOption(String(mine));
  else {
    await choice.click();
    await page.getByRole("option", { name: `${name} office` }).click();
  }
  deepEqual(await barriersOf(page), []);
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("The settings are saved").waitFor();
  await page.getByRole("heading", { name: `${name} moved` }).waitFor();
  const { body } = await request("GET", `/platform/dbs/${code}.json`);
  deepEqual([body.name, body.code, body.department_id], [`${name} moved`, code, mine]);

  const change = (departments: object) => request("PATCH", "/account.json", { json: { account: { departments } } });
  const { mode } = (await request("GET", "/account.json")).body.departments;
  equal((await change({ mode: "restricted" })).status, 200);
  const person = await addPerson(request, "user", { department_ids: [], without_department: false });
  const theirs = await seatOf(browser, server, base, person.id);
  for (const [path, many] of [["data", "databases"], ["flows", "flows"], ["triggers", "triggers"]]) {
    await theirs.page.goto(`${base}/${path}`);
    await theirs.page.getByText(`No ${many} are visible to you. You belong to no department.`).waitFor();
  }
  await theirs.page.goto(`${base}/data/${code}`);
  await theirs.page.getByText("it belongs to a department that you do not see").waitFor();
  equal(await theirs.page.getByRole("navigation", { name: "Database" }).count(), 0);
  await theirs.page.getByRole("link", { name: "See the databases" }).click();
  await theirs.page.waitForURL(`${base}/data`);
  await theirs.close();
  equal((await change({ mode })).status, 200);
  deepEqual(complaints, []);

  // Somebody deletes it, and the page reads it again.
  equal((await request("DELETE", `/platform/dbs/${code}.json`)).status, 204);
  await page.getByPlaceholder("Search texts").fill("a");
  await page.getByRole("alert").getByText("Database not found").waitFor();
  complaints.length = 0;
}
