/** How a visitor uses each app of the gallery, by its `url_code`, and what the page must show. */
import { deepEqual, equal, match, notDeepEqual } from "node:assert/strict";
import type { Locator, Page } from "../../packages/playwright.ts";

/** Uses an app whose page has just been opened. */
type Use = (page: Page) => Promise<void>;

/** The visitors' time zone. */
export const TIME_ZONE = "Europe/Paris";

const status = (page: Page) => page.getByRole("status");
const button = (page: Page | Locator, name: string) => page.getByRole("button", { name, exact: true });

/** Waits for a text that follows a click. */
const shows = (what: Locator, text: string) => what.filter({ hasText: new RegExp(`^\\s*${text}\\s*$`) }).waitFor();

const written = async (fields: Locator) => await Promise.all((await fields.all()).map((field) => field.inputValue()));

async function daylight(page: Page): Promise<void> {
  await shows(status(page), "2 of 7 done");
  await page.getByLabel("Ten minutes of scales is done").check();
  await shows(status(page), "3 of 7 done");
  await page.getByLabel("Add to the evening").fill("Fold the tent");
  await page.keyboard.press("Enter");
  await shows(status(page), "3 of 8 done");
  equal(await page.getByLabel("Add to the evening").inputValue(), "");

  const tasksOf = (part: string) => written(page.getByRole("region", { name: part }).getByLabel("Task"));
  await button(page, "Move Soup for two with the arrow keys").press("ArrowLeft");
  deepEqual(await tasksOf("Afternoon"), ["Oil the garden gate", "Return the ladder", "Soup for two"]);
  // The second key arrives only where the moved button keeps the focus.
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  deepEqual(await tasksOf("Afternoon"), ["Soup for two", "Oil the garden gate", "Return the ladder"]);
  await button(page, "Move Return the ladder with the arrow keys").dragTo(
    page.getByRole("region", { name: "Morning" }),
  );
  deepEqual(await tasksOf("Afternoon"), ["Soup for two", "Oil the garden gate"]);

  await page.getByRole("region", { name: "Afternoon" }).getByLabel("Task").first().fill("Soup for three");
  await button(page, "Delete Soup for three").click();
  await button(page, "open").click();
  deepEqual(await tasksOf("Morning"), ["Return the ladder"]);
  await button(page, "done").click();
  deepEqual(await tasksOf("Evening"), []);
  await shows(status(page), "3 of 7 done");

  match(`${await page.evaluate("localStorage.getItem('daylight')")}`, /Fold the tent/);
  await page.reload();
  await shows(status(page), "2 of 7 done");
}

/** Stops the page's clock, and with it every animation. Not usable for games. */
async function openOnWednesday(page: Page): Promise<void> {
  await page.clock.setFixedTime("2026-03-04T12:00:00Z");
  await page.reload();
}

async function windowsill(page: Page): Promise<void> {
  await openOnWednesday(page);
  await shows(status(page), "2 to water today");
  await button(page, "No sugar on Wednesday").click();
  await shows(status(page), "1 to water today");
  equal(await page.getByRole("img", { name: "No sugar: 3 of 7" }).count(), 1);
  await page.getByLabel("Plant a habit").fill("Lights out at ten");
  await page.keyboard.press("Enter");
  await shows(status(page), "2 to water today");
  await page.getByLabel("Due today only").check();
  const names = () => written(page.getByLabel("Habit", { exact: true }));
  deepEqual(await names(), ["Read ten pages", "Lights out at ten"]);
  await page.getByLabel("Habit", { exact: true }).last().fill("Lights out");
  await button(page, "Remove Read ten pages").click();
  await button(page, "Lights out on Wednesday").click();
  await shows(status(page), "All watered today.");
  deepEqual(await names(), []);
  match(`${await page.evaluate("localStorage.getItem('windowsill')")}`, /Lights out/);
}

async function carryOn(page: Page): Promise<void> {
  await shows(status(page), "6 of 10 packed, 1.14 kg to spare");
  await page.getByLabel("Jumper", { exact: true }).check();
  await shows(status(page), "7 of 10 packed, 0.66 kg to spare");
  await page.getByLabel("Add a thing").fill("Set of chisels 1,5 kg");
  await page.keyboard.press("Enter");
  await page.getByLabel("Set of chisels", { exact: true }).check();
  await shows(status(page), "0.84 kg too heavy: take something out");
  await button(page, "Take out Set of chisels").click();
  await shows(status(page), "7 of 11 packed, 0.66 kg to spare");
  await button(page, "To pack").click();
  equal(await page.getByRole("listitem").count(), 4);
  await button(page, "Leave Set of chisels at home").click();
  equal(await page.getByRole("listitem").count(), 3);
  match(`${await page.evaluate("localStorage.getItem('carry-on')")}`, /Jumper/);
}

