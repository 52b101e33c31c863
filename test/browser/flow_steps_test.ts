/** What can be done with a step of a flow, by thumb, by mouse and by keyboard, in Chromium. */
import { deepEqual, equal } from "node:assert/strict";
import type { Page } from "../packages/playwright.ts";
import { barriersOf, browserTest, complaintsOf } from "../stage/browser.ts";
import { startServer, type TestServer } from "../stage/harness.ts";
import { made } from "../stage/people.ts";
import { until } from "../stage/until.ts";
import { adminOf, seatOf } from "./seats.ts";

browserTest("steps of a flow in the console", async ({ browser, step }) => {
  const server = await startServer();
  await server.console.prepare();
  const base = server.listen();
  const user_id = await adminOf(server);
  const open = async (options?: Parameters<typeof seatOf>[4]) =>
    (await seatOf(browser, server, base, user_id, options)).page;
  try {
    await step("by thumb: a step is added to an empty branch, moved, duplicated and deleted", async () => {
      await taps(await open(PHONE), server, base);
    });
    await step("the steps name their keys, and a new question asks somebody who can answer", async () => {
      await names(await open(), server, base);
    });
    await step("the form of a step has what its action uses, and says which key is wrong", async () => {
      await actions(await open(), server, base);
    });
    await step("a double click on a step edits it, also where the toolbar appears", async () => {
      await doubleClicks(await open(), server, base);
    });
  } finally {
    await server.close();
  }
});

const rows = (page: Page) => page.getByRole("tree", { name: "Steps" }).getByRole("treeitem");
const row = (page: Page, name: RegExp) => page.getByRole("treeitem", { name });

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };

const BRANCH = { type: "if", id: "large", condition: "{input.sum} > 100", then: [] };

/** A flow with this program, open, and what its draft is. */
async function opened(page: Page, { request }: TestServer, base: string, program: unknown[]) {
  const name = `Steps ${crypto.randomUUID().slice(0, 8)}`;
  const { id } = made(await request("POST", "/connect/flows.json", { json: { flow: { name, fields: { program } } } }));
  await page.goto(`${base}/flows/${id}`);
  await rows(page).first().waitFor();
  return async () => JSON.parse((await request("GET", `/connect/flows/${id}/draft.json`)).body.program_text ?? "[]");
}

async function taps(page: Page, server: TestServer, base: string): Promise<void> {
  const complaints = complaintsOf(page);
  const draft = await opened(page, server, base, [{ type: "return", id: "end", data: 1 }, BRANCH]);
  const tools = page.getByRole("toolbar", { name: /^Step \d/ });
  const choose = async (name: RegExp) => {
    await page.getByRole("combobox", { name: "Insert a step" }).waitFor();
    await page.getByRole("option", { name }).tap();
    await page.getByRole("complementary", { name: /^Step / }).waitFor();
    await page.getByRole("button", { name: "Close the step" }).tap();
  };
  await page.getByRole("button", { name: "Add a step to then" }).tap();
  await choose(/^Return/);
  await row(page, /^3 Return/).waitFor();
  // A list that the step has not yet is in the menu of the step.
  await row(page, /^2 If/).tap();
  await tools.getByRole("button", { name: "More" }).tap();
  deepEqual(await barriersOf(page), []);
  await page.getByRole("menuitem", { name: "Add a step to else" }).tap();
  await choose(/^Fail/);
  await row(page, /^4 Fail/).tap();
  await tools.getByRole("button", { name: "Duplicate" }).tap();
  await row(page, /^5 Fail/).waitFor();
  await tools.getByRole("button", { name: "Delete" }).tap();
  await row(page, /^5 Fail/).waitFor({ state: "detached" });
  await row(page, /^2 If/).tap();
  await tools.getByRole("button", { name: "Move up" }).tap();
  await row(page, /^1 If/).waitFor();
  await tools.getByRole("button", { name: "Edit" }).tap();
  await page.getByLabel("Condition").waitFor();
  const kinds = (steps: { type: string }[]) => steps.map(({ type }) => type);
  await until(
    async () => (await draft()).length === 2 && (await draft())[0].type === "if",
    "the draft has the changes",
  );
  const [first, ...others] = await draft();
  deepEqual([kinds(first.then), kinds(first.else), kinds(others)], [["return"], ["fail"], ["return"]]);
  deepEqual(complaints, []);
  await page.context().close();
}

