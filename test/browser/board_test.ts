/** A person's board in Chromium: how it is arranged, and that no change is lost. */
import { deepEqual, equal } from "node:assert/strict";
import type { Page } from "../packages/playwright.ts";
import { browserTest } from "../stage/browser.ts";
import { startServer } from "../stage/harness.ts";
import { until } from "../stage/until.ts";
import { addApp, type Board, grip, NAMES, sit, type Stage, type StoredTile } from "./board_seat.ts";

browserTest("a board in a browser", async ({ browser, step }) => {
  const server = await startServer();
  await server.console.prepare();
  const stage = { browser, server, base: server.listen() };
  try {
    await step("tiles pass each other by keys and by the pointer, and keep the focus", () => passes(stage));
    await step("Escape puts back what the pointer holds; a click changes nothing", () => putsBack(stage));
    await step("the page stays where it is while a tile is held, and scrolls at its edge", () => stays(stage));
    await step("a save that fails is made again", () => savesAgain(stage));
    await step(
      "a save whose answer is lost is not made twice, and one app that has gone loses no other change",
      () => repeats(stage),
    );
    await step("a change outlives its page, and a closed tab", () => outlives(stage));
    await step("undo puts one tile back, also on a page that was left", () => undoes(stage));
    await step("Undo and Redo, by keys and by buttons", () => turns(stage));
    await step("two tabs arrange one board", () => twoTabs(stage));
    await step("an app that is switched off comes back to its place", () => comesBack(stage));
    await step("on a narrow screen neighbours change places", () => narrow(stage));
    await step("a manager allows an app on boards with one press; what fails is said", () => addsOne(stage));
    await step("the account's board again", () => leaves(stage));
    await step("the board becomes everyone's, and is taken back", () => shares(stage));
    await step("the focus stays on an empty board whose dialog is closed", () => addsNone(stage));
  } finally {
    await server.close();
  }
});

const FIRST = "Alpha 0 0 6 4, Beta 6 0 6 4, Gamma 0 4 6 4, Delta 6 4 6 4";
const PASSED = "Gamma 0 0 6 4, Beta 6 0 6 4, Alpha 0 4 6 4, Delta 6 4 6 4";
const arrange = (page: Page) => page.getByRole("button", { name: "Arrange" }).click();
const done = (page: Page) => page.getByRole("button", { name: "Done" }).click();
const storedAs = (board: Board, tiles: string) =>
  until(async () => await board.stored() === tiles, `the server has ${tiles}`);
const focused = (page: Page) => page.evaluate<string>("document.activeElement.getAttribute('aria-label') ?? ''");

/** Presses on the middle of a tile's name and moves. */
async function grab(page: Page, name: string, by: { x: number; y: number }): Promise<void> {
  const box = await grip(page, name).boundingBox();
  if (!box) throw new Error(`${name} is not there`);
  const [x, y] = [box.x + 40, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + by.x, y + by.y, { steps: 8 });
}

async function passes(stage: Stage): Promise<void> {
  const board = await sit(stage);
  const { page } = board;
  await arrange(page);
  await grip(page, "Alpha").press("ArrowDown");
  await storedAs(board, PASSED);
  equal((await focused(page)).slice(0, 6), "Alpha:");
  await page.keyboard.press("ArrowUp");
  await storedAs(board, FIRST);
  let frames = 0;
  page.on("framenavigated", () => void frames++);
  await grab(page, "Alpha", { x: 0, y: 300 });
  await page.mouse.up();
  await storedAs(board, PASSED);
  await grab(page, "Alpha", { x: 0, y: -300 });
  await page.mouse.up();
  await storedAs(board, FIRST);
  equal(frames, 0, "no app was loaded anew");
  await page.getByRole("button", { name: "Remove Beta" }).click();
  await until(async () => (await focused(page)).startsWith("Delta:"), "the next tile has the focus");
  await page.getByText("Beta was removed").locator("..").getByRole("button", { name: "Undo" }).click();
  await until(async () => (await focused(page)).startsWith("Beta:"), "the tile that is back has the focus");
  await board.close();
}

