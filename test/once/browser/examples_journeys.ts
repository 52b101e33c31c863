/** What people do with each example, by its folder, and what they must then see. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Locator, Page } from "../../packages/playwright.ts";
import type { TestServer } from "../../stage/harness.ts";
import { until } from "../../stage/until.ts";

export interface Stage {
  /** Opens an app as a visitor with a browser of its own. */
  open(url_code: string): Promise<Page>;
  /** As `open`, but the page never hears of changes, as on a broken line. */
  openDeaf(url_code: string): Promise<Page>;
  openAsMember(url_code: string): Promise<Page>;
  /** Looks for barriers on a page that is wide and light, and narrow and dark; or in all looks. */
  check(page: Page, in_all_looks?: boolean): Promise<void>;
  ask: TestServer["request"];
}

const button = (page: Page | Locator, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });

/** Does something while a flow is inactive, so that steps that call it fail. */
async function without(code: string, ask: Stage["ask"], work: () => Promise<void>): Promise<void> {
  const { body: flows } = await ask("GET", `/connect/flows.json?q=${code}`);
  const { id } = flows.find((flow: { code: string }) => flow.code === code);
  const activate = (active: boolean) => ask("PATCH", `/connect/flows/${id}.json`, { json: { flow: { active } } });
  await activate(false);
  try {
    await work();
  } finally {
    await activate(true);
  }
}

/** Two people see each other's moves; a deal is moved by keys and by mouse, noted on and added. */
async function crm({ openAsMember, check }: Stage): Promise<void> {
  const [page, other] = [await openAsMember("crm-board"), await openAsMember("crm-board")];
  const title = `Deal ${crypto.randomUUID().slice(0, 8)}`;
  const stage = (of: Page, name: string) => of.getByRole("region", { name, exact: false }).filter({ hasText: name });
  const cardIn = (of: Page, name: string) => stage(of, name).last().getByRole("button", { name: title });
  await button(page, "New deal").click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Deal").fill(title);
  await form.getByLabel("Company").fill("Analytical Engines");
  await form.getByLabel("Value in euros").fill("1234");
  await check(page);
  await button(form, "Add").click();
  await cardIn(page, "Lead").waitFor();
  await cardIn(other, "Lead").waitFor();

  await cardIn(page, "Lead").press("ArrowRight");
  await cardIn(other, "Qualified").waitFor();
  equal(await page.evaluate("document.activeElement.textContent.includes('Deal')"), true, "it keeps the focus");
  match(await page.getByRole("status").innerText(), /^Deal \w+ is in Qualified, 1 of \d+$/);

  const from = await cardIn(other, "Qualified").boundingBox();
  const to = await stage(other, "Proposal").last().boundingBox();
  ok(from && to);
  await other.mouse.move(from.x + 40, from.y + 20);
  await other.mouse.down();
  await other.mouse.move(to.x + 60, to.y + 60, { steps: 5 });
  await other.mouse.up();
  await cardIn(page, "Proposal").waitFor();
  await page.getByText("Moved from Qualified to Proposal").first().waitFor();

  await cardIn(page, "Proposal").click();
  const sheet = page.getByRole("dialog", { name: title });
  await sheet.getByLabel("Write a note").fill("They would like to see it run");
  await button(sheet, "Add note").click();
  await other.getByText("They would like to see it run").first().waitFor();
  await check(page);
  await button(sheet, "Close").click();

  await page.getByLabel("Search deals").fill(title);
  equal(await page.locator(".card").count(), 1);
  await button(page, "Contacts").click();
  await page.getByText("Mira Sandvik").first().waitFor();
  await check(page, true);
}