async function actions(page: Page, server: TestServer, base: string): Promise<void> {
  await server.request("POST", "/platform/dbs.json", {
    json: { db: { name: "Plants", schema: { fields: { a: "text" } } } },
  });
  await opened(page, server, base, [{ type: "record", action: "create", db_code: "plants", data: {} }]);
  const panel = page.getByRole("complementary", { name: "Step step_1" });
  await row(page, /^1 Create/).dblclick();
  await panel.getByLabel("Data", { exact: true }).waitFor();
  equal(await panel.getByRole("button", { name: "Filter" }).count(), 0);
  await panel.getByLabel("Action").selectOption("get");
  await panel.getByText("can't be blank, unless match is given").waitFor();
  await row(page, /Record can't be blank, unless match is given/).waitFor();
  equal(await panel.getByLabel("Data", { exact: true }).count(), 0, "a blank key goes with its action");
  await panel.getByRole("button", { name: "Match" }).click();
  await panel.getByLabel("Record", { exact: true }).waitFor({ state: "detached" });
  await page.context().close();
}

async function names(page: Page, server: TestServer, base: string): Promise<void> {
  const draft = await opened(page, server, base, [BRANCH]);
  const keys = await page.getByRole("list", { name: "Keys of the steps" }).innerText();
  for (const key of ["/", "Enter", "t", "Alt", "d", "Del", ".", "w", "b", "Shift", "Ctrl"]) {
    equal(keys.split(/\s+/).includes(key), true, `the footer names ${key}`);
  }
  // Keys reach the empty branch, and Enter adds to it.
  await row(page, /^1 If/).click();
  const tools = page.getByRole("toolbar", { name: "Step 1" });
  equal(await tools.getByRole("button", { name: "Delete" }).getAttribute("title"), "Delete (Del)");
  equal(await tools.getByRole("button", { name: "Move up" }).isDisabled(), true);
  deepEqual(await barriersOf(page), []);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Insert a step" }).waitFor();
  await page.keyboard.type("ask a person");
  await page.keyboard.press("Enter");
  await row(page, /^2 Ask/).waitFor();
  await page.getByText("valid", { exact: true }).waitFor();
  await until(async () => (await draft())[0]?.then.length === 1, "the draft has the question");
  deepEqual((await draft())[0].then[0].roles, ["manager", "admin"]);
  // The keyboard stays at a button that moves the step.
  await page.getByRole("toolbar", { name: "Step 2" }).getByRole("button", { name: "Move up" }).press("Enter");
  await row(page, /^1 Ask/).waitFor();
  await page.getByRole("toolbar", { name: "Step 1" }).getByRole("button", { name: "Move down" }).press("Enter");
  await row(page, /^2 Ask/).waitFor();
  await page.getByRole("button", { name: "Move up" }).press("Enter");
  await row(page, /^1 Ask/).waitFor();
  await page.getByRole("button", { name: "Duplicate" }).press("Enter");
  await page.getByRole("toolbar", { name: "Step 2" }).getByRole("button", { name: "Duplicate" }).and(
    page.locator(":focus"),
  ).waitFor();
  await page.context().close();
}

/** The toolbar appears below the steps, where the second click of a double click may hit it. */
async function doubleClicks(page: Page, server: TestServer, base: string): Promise<void> {
  await page.setViewportSize({ width: 1000, height: 600 });
  const program = Array.from({ length: 20 }, (_, i) => ({ type: "mutation", id: `set_${i}`, set: { x: i } }));
  await opened(page, server, base, program);
  const below = await page.locator("footer", { hasText: /20 steps/ }).boundingBox();
  const y = (below?.y ?? 0) - 12;
  for (const x of [144, 171, 199, 226, 253]) {
    await page.mouse.dblclick(x, y);
    await page.getByRole("complementary", { name: /^Step / }).waitFor();
    await page.getByRole("button", { name: "Close the step" }).click();
    // Nothing is selected any more, so that the toolbar is gone.
    await page.reload();
    await rows(page).first().waitFor();
  }
  equal(await page.getByRole("button", { name: "Save" }).isDisabled(), true, "nothing was changed");
  // Clicks that begin in the toolbar all count.
  await row(page, /^4 Set/).click();
  await page.getByRole("toolbar", { name: "Step 4" }).getByRole("button", { name: "Move up" }).click({ clickCount: 3 });
  await row(page, /^1 Set x 3/).waitFor();
  await page.context().close();
}