async function meridian(page: Page): Promise<void> {
  await openOnWednesday(page);
  const row = (name: string) => page.getByRole("button", { name });
  await shows(row("Here"), "Here ?Wed ?13:00");
  await shows(row("Tokyo"), "Tokyo ?Wed ?21:00");
  const slider = page.getByLabel("When do we talk?");
  await slider.press("ArrowRight");
  await shows(status(page), "In 15 min");
  await slider.fill("210");
  await shows(status(page), "In 3 h 30 min");
  await shows(row("Tokyo"), "Tokyo ?Thu ?00:30");
  await row("Tokyo").click();
  equal(await row("Tokyo").getAttribute("aria-pressed"), "true");
  await shows(page.locator("svg .time"), "00:30");
  await button(page, "Back to now").click();
  await shows(status(page), "This very moment");
  await shows(page.locator("svg .time"), "21:00");
}

async function smallMarks(page: Page): Promise<void> {
  const plain = page.getByLabel("Type as you always do");
  const careful = page.getByLabel("Set with care");
  await plain.fill(`"So" -- a room of 3 x 4`);
  await shows(careful, "“So”—a room of 3\\s×\\s4");
  await shows(status(page), "4 marks set, 4 of 12 kinds");
  await page.getByRole("button", { name: "Ellipsis" }).click();
  await shows(careful, "“So”—a room of 3\\s×\\s4…");
  await shows(status(page), "5 marks set, 5 of 12 kinds");
}

/** A screenshot of the middle of the page, where the canvas is, without the text above it. */
async function pictureOf(page: Page) {
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  return await page.screenshot({ clip: { x: 0, y: height / 4, width, height: height / 2 } });
}

/** The slope is the same in each run. Straight down leads through one gate into a tree. */
async function snowline(page: Page): Promise<void> {
  const fallen = button(page, "Once more");
  const still = await pictureOf(page);
  await page.keyboard.press("ArrowDown");
  await button(page, "Push off").waitFor({ state: "hidden" });
  notDeepEqual(await pictureOf(page), still);
  await fallen.waitFor();
  match(await status(page).innerText(), /^\d+ points: \d+ metres and 1 gate\.$/);
  await shows(page.locator(".best"), "Best \\d+");

  // The key is pressed before the run begins, because a slow machine would steer too late. The key may start the run.
  await page.keyboard.down("ArrowLeft");
  await page.locator("button").dispatchEvent("click");
  await fallen.waitFor();
  await page.keyboard.up("ArrowLeft");
  match(await status(page).innerText(), /^\d+ points: \d+ metres and 0 gates\.$/, "it went past on the left");
  await fallen.click();
  await fallen.waitFor({ state: "hidden" });
}

/** Sparks and moths appear by `Math.random`, which this use replaces. */
async function firefly(page: Page): Promise<void> {
  await page.addInitScript("Math.random = () => 0.5");
  await page.reload();
  await page.locator("button:enabled").waitFor();
  const still = await pictureOf(page);
  await page.keyboard.press("Space");
  await page.waitForFunction("document.querySelector('meter').value < 0.9");
  notDeepEqual(await pictureOf(page), still);
  // At 0.5, every spark appears in the middle of the meadow, straight below.
  await page.keyboard.down("ArrowDown");
  await shows(page.locator(".count"), "[1-9]\\d* sparks?");
  await page.keyboard.up("ArrowDown");

  // At 0, moths come in every frame from the top left corner. New sparks appear there too, so the player must not be there.
  await page.evaluate("Math.random = () => 0");
  await page.keyboard.down("ArrowUp");
  await button(page, "Fly again").waitFor();
  await page.keyboard.up("ArrowUp");
  match(await status(page).innerText(), /^[1-9]\d* sparks? before your light went out\.$/);
  await shows(page.locator(".best"), "Best [1-9]\\d*");
  await page.evaluate("Math.random = () => 0.5");
  await button(page, "Fly again").click();
  await shows(page.locator(".count"), "0 sparks");
  await button(page, "Fly again").waitFor({ state: "hidden" });
}

export const USES: Readonly<Record<string, Use>> = {
  daylight,
  windowsill,
  "carry-on": carryOn,
  meridian,
  "small-marks": smallMarks,
  snowline,
  firefly,
};
