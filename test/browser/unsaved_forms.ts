/** Forms of the console that keep what was typed while other pages are open. */
import { deepEqual, equal } from "node:assert/strict";
import type { Page } from "../packages/playwright.ts";
import type { TestServer } from "../stage/harness.ts";
import { until } from "../stage/until.ts";
import type { Seat } from "./seats.ts";

const TYPED = "Typed, not saved";

/** The name typed on these pages is still there after a link and after Back. A reload asks before the name is lost. */
export async function keepsTypedNames(base: string, { page, complaints }: Seat): Promise<void> {
  for (const address of ["/account", "/profile"]) {
    const name = nameOn(page);
    await leavesAndReturns(page, base, address);
    await page.getByRole("button", { name: "Discard" }).click();
    const saved = await name.inputValue();
    deepEqual(await reload(page), [], `${address}: nothing is unsaved`);
    await name.fill("Saved");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await until(async () => await name.inputValue() === saved, "the saved name is taken back");
    deepEqual(await reload(page), [], `${address}: nothing is unsaved after a save`);
    await name.fill(TYPED);
    // Chromium asks only on a page that was clicked.
    await name.click();
    deepEqual(await reload(page), ["beforeunload"], `${address}: the name is unsaved`);
    await name.waitFor();
    equal(await name.inputValue(), saved);
  }
  await leavesAndReturns(page, base, "/apps/new");
  await nameOn(page).fill("");
  deepEqual(await reload(page), [], "a new app without a name is not unsaved");
  deepEqual(complaints, []);
}

/** What others have saved meanwhile stays: only what was typed is sent. */
export async function keepsOthersChanges(base: string, { request }: TestServer, { page }: Seat): Promise<void> {
  const { body: before } = await request("GET", "/account.json");
  const change = (account: unknown) => request("PATCH", "/account.json", { json: { account } });
  await page.goto(`${base}/account`);
  await nameOn(page).fill("Changed here");
  await change({ host: "changed-there.example.com" });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  const { body: after } = await request("GET", "/account.json");
  deepEqual([after.name, after.host], ["Changed here", "changed-there.example.com"]);
  await change({ name: before.name, host: before.host });

  await page.goto(`${base}/account/limits`);
  await page.getByLabel("Writes, one caller").fill("500");
  await change({ rate_limits: { compiles: 60 } });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  deepEqual((await request("GET", "/account.json")).body.rate_limits, { writes: 500, compiles: 60 });
  await change({ rate_limits: before.rate_limits });

  await page.goto(`${base}/account/embedding`);
  const field = page.getByLabel("Host", { exact: true });
  await field.fill("https://one.example.com");
  const hosts = ["https://two.example.com"];
  await request("PATCH", "/account/embedding.json", { json: { embedding: { hosts } } });
  await field.press("Enter");
  await page.getByText("https://one.example.com").waitFor();
  const { body: embedding } = await request("GET", "/account/embedding.json");
  deepEqual(embedding.hosts, [...hosts, "https://one.example.com"]);
  await request("PATCH", "/account/embedding.json", { json: { embedding: { hosts: [] } } });
}

const nameOn = (page: Page) => page.getByRole("textbox", { name: "Name", exact: true });

async function leavesAndReturns(page: Page, base: string, address: string): Promise<void> {
  const name = nameOn(page);
  await page.goto(`${base}/runs`);
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  await open(page, address);
  await name.fill(TYPED);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "People" }).click();
  await name.waitFor({ state: "detached" });
  await page.goBack();
  await name.waitFor();
  equal(await name.inputValue(), TYPED, `${address}: after a link`);
  await page.goBack();
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  await page.goForward();
  await name.waitFor();
  equal(await name.inputValue(), TYPED, `${address}: after Back`);
}

/** Opens a page of the console without a load. */
const open = (page: Page, address: string) =>
  page.evaluate(`history.pushState(null, "", "${address}"); dispatchEvent(new PopStateEvent("popstate"))`);

/** @returns the kinds of the questions that the browser has asked, all of which are accepted */
async function reload(page: Page): Promise<string[]> {
  const asked: string[] = [];
  const accept = (dialog: { type(): string; accept(): Promise<void> }) => {
    asked.push(dialog.type());
    return dialog.accept();
  };
  page.on("dialog", accept);
  await page.reload();
  page.off("dialog", accept);
  return asked;
}