async function putsBack(stage: Stage): Promise<void> {
  const board = await sit(stage);
  const { page } = board;
  const puts: string[] = [];
  page.on("request", (request) => void (request.url().includes("dashboards.put") && puts.push(request.url())));
  await arrange(page);
  await grab(page, "Alpha", { x: 0, y: 300 });
  await until(async () => await page.locator(".tile.held").count() === 1, "it is held");
  await page.keyboard.press("Delete");
  await page.keyboard.press("Escape");
  await until(async () => await page.locator(".tile.held").count() === 0, "it is back");
  equal(await page.getByText("was removed from your board").count(), 0);
  await page.mouse.up();
  await grip(page, "Alpha").click();
  await page.keyboard.press("ArrowLeft");
  await done(page);
  equal(await board.stored(), FIRST);
  deepEqual(puts, []);
  await board.close();
}

async function stays(stage: Stage): Promise<void> {
  const board = await sit(stage);
  const { page, ids } = board;
  const places = { Alpha: [1, 0, 5, 5], Beta: [6, 0, 6, 4], Gamma: [6, 4, 6, 10], Delta: [0, 5, 6, 4] };
  await board.put(Object.entries(places).map(([name, [x, y, w, h]]) => ({ app_id: ids[name], x, y, w, h })));
  await page.reload();
  await arrange(page);
  const scrolled = () => page.evaluate<number>("document.querySelector('.home').scrollTop");
  await grab(page, "Alpha", { x: 0, y: 200 });
  await page.mouse.wheel(0, 400);
  await until(async () => await scrolled() > 300, "the page is scrolled");
  const before = await scrolled();
  for (const by of [1, 2, 3]) await page.mouse.move(640 + by, 400 + by);
  equal(await scrolled(), before);
  const { y = 0, height = 0 } = await page.locator(".home").boundingBox() ?? {};
  await page.mouse.move(640, y + height - 10, { steps: 4 });
  await until(async () => await scrolled() > before + 100, "the page is scrolled at its lower edge");
  await page.mouse.move(640, 400);
  const after = await scrolled();
  for (const by of [1, 2, 3]) await page.mouse.move(640 + by, 400 + by);
  equal(await scrolled(), after);
  await page.keyboard.press("Escape");
  await page.mouse.up();
  // What is picked up at the edge scrolls only when it is moved towards it.
  const upper = (await grip(page, "Delta").boundingBox())?.y ?? 0;
  await page.evaluate(`document.querySelector(".home").scrollTop += ${upper - y - 20}`);
  const at_edge = await scrolled();
  await grab(page, "Delta", { x: 0, y: 0 });
  await page.evaluate(
    "new Promise((done) => { let n = 0; (function next() { n++ < 20 ? requestAnimationFrame(next) : done(); })(); })",
  );
  equal(await scrolled(), at_edge);
  await page.mouse.move(640, y + 5, { steps: 4 });
  await until(async () => await scrolled() < at_edge - 50, "the page is scrolled at its upper edge");
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await board.close();
}

async function savesAgain(stage: Stage): Promise<void> {
  const board = await sit(stage);
  const { page } = board;
  await page.route(/dashboards\.put/, (route) => route.abort());
  await arrange(page);
  await grip(page, "Alpha").press("ArrowDown");
  await page.getByText("Your board is not saved yet.").waitFor();
  await done(page);
  await page.unroute(/dashboards\.put/);
  await storedAs(board, PASSED);
  await page.getByText("Your board is not saved yet.").waitFor({ state: "detached" });
  await board.close();
}

