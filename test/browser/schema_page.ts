/** The schema page: what uses each field, and a change that the records do not fit, told at its field. */
import { deepEqual, equal } from "node:assert/strict";
import { made } from "../stage/people.ts";
import type { TestServer } from "../stage/harness.ts";
import type { Seat } from "./seats.ts";

export async function refusesFields(
  { request }: TestServer,
  base: string,
  { page, complaints }: Seat,
  name: string,
): Promise<void> {
  const schema = { fields: { title: "string", size: "string", unused: "string" } };
  const db = { name, schema, public_methods: { create: { allowed_fields: ["title"] } } };
  const { code } = made(await request("POST", "/platform/dbs.json", { json: { db } }));
  const add = async (data: unknown): Promise<string> =>
    made(await request("POST", `/platform/dbs/${code}/records.json`, { json: { record: { data } } })).id;
  const [small, untitled] = [await add({ title: "One", size: "small" }), await add({ unused: "x" })];
  for (const app of [`${name} board`, `${name} desk`]) {
    const source_code = `<p>title ${app.endsWith("desk") ? "size" : ""}</p>`;
    const json = { app: { name: app, app_engine: "html", css_engine: "none", db_code: code, source_code } };
    made(await request("POST", "/platform/apps.json", { json }));
  }
  await page.goto(`${base}/data/${code}/schema`);
  await page.getByRole("button", { name: "title is used by 2 apps, 1 method" }).click();
  const uses = page.getByRole("group", { name: "What uses title" });
  deepEqual(await uses.getByRole("link").allTextContents(), [`${name} board`, `${name} desk`, "Public create"]);
  await page.keyboard.press("Escape");
  await uses.waitFor({ state: "hidden" });
  const beside = page.getByRole("region", { name: /^Used by 3$/ });
  equal(await beside.getByRole("link").count(), 3);
  equal(await page.getByRole("row", { name: /unused/ }).getByRole("link").count(), 0);

  complaints.length = 0;
  await page.getByLabel("Type of size").selectOption("integer");
  await page.getByRole("switch", { name: "title is required" }).setChecked(true, { force: true });
  await page.keyboard.press("Control+s");
  const [title, size] = [page.getByLabel("Name of title"), page.getByLabel("Name of size")];
  const at_size = page.getByRole("alert").filter({ hasText: "size does not fit 1 record, because a value" });
  await at_size.waitFor();
  const at_title = page.getByRole("alert").filter({ hasText: "title does not fit 1 record, because a value can't be" });
  const recordOf = async (alert: typeof at_size) => await alert.getByRole("link").getAttribute("href");
  deepEqual([await recordOf(at_title), await recordOf(at_size)], [
    `/data/${code}/records?record=${untitled}`,
    `/data/${code}/records?record=${small}`,
  ]);
  deepEqual([await title.getAttribute("aria-invalid"), await size.getAttribute("aria-invalid")], ["true", "true"]);
  await page.locator("[aria-label='Name of title']:focus").waitFor();
  equal(await page.getByText("Not saved", { exact: true }).count(), 0);
  // A changed field is no longer the one that was refused.
  await page.getByLabel("Type of size").selectOption("text");
  await at_size.waitFor({ state: "detached" });
  await page.getByRole("switch", { name: "title is required" }).setChecked(false, { force: true });
  await at_title.waitFor({ state: "detached" });
  await page.keyboard.press("Control+s");
  await page.getByText("The schema is saved").waitFor();

  // Values are lost only after a question that names them.
  const removed = async () => !("size" in (await request("GET", `/platform/dbs/${code}.json`)).body.schema.fields);
  await page.getByRole("button", { name: "Remove size" }).click();
  await page.keyboard.press("Control+s");
  const question = page.getByRole("dialog", { name: "Remove size?" });
  await question.getByText("size has a value in 1 record.").waitFor();
  equal(await removed(), false);
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "hidden" });
  equal(await removed(), false);
  await page.keyboard.press("Control+s");
  await question.getByRole("button", { name: "Remove and save" }).click();
  await page.getByRole("button", { name: "Saved" }).waitFor();
  equal(await removed(), true);
  deepEqual(complaints.filter((text) => !text.includes("status of 422")), []);
}