/** Two visitors want the same time: one gets it, and the other is told so. The staff see the booking and cancel it. */
async function booking({ open, openDeaf, openAsMember, check, ask }: Stage): Promise<void> {
  const [page, live, deaf] = [await open("booking"), await open("booking"), await openDeaf("booking")];
  const list = { filter: { state: "free" }, sort: "-day", per_page: 1 };
  const [slot] = (await ask("POST", "/platform/db/booking_slots/list", { token: null, json: list })).body;
  const input = (of: Page) => of.locator(`input[name=slot][value="${slot.id}"]`);
  for (const one of [page, live, deaf]) {
    await one.locator(`input[name=day][value="${slot.day}"]`).check({ force: true });
    await input(one).check({ force: true });
  }
  await button(page, "Book this time").click();
  await page.getByText("Tell us your name").waitFor();
  await check(page, true);

  const name = `Ada ${crypto.randomUUID().slice(0, 8)}`;
  const book = async (one: Page, who: string) => {
    await one.getByLabel("Name").fill(who);
    await one.getByLabel("E-mail").fill("somebody@post.example");
    await button(one, "Book this time").click();
  };
  await book(page, name);
  await page.getByText("Your reference").waitFor();
  const reference = await page.locator(".reference").innerText();
  match(reference, /^VW-[0-9A-F]{6}$/);
  await check(page);
  await live.getByText(/has just been taken/).waitFor();
  await until(() => input(live).isDisabled(), "the time cannot be chosen any more");
  await book(deaf, "Grace");
  await deaf.getByText(/^Somebody was faster/).waitFor();
  await until(() => input(deaf).isDisabled(), "the time cannot be chosen any more");

  // Two at the same moment.
  const { body: apps } = await ask("GET", "/platform/apps.json?q=booking&per_page=50");
  const { id } = apps.find(({ url_code }: { url_code: string }) => url_code === "booking");
  const [free] = (await ask("POST", "/platform/db/booking_slots/list", { token: null, json: list })).body;
  const json = { slot: free.id, service: "Tune-up", name: "Twins", email: "twins@post.example" };
  const send = (fields: object = {}) =>
    ask("POST", `/platform/apps/${id}/action/book`, { token: null, json: { ...json, ...fields } });
  const both = await Promise.all([send(), send()]);
  deepEqual(both.map(({ body }) => body.data.booked).toSorted(), [false, true], JSON.stringify(both));
  equal((await send({ email: "twins" })).status, 422);

  const desk = await openAsMember("booking-desk");
  const row = desk.getByRole("listitem").filter({ hasText: name });
  equal(await row.locator("code").innerText(), reference);
  await check(desk);
  await button(row, /^Cancel/).click();
  await button(row, /^Really cancel/).click();
  await row.getByText("cancelled").waitFor();
  await until(async () => {
    const { body } = await ask("GET", `/platform/dbs/booking_slots/records/${slot.id}.json`);
    return body.data.state === "free";
  }, "the time is free again");
}

/** The trigger's check is counted; an incident that a member posts appears on a visitor's page, and ends. */
async function status({ open, openAsMember, check, ask }: Stage): Promise<void> {
  // An attempt before may have left an incident open.
  const incidents = "/platform/dbs/status_incidents/records";
  for (const { id, data } of (await ask("GET", `${incidents}.json?per_page=500`)).body) {
    const record = { data: { state: "resolved", resolved_at: data.started_at } };
    if (data.state !== "resolved") await ask("PATCH", `${incidents}/${id}.json`, { json: { record } });
  }
  const page = await open("status");
  await page.getByRole("heading", { name: "Records" }).waitFor();
  const today = new Date().toISOString().slice(0, 10);
  const checksOfToday = async () => {
    const { body } = await ask(
      "GET",
      `/platform/dbs/status_days/search.json?filter[service]=code&filter[day]=${today}`,
    );
    return Number(body[0]?.checks ?? 0);
  };
  const before = await checksOfToday();
  const { body: crons } = await ask("GET", "/account/crons.json?per_page=100");
  const cron = crons.find(({ target_code }: { target_code: string }) => target_code === "status_check");
  const fire = () => ask("POST", `/account/crons/${cron.id}/fire.json`, { json: {} });
  await without("status_echo", ask, async () => {
    await fire();
    await page.getByText("Flows does not answer").waitFor();
  });
  await fire();
  await until(async () => await checksOfToday() === before + 2, "two checks are counted");
  await until(async () => await page.locator(".state.up").count() === 4, "the page shows that all services work");
  equal(await page.locator(".bars").first().locator("i").count(), 90);
  equal(await button(page, "Post an incident").count(), 0, "visitors post nothing");
  await page.locator("summary").first().click();
  await check(page, true);

  const staff = await openAsMember("status");
  const title = `Mail is late ${crypto.randomUUID().slice(0, 8)}`;
  await button(staff, "Post an incident").click();
  await staff.getByLabel("Title").fill(title);
  await staff.getByLabel("What do visitors need to know?").fill("Invitations arrive after some minutes.");
  await check(staff);
  await button(staff, "Publish").click();
  await page.getByRole("heading", { name: title }).waitFor();
  await check(page);
  await button(staff, `Update ${title}`).click();
  await staff.getByLabel("It is now").selectOption("resolved");
  await staff.getByLabel("What is new?").fill("All mail has been sent.");
  await button(staff, "Publish the update").click();
  await page.getByText("All mail has been sent.").waitFor();
  await page.getByText("Everything works").waitFor();
}