async function repeats(stage: Stage): Promise<void> {
  const board = await sit(stage);
  const { page, ids } = board;
  const tiles = ["Alpha", "Beta", "Gamma"].map((name, i) => ({ app_id: ids[name], x: 0, y: i * 2, w: 6, h: 2 }));
  await board.put(tiles);
  await page.reload();
  await arrange(page);
  await page.route(/dashboards\.put/, async (route) => {
    await route.fetch();
    await route.abort();
  }, { times: 1 });
  await grip(page, "Alpha").press("ArrowDown");
  await page.getByText("Your board is not saved yet.").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Your board is not saved yet.").waitFor({ state: "detached" });
  equal(await board.stored(), "Beta 0 0 6 2, Alpha 0 2 6 2, Gamma 0 4 6 2");

  await page.route(/dashboards\.put/, (route) => route.abort());
  await page.getByRole("button", { name: "Add a tile" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delta" }).first().click();
  await page.keyboard.press("Escape");
  await grip(page, "Alpha").press("Shift+ArrowLeft");
  await page.getByText("Your board is not saved yet.").waitFor();
  const added = (await page.locator(".tile").filter({ hasText: "Delta" }).getAttribute("data-app")) ?? "";
  await stage.server.request("PATCH", `/platform/apps/${added}.json`, { json: { app: { active: false } } });
  await page.unroute(/dashboards\.put/);
  await storedAs(board, "Beta 0 0 6 2, Alpha 0 2 5 2, Gamma 0 4 6 2");
  await page.getByText("Delta cannot be on a board any more").waitFor();
  await board.close();
}

async function outlives(stage: Stage): Promise<void> {
  const board = await sit(stage);
  const { page } = board;
  const released = Promise.withResolvers<void>();
  await page.route(/dashboards\.put/, async (route) => {
    await released.promise;
    await route.continue();
  });
  await arrange(page);
  await grip(page, "Alpha").press("ArrowDown");
  const links = page.getByRole("navigation");
  await links.getByRole("link", { name: "Apps", exact: true }).first().click();
  await page.getByRole("heading", { level: 1, name: "Apps" }).waitFor();
  await links.getByRole("link", { name: "Home", exact: true }).first().click();
  await page.getByRole("heading", { name: "Gamma" }).waitFor();
  const top = async (name: string) => (await page.getByRole("heading", { name }).boundingBox())?.y ?? 0;
  equal(await top("Gamma") < await top("Alpha"), true, "the page shows what is not saved yet");
  released.resolve();
  await storedAs(board, PASSED);
  await page.unroute(/dashboards\.put/);
  await arrange(page);
  await grip(page, "Alpha").press("ArrowUp");
  await page.goto("about:blank");
  await storedAs(board, FIRST);
  await board.close();
}

async function undoes(stage: Stage): Promise<void> {
  const board = await sit(stage);
  const { page } = board;
  await arrange(page);
  await page.getByRole("button", { name: "Remove Alpha" }).click();
  await page.getByRole("button", { name: "Remove Delta" }).click();
  await grip(page, "Beta").press("Shift+ArrowDown");
  await storedAs(board, "Gamma 0 0 6 4, Beta 6 0 6 5");
  const links = page.getByRole("navigation");
  await links.getByRole("link", { name: "Apps", exact: true }).first().click();
  await page.getByRole("heading", { level: 1, name: "Apps" }).waitFor();
  await links.getByRole("link", { name: "Home", exact: true }).first().click();
  const notice = page.getByText("Alpha was removed from your board").locator("..");
  await notice.getByRole("button", { name: "Undo" }).click();
  await storedAs(board, "Alpha 0 0 6 4, Beta 6 0 6 5, Gamma 0 4 6 4");
  await page.getByRole("heading", { name: "Alpha" }).waitFor();
  await board.close();
}

async function turns(stage: Stage): Promise<void> {
  const board = await sit(stage);
  const { page } = board;
  const focuses = (name: string) => until(async () => (await focused(page)).startsWith(name), `${name} has the focus`);
  await arrange(page);
  await grip(page, "Alpha").press("ArrowDown");
  await grip(page, "Beta").press("Delete");
  await storedAs(board, "Gamma 0 0 6 4, Delta 6 0 6 4, Alpha 0 4 6 4");
  await page.keyboard.press("Control+z");
  await focuses("Beta:");
  await storedAs(board, PASSED);
  await page.keyboard.press("Control+z");
  await storedAs(board, FIRST);
  await page.getByRole("button", { name: "Redo", exact: true }).click();
  await storedAs(board, PASSED);
  await page.keyboard.press("Control+Shift+z");
  await storedAs(board, "Gamma 0 0 6 4, Delta 6 0 6 4, Alpha 0 4 6 4");
  equal(await page.getByRole("button", { name: "Redo", exact: true }).isDisabled(), true);
  await board.close();
}

async function twoTabs(stage: Stage): Promise<void> {
  const board = await sit(stage);
  const { page } = board;
  const other = await page.context().newPage();
  await other.goto(stage.base);
  await arrange(other);
  await arrange(page);
  await page.getByRole("button", { name: "Remove Delta" }).click();
  await storedAs(board, "Alpha 0 0 6 4, Beta 6 0 6 4, Gamma 0 4 6 4");
  await grip(other, "Alpha").press("ArrowDown");
  await storedAs(board, "Gamma 0 0 6 4, Beta 6 0 6 4, Alpha 0 4 6 4");
  equal(await grip(other, "Delta").count(), 0);
  // One holds a tile that the other has removed, and hears of it.
  await page.getByRole("button", { name: "Remove Beta" }).click();
  await storedAs(board, "Gamma 0 0 6 4, Alpha 0 4 6 4");
  await grip(other, "Alpha").press("ArrowRight");
  await grab(other, "Beta", { x: 0, y: 200 });
  await until(async () => await grip(other, "Beta").count() === 0, "it is gone");
  await other.mouse.up();
  await storedAs(board, "Gamma 0 0 6 4, Alpha 1 4 6 4");
  await grip(other, "Alpha").press("ArrowLeft");
  await storedAs(board, "Gamma 0 0 6 4, Alpha 0 4 6 4");
  await other.getByRole("button", { name: "Remove Gamma" }).click();
  await storedAs(board, "Alpha 0 0 6 4");
  await done(page);
  await until(async () => await page.locator(".tile").count() === 1, "who has arranged sees what the other has done");
  await board.close();
}

async function comesBack(stage: Stage): Promise<void> {
  const board = await sit(stage);
  const { page, ids } = board;
  const turn = (active: boolean) =>
    stage.server.request("PATCH", `/platform/apps/${ids.Beta}.json`, { json: { app: { active } } });
  await turn(false);
  await page.reload();
  await arrange(page);
  equal(await grip(page, "Beta").count(), 0);
  await grip(page, "Alpha").press("ArrowDown");
  await storedAs(board, "Gamma 0 0 6 4, Delta 6 0 6 4, Alpha 0 4 6 4");
  await turn(true);
  await until(async () => (await board.stored()).includes("Beta 6 0 6 4"), "it is back");
  await board.close();
}

async function narrow(stage: Stage): Promise<void> {
  const board = await sit(stage, "user", { viewport: { width: 390, height: 844 } });
  const { page } = board;
  await arrange(page);
  equal(await page.getByRole("button", { name: "Move Alpha up" }).isDisabled(), true);
  await page.getByRole("button", { name: "Move Alpha down" }).click();
  await storedAs(board, "Beta 0 0 6 4, Alpha 6 0 6 4, Gamma 0 4 6 4, Delta 6 4 6 4");
  const bottom = async () => (await page.locator(".tile").nth(1).boundingBox())?.y ?? 0;
  await until(async () => await bottom() < 844, "the page has followed the tile");
  await grip(page, "Alpha").press("ArrowDown");
  await storedAs(board, "Beta 0 0 6 4, Gamma 6 0 6 4, Alpha 0 4 6 4, Delta 6 4 6 4");
  const top = async (name: string) => (await grip(page, name).boundingBox())?.y ?? 0;
  equal(await top("Gamma") < await top("Alpha"), true);
  await board.close();
}

async function addsOne(stage: Stage): Promise<void> {
  const board = await sit(stage, "manager");
  const { page, server } = { ...board, ...stage };
  const name = `A wanted app ${crypto.randomUUID().slice(0, 8)}`;
  const id = await addApp(server, name, false);
  await arrange(page);
  await page.route(/apps\.list/, (route) => route.abort());
  const dialog = page.getByRole("dialog", { name: "Add a tile" });
  await page.getByRole("button", { name: "Add a tile" }).click();
  await dialog.getByRole("alert").waitFor();
  await page.unroute(/apps\.list/);
  await dialog.getByRole("button", { name: "Retry" }).click();
  const entry = dialog.getByRole("button", { name });
  await entry.waitFor();
  await entry.dblclick();
  await storedAs(board, `${FIRST}, ${name} 0 8 6 4`);
  equal((await server.request("GET", `/platform/apps/${id}.json`)).body.dashboard_widget, true);
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.keyboard.press("Escape");
  await until(async () => (await focused(page)).startsWith(name), "the tile that was added has the focus");
  const { y = 0 } = await grip(page, name).boundingBox() ?? {};
  equal(y > 0 && y < 500, true, `it is seen, at ${y}`);
  await board.close();
}

async function leaves(stage: Stage): Promise<void> {
  const board = await sit(stage);
  const { page } = board;
  await arrange(page);
  await grip(page, "Alpha").press("ArrowDown");
  await page.route(/dashboards\.delete/, (route) => route.abort());
  const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("dashboards.delete"));
  await page.getByRole("button", { name: "Use the account's board" }).click();
  await failed;
  await storedAs(board, PASSED);
  await page.getByRole("button", { name: "Arrange" }).waitFor();
  await page.unroute(/dashboards\.delete/);
  await page.getByRole("button", { name: "Arrange" }).click();
  await page.getByRole("button", { name: "Use the account's board" }).click();
  await storedAs(board, "");
  const notice = page.getByText("You see the account's board again").locator("..");
  await notice.getByRole("button", { name: "Undo" }).click();
  await storedAs(board, PASSED);
  await board.close();
}

async function shares(stage: Stage): Promise<void> {
  const { request } = stage.server;
  const path = "/account/default_dashboard.json";
  const everyones = async () => {
    const { body } = await request("GET", path);
    const tiles: StoredTile[] = body.tiles;
    return tiles.map(({ title }) => title).join();
  };
  const board = await sit(stage, "admin");
  const { page } = board;
  const tiles = [{ app_id: await addApp(stage.server, "Common"), x: 0, y: 0, w: 6, h: 4 }];
  equal((await request("PUT", path, { json: { dashboard: { tiles } } })).status, 200);
  await arrange(page);
  await page.getByRole("button", { name: "Make it everyone's board" }).click();
  const undo = page.getByText("This is now the board of everyone").locator("..").getByRole("button", { name: "Undo" });
  await undo.waitFor();
  equal(await everyones(), NAMES.join());
  await undo.click();
  await until(async () => await everyones() === "Common", "the board before is everyone's again");
  // What another administrator has changed meanwhile stays.
  await page.getByRole("button", { name: "Make it everyone's board" }).click();
  await undo.waitFor();
  equal((await request("PUT", path, { json: { dashboard: { tiles: [] } } })).status, 200);
  const refused = page.waitForResponse((response) => response.url().includes("dashboards.put_default"));
  await undo.click();
  equal((await refused).status(), 409);
  equal(await everyones(), "");
  await board.close();
}

async function addsNone(stage: Stage): Promise<void> {
  const board = await sit(stage);
  const { page } = board;
  await board.put([]);
  await page.reload();
  await page.getByRole("button", { name: "Add a tile" }).click();
  await page.getByRole("dialog", { name: "Add a tile" }).getByRole("button").first().waitFor();
  await page.keyboard.press("Escape");
  const text = () => page.evaluate<string>("document.activeElement.textContent");
  await until(async () => (await text()).trim() === "Add a tile", "a button that adds has the focus");
  await board.close();
}
