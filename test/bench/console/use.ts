/** What an hour of work in one tab leaves in memory. */
import type { Page } from "../../packages/playwright.ts";
import { untilTrue } from "./browser.ts";

/** After a forced garbage collection, on the same page each time. */
export interface Memory {
  /** Of all frames of the tab. */
  heap_mb: number;
  nodes: number;
  listeners: number;
}

export interface Use {
  actions: number;
  start: Memory;
  middle: Memory;
  end: Memory;
}

/** Where memory is read: a page without frames. */
const REST = "/people";

async function readMemory(page: Page): Promise<Memory> {
  await open(page, REST);
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  // What one collection frees may hold what the next one frees.
  for (let turn = 0; turn < 3; turn++) await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const valueOf = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? NaN;
  await session.detach();
  return { heap_mb: valueOf("JSHeapUsedSize") / 1e6, nodes: valueOf("Nodes"), listeners: valueOf("JSEventListeners") };
}

/** Follows a link as a click does, and waits for the page behind it. */
async function open(page: Page, address: string): Promise<void> {
  const path = address.replace(/\?.*/, "");
  const before = await page.evaluate<string>(`location.pathname`);
  await page.evaluate(`{
    document.querySelector("h1")?.setAttribute("data-left", "");
    const link = document.createElement("a");
    link.href = ${JSON.stringify(address)};
    document.querySelector("main").append(link);
    link.click();
    link.remove();
  }`);
  await settled(page, path, path !== before);
}

async function back(page: Page, path: string): Promise<void> {
  await page.evaluate(`document.querySelector("h1")?.setAttribute("data-left", ""); history.back()`);
  await settled(page, path, true);
}

const settled = (page: Page, path: string, other: boolean) =>
  untilTrue(
    page,
    `location.pathname === ${JSON.stringify(path)} && document.querySelector("h1${other ? ":not([data-left])" : ""}") &&
      !document.querySelector(".skel")`,
  );

const PUBLISHED = `[...document.querySelectorAll("header button")].some(
  ({ textContent, disabled }) => disabled && textContent.trim().startsWith("Publish"))`;

/** Edits an app, waits for its preview, publishes it and goes back. @returns the number of actions */
async function work(page: Page, app: string, round: number): Promise<number> {
  await open(page, "/apps");
  await open(page, app);
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.evaluate("void (watched.ready = [])");
  await page.keyboard.press(round % 2 === 0 ? "x" : "Backspace");
  await untilTrue(page, "watched.ready.length > 0");
  await page.keyboard.press("Control+s");
  await untilTrue(page, PUBLISHED);
  for (const tab of ["settings", "versions", "actions"]) {
    await page.getByRole("tab", { name: tab, exact: false }).filter({ visible: true }).click();
  }
  await page.evaluate(`document.querySelector("h1")?.setAttribute("data-left", "")`);
  await back(page, "/apps");
  return 9;
}

/** Looks for a page in the palette. */
async function lookUp(page: Page): Promise<number> {
  await page.keyboard.press("Control+k");
  await page.locator("dialog[open] [role=combobox]").fill("depart");
  await page.locator("dialog[open] [role=option]").first().waitFor();
  await page.locator("dialog[open] [role=combobox]").press("Escape");
  await page.locator("dialog[open] [role=combobox]").waitFor({ state: "hidden" });
  return 3;
}

/** Opens a record beside its table, then closes it. */
async function peek(page: Page, table: string): Promise<number> {
  await open(page, table);
  await page.locator("#cell-0-0").click();
  await page.keyboard.press("Space");
  const panel = page.locator("aside.panel");
  await panel.waitFor();
  await panel.getByRole("button", { name: "Close" }).click();
  await panel.waitFor({ state: "detached" });
  return 4;
}

/**
 * Uses the console as fast as it answers. The first round is not counted: it loads the chunks.
 *
 * @param pages addresses that each round opens
 */
export async function useConsole(
  page: Page,
  { url, pages, app, table, rounds }: {
    url: string;
    pages: readonly string[];
    app: string;
    table: string;
    rounds: number;
  },
): Promise<Use> {
  await page.goto(url + REST);
  await page.locator("h1").first().waitFor();
  let actions = 0;
  const readings: Memory[] = [];
  for (let round = 0; round <= rounds; round++) {
    if (round === 1) actions = 0;
    for (const address of pages) {
      await open(page, address);
      actions++;
    }
    actions += await work(page, app, round) + await lookUp(page) + await peek(page, table);
    if (round === 0 || round === Math.ceil(rounds / 2) || round === rounds) readings.push(await readMemory(page));
  }
  const [start, middle = start, end = middle] = readings;
  if (!start || !middle || !end) throw new Error("no readings");
  return { actions, start, middle, end };
}