/** The first level is solved by keys, by buttons and by swipes; the score is on another player's wall. */
async function warehouse({ open, check }: Stage): Promise<void> {
  const page = await open("warehouse");
  await check(page);
  await button(page, "Start the shift").click();
  const moves = page.locator("output");
  await page.keyboard.press("ArrowRight");
  await page.getByText("1 move, 1 of 2 delivered").waitFor();
  await button(page, "Undo").click();
  await page.getByText("0 moves, 0 of 2 delivered").waitFor();
  await page.keyboard.press("ArrowLeft");
  match(await moves.innerText(), /^1 move,/);
  await page.keyboard.press("ArrowLeft");
  equal(await page.locator("p[role=status]").innerText(), "A rack is in the way");
  await button(page, "Restart").click();
  await button(page, "Describe").click();
  match(await page.locator("p[role=status]").innerText(), /^The forklift is at row 3, column 3\. Crates to deliver: /);
  await check(page, true);

  await page.setViewportSize({ width: 360, height: 740 });
  await button(page, "Right").click();
  await page.keyboard.press("s");
  await page.setViewportSize({ width: 1280, height: 800 });
  const yard = await page.locator(".yard").boundingBox();
  ok(yard);
  await page.mouse.move(yard.x + 100, yard.y + 100);
  await page.mouse.down();
  await page.mouse.move(yard.x + 200, yard.y + 110);
  await page.mouse.up();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowLeft");
  await page.getByText("First shift in 5 moves").waitFor();
  const name = `Ada ${crypto.randomUUID().slice(0, 8)}`;
  await page.getByLabel("Your name").fill(name);
  await check(page);
  const other = await open("warehouse");
  await button(other, "Start the shift").click();
  await other.getByRole("listitem").first().waitFor();
  await button(page, "On the wall").click();
  await page.getByText("Your run is on the wall.").waitFor();
  await other.getByRole("listitem").filter({ hasText: name }).waitFor();
  await button(page, "Next level").click();
  await page.getByRole("heading", { name: "2. Cross aisle" }).waitFor();
}

/** A small order is shipped, a large one waits for an approval, and one that is too large is refused. */
async function orders({ open, openAsMember, check, ask }: Stage): Promise<void> {
  const stockOf = async (sku: string) => {
    const { body } = await ask("GET", `/platform/dbs/order_stock/search.json?filter[sku]=${sku}`);
    return body[0];
  };
  const page = await open("orders");
  const customer = `Ada ${crypto.randomUUID().slice(0, 8)}`;
  const place = async (item: RegExp, pieces: number) => {
    await page.getByLabel("Ordered by").fill(customer);
    await page.getByRole("radio", { name: item }).check({ force: true });
    await page.getByLabel("Pieces").fill(String(pieces));
    await button(page, "Place the order").click();
  };
  const first = page.locator(".order").first();
  const badge = (text: string | RegExp) => first.locator(".badge").filter({ hasText: text }).waitFor();
  await button(page, "Place the order").click();
  await page.getByText("Tell us who orders").waitFor();

  const ink = await stockOf("ink");
  await place(/^Ink/, 1);
  await badge("Shipped");
  equal((await stockOf("ink")).on_hand, ink.on_hand - 1);

  await without("order_reserve", ask, async () => {
    await place(/^Ink/, 2);
    await badge("Went wrong: We could not process it");
  });

  const lamps = await stockOf("lamp");
  await place(/^Desk lamp/, 100);
  await badge(`Refused: Only ${lamps.on_hand} left`);
  await check(page);

  // Enough for every attempt at this step.
  await ask("PATCH", `/platform/dbs/order_stock/records/${lamps.id}.json`, {
    json: { record: { data: { on_hand: 8 } } },
  });
  await place(/^Desk lamp/, 4);
  await badge("Waits for approval");
  equal((await stockOf("lamp")).on_hand, 4, "the stock is reserved meanwhile");
  /** The order says that it waits before its question is asked. */
  const asked = async () => {
    let found: { id: number; question: string } | undefined;
    await until(async () => {
      const { body } = await ask("GET", "/connect/approvals.json?per_page=100");
      found = body.find(({ question }: { question: string }) => question.startsWith(customer));
      return found !== undefined;
    }, "the flow asks");
    ok(found);
    return found;
  };
  const desk = await openAsMember("orders");
  const row = desk.getByRole("row").filter({ hasText: customer }).first();
  await row.filter({ hasText: "Waits for approval" }).waitFor();
  await desk.getByRole("link", { name: /approvals? to answer/ }).waitFor();
  await check(desk, true);

  const question = await asked();
  equal(question.question, `${customer} orders 4 × Desk lamp for €560. Deliver it?`);
  const answer = await ask("POST", `/connect/approvals/${question.id}.json`, { json: { choice: "deliver" } });
  equal(answer.status, 200, JSON.stringify(answer.body));
  await badge("Shipped");
  await row.filter({ hasText: "Shipped" }).waitFor();

  await place(/^Desk lamp/, 4);
  await badge("Waits for approval");
  const second = await asked();
  const json = { choice: "refuse", values: { note: "Not this month" } };
  equal((await ask("POST", `/connect/approvals/${second.id}.json`, { json })).status, 200);
  await badge("Refused: Not this month");
  equal((await stockOf("lamp")).on_hand, 4, "the stock is put back");
  await button(desk, "Fill up Desk lamp").click();
  await page.getByText("12 left").first().waitFor();
}

export const JOURNEYS: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  crm_board: crm,
  booking_form: booking,
  status_page: status,
  warehouse_game: warehouse,
  order_process: orders,
};
