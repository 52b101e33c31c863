/** A choice among many: a list with a search, operable by keyboard, which says where it is cut. */
import { deepEqual, equal } from "node:assert/strict";
import { barriersOf } from "../stage/browser.ts";
import { made } from "../stage/people.ts";
import type { TestServer } from "../stage/harness.ts";
import type { Seat } from "./seats.ts";

const MANY = 104;

export async function choosesAmongMany(
  { request }: TestServer,
  base: string,
  { page, complaints }: Seat,
  name: string,
): Promise<void> {
  const ids: number[] = [];
  for (let i = 0; i < MANY; i++) {
    const department = { name: `${name} ${String(i).padStart(3, "0")}` };
    ids.push(made(await request("POST", "/account/departments.json", { json: { department } })).id);
  }
  const app = made(
    await request("POST", "/platform/apps.json", { json: { app: { name, app_engine: "html", source_code: "<p>" } } }),
  );
  await page.goto(`${base}/apps/${app.id}?tab=settings`);
  const closed = page.getByRole("button", { name: "Department: Without a department" });
  await closed.waitFor();
  deepEqual(await barriersOf(page), []);
  await closed.focus();
  await page.keyboard.press("Enter");
  const list = page.getByRole("listbox", { name: "Department" });
  await page.getByText("The first 100. Type more to find others.").waitFor();
  equal(await list.getByRole("option").count(), 100);
  deepEqual(await barriersOf(page), []);
  // The option under the keys is in sight, however far down.
  for (let i = 0; i < 30; i++) await page.keyboard.press("ArrowDown");
  const at = list.getByRole("option", { selected: true });
  const [inner, outer] = [await at.boundingBox(), await list.boundingBox()];
  equal(inner && outer && inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height, true);
  await page.keyboard.type(`${name.toUpperCase()} 102`);
  await page.getByText("The first 100.").waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  const chosen = page.getByRole("button", { name: `Department: ${name} 102` });
  await chosen.waitFor();
  await list.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: /^Save/ }).click();
  await page.getByText("The settings are saved").waitFor();
  equal((await request("GET", `/platform/apps/${app.id}.json`)).body.department_id, ids[102]);
  // What is chosen is among the first, and none can be chosen again.
  await chosen.click();
  await list.getByRole("option", { name: "Without a department" }).waitFor();
  deepEqual(
    (await list.getByRole("option").allTextContents()).slice(0, 2).map((text) => text.replace("chosen", "").trim()),
    [
      "Without a department",
      `${name} 102`,
    ],
  );
  await list.getByRole("option", { name: "Without a department" }).click();
  await closed.waitFor();
  deepEqual(complaints, []);
}
