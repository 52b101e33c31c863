/** Forms of the console that keep what was typed while other pages are open. */
import { deepEqual, equal, notEqual } from "node:assert/strict";
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

/** What is typed while a save is in progress stays, and is saved by the next one. */
export async function keepsTypingDuringSaves(base: string, { request }: TestServer, { page }: Seat): Promise<void> {
  const { body: before } = await request("GET", "/account.json");
  await page.goto(`${base}/account`);
  const [name, save] = [nameOn(page), page.getByRole("button", { name: "Save", exact: true })];
  const { promise: typed, resolve: goOn } = Promise.withResolvers<void>();
  await page.route(/account\.update/, async (route) => {
    await typed;
    await route.continue();
  }, { times: 1 });
  await name.fill("First name");
  await save.click();
  await page.getByRole("button", { name: "Saving" }).waitFor();
  await name.fill("Second name");
  goOn();
  await page.getByText("Saved", { exact: true }).waitFor();
  equal(await name.inputValue(), "Second name");
  await save.click();
  await until(async () => (await request("GET", "/account.json")).body.name === "Second name", "it is saved");
  for (const address of ["/account", "/profile"]) await leavesDuringSave(base, page, address);
  await request("PATCH", "/account.json", { json: { account: { name: before.name } } });
}

/** What was saved after its page was left is not unsaved. */
async function leavesDuringSave(base: string, page: Page, address: string): Promise<void> {
  await page.goto(base + address);
  const { promise: left, resolve: goOn } = Promise.withResolvers<void>();
  await page.route(/(account|user_settings)\.update/, async (route) => {
    await left;
    await route.continue();
  }, { times: 1 });
  await nameOn(page).fill("Left");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Saving" }).waitFor();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Runs" }).click();
  await nameOn(page).waitFor({ state: "detached" });
  goOn();
  await page.getByRole("button", { name: "Undo" }).click();
  deepEqual(await reload(page), [], `${address}: nothing is unsaved`);
}

/** A person's form asks before a reload, and has what was typed when it is opened again. */
export async function keepsTypedPerson(base: string, { page, complaints }: Seat, id: number): Promise<void> {
  await page.goto(`${base}/people?person=${id}&edit=1`);
  const name = nameOn(page);
  await name.fill(TYPED);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Runs" }).click();
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  await page.goBack();
  await name.waitFor();
  equal(await name.inputValue(), TYPED);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  await name.waitFor();
  notEqual(await name.inputValue(), TYPED, "Cancel forgets it");
  await name.fill(TYPED);
  await name.click();
  deepEqual(await reload(page), ["beforeunload"]);
  deepEqual(complaints, []);
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
