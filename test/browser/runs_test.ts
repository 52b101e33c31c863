/** Journeys through the console's runs, approvals and triggers, in Chromium. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Browser, Locator, Page } from "../packages/playwright.ts";
import { browserTest } from "../stage/browser.ts";
import { startServer, type TestServer } from "../stage/harness.ts";
import { made } from "../stage/people.ts";
import { until } from "../stage/until.ts";
import { adminOf, seatOf, see, staysQuiet } from "./seats.ts";

browserTest("runs, approvals and triggers in a browser", async ({ browser, step }) => {
  const server = await startServer({ ACTION_WAIT_MS: "1000" });
  await server.console.prepare();
  const base = server.listen();
  try {
    await step("a run fails, is found, looked into and repeated", () => failure(browser, server, base));
    await step("a question is answered at home, and its run goes on", () => question(browser, server, base));
    await step("a failure of the server leads to its lines in the log", () => log(browser, server, base));
    await step("what is not there says so, and leads to the others", () => missing(browser, server, base));
    await step("a trigger across a change of the clocks", () => trigger(browser, server, base));
  } finally {
    await server.close();
  }
});

const adminSeat = async (browser: Browser, server: TestServer, base: string) =>
  await seatOf(browser, server, base, await adminOf(server), {
    viewport: { width: 1280, height: 900 },
    timezoneId: "Europe/Lisbon",
  });

const unique = (word: string) => `${word} ${crypto.randomUUID().slice(0, 8)}`;

/** @returns the flow's id and code */
async function addFlow({ request }: TestServer, name: string, program: unknown[]) {
  const flow = { name, fields: { program } };
  const { id, code }: { id: number; code: string } = made(
    await request("POST", "/connect/flows.json", { json: { flow } }),
  );
  const run = async (input: Record<string, unknown>): Promise<string> =>
    (await request("POST", `/connect/flows/${id}/run.json`, { json: { input } })).body.flow_process_id;
  return { id, code, run };
}

async function missing(browser: Browser, server: TestServer, base: string): Promise<void> {
  const { page, close } = await adminSeat(browser, server, base);
  for (
    const [what, address, list] of [
      ["flow", "/flows/99999", "/flows"],
      ["run", "/runs/nothing", "/runs"],
      ["run", `/runs/${crypto.randomUUID()}`, "/runs"],
      ["trigger", "/triggers/99999", "/triggers"],
    ]
  ) {
    await page.goto(`${base}${address}`);
    await page.getByRole("heading", { name: `This ${what} cannot be shown` }).waitFor();
    await page.getByRole("link", { name: `See the ${what}s` }).click();
    await page.waitForURL(`${base}${list}`);
  }
  await close();
}

/** A refused input is answered with 422. */
const unexpected = (text: string) => !/status of 422/.test(text);

async function failure(browser: Browser, server: TestServer, base: string): Promise<void> {
  const name = unique("Orders");
  const flow = await addFlow(server, name, [
    {
      type: "for_each",
      id: "each",
      items: "{input.orders}",
      as: "order",
      steps: [
        {
          type: "if",
          id: "large",
          condition: "{order} > 10",
          then: [{ type: "fail", id: "stop", message: "Too large" }],
        },
        { type: "mutation", id: "note", append: { seen: "{order}" } },
      ],
    },
    { type: "return", data: "{seen}" },
  ]);
  const { page, complaints, close } = await adminSeat(browser, server, base);
  // The list does not wait for the chart, which counts all runs.
  const gate = Promise.withResolvers<void>();
  await page.route(/outcomes/, async (route) => {
    await gate.promise;
    await route.continue();
  });
  await page.goto(`${base}/runs?flow=${flow.code}`);
  await page.getByText("No run fits these filters.").waitFor();
  gate.resolve();
  // A run that begins elsewhere appears by itself.
  const bad = await flow.run({ orders: [1, 2, 99, 3], shop: "north" });
  await flow.run({ orders: [1], shop: "south" });
  const row = page.getByRole("row", { name: /Failed.*Too large/ });
  await row.waitFor();
  // A hidden tab leaves its connection to others, and reads what it has missed.
  const finished = page.getByRole("row", { name: /Finished/ });
  await finished.waitFor();
  const let_go = page.waitForEvent("requestfailed", (asked) => asked.url().includes("/flow_processes/changes"));
  await see(page, "hidden");
  await let_go;
  await flow.run({ orders: [2], shop: "south" });
  await see(page, "visible");
  await finished.nth(1).waitFor();
  await page.getByPlaceholder("Input, such as base=EUR").fill("shop=north");
  await page.getByRole("row", { name: /Finished/ }).first().waitFor({ state: "detached" });
  await row.getByRole("link", { name }).click();
  // It opens at the step that failed, inside of its iteration.
  await page.waitForURL((url) => url.pathname === `/runs/${bad}` && url.searchParams.get("step") === "each.2.stop");
  await page.getByRole("button", { name: "Unfold Iterations 1–2" }).click();
  await page.getByRole("button", { name: "Unfold Iteration 2" }).waitFor();
  await page.getByText("not reached").first().waitFor();
  await page.getByRole("button", { name: /large\s*,\s*failed/ }).click();
  await page.getByRole("tab", { name: "Compared" }).click();
  await page.getByText("99", { exact: true }).waitFor();
  match(page.url(), /step=each\.2\.large/);
  // Retried from that step, with an edited input.
  await page.getByRole("button", { name: /^Retry from here/ }).click();
  const dialog = page.getByRole("dialog", { name: "Retry" });
  await dialog.getByRole("textbox", { name: "Input" }).fill("{");
  await dialog.getByRole("button", { name: "Retry" }).click();
  await dialog.getByText(/The input is no JSON/).waitFor();
  const edited = JSON.stringify({ orders: [1, 2, 9, 3], shop: "north" });
  await dialog.getByRole("textbox", { name: "Input" }).fill(edited);
  // The page reads the run again.
  await see(page, "hidden");
  const read = page.waitForResponse(/flow_processes\.find/);
  await see(page, "visible");
  await read;
  equal(await dialog.getByRole("textbox", { name: "Input" }).inputValue(), edited, "what was typed stays");
  await dialog.getByRole("button", { name: "Retry" }).click();
  await page.getByText(/^Finished after/).first().waitFor();
  // The latest runs of the flow are bars, with this one marked.
  const latest = page.getByRole("region", { name: "The latest runs of this flow" });
  await latest.getByRole("link", { name: /failed/ }).first().waitFor();
  await latest.locator("a[aria-current=page]").waitFor();
  await page.getByRole("tab", { name: "Input, output" }).click();
  equal((await page.getByRole("group", { name: /the output/ }).innerText()).replace(/\s/g, ""), "[1,2,9,3]");
  // It is kept as an example of its flow.
  await page.getByRole("button", { name: "Keep as example" }).click();
  await page.getByLabel("Name").fill("All small");
  await page.getByRole("button", { name: "Keep", exact: true }).click();
  await page.getByText("Kept as the example “All small”").waitFor();
  const { body: examples } = await server.request("GET", `/connect/flows/${flow.id}/examples.json`);
  deepEqual(examples.map(({ name }: { name: string }) => name), ["All small"]);
  // All that failed and were not repeated are repeated.
  await flow.run({ orders: [99], shop: "east" });
  await page.goto(`${base}/runs?flow=${flow.code}&status=error`);
  const runs = async () =>
    (await server.request("GET", `/connect/flow_processes.json?flow_code=${flow.code}`)).body.length;
  const before = await runs();
  await page.getByRole("button", { name: "Retry all that fit the filters" }).dblclick();
  await page.getByText("Finished: 1 done").waitFor();
  equal(await runs(), before + 1, "once, although it was pressed twice");
  deepEqual(complaints.filter(unexpected), []);
  await close();
}

async function log(browser: Browser, server: TestServer, base: string): Promise<void> {
  const { page, complaints, close } = await adminSeat(browser, server, base);
  await server.sql`alter table reindexings rename to away`;
  try {
    await page.goto(`${base}/operations`);
    await page.getByRole("alert").getByRole("link", { name: "Log of the request" }).click();
  } finally {
    await server.sql`alter table away rename to reindexings`;
  }
  await page.getByRole("button", { name: /Error.*relation "reindexings" does not exist/ }).first().click();
  await page.getByText(/PostgresError/).first().waitFor();
  const request_id = new URL(page.url()).searchParams.get("request_id") ?? "";
  ok(request_id, page.url());
  // Then everything, as it is written.
  await page.getByRole("button", { name: "Remove the filter Request" }).click();
  const id = `run-${crypto.randomUUID()}`;
  await page.getByRole("searchbox", { name: "Text or request" }).fill(id);
  await page.getByText("No line in memory matches.").waitFor();
  await server.request("GET", "/account/me.json", { headers: { "x-request-id": id } });
  await page.getByRole("button", { name: /GET \/account\/me.json 200/ }).click();
  await page.getByRole("button", { name: "Lines of this request" }).click();
  await page.waitForURL((url) => url.searchParams.get("request_id") === id);
  // Without the server's answer the page says so, and Retry connects. The page also connects by itself: until the click
  // no attempt succeeds.
  await page.route(/operations\/log/, async (route) => {
    if (await page.evaluate("'clicked' in document.documentElement.dataset")) await route.continue();
    else await route.abort();
  });
  await page.reload();
  const alert = page.getByRole("alert").filter({ hasText: "The server does not answer." });
  await alert.waitFor();
  await page.evaluate(
    "addEventListener('click', () => { document.documentElement.dataset.clicked = ''; }, { capture: true })",
  );
  await alert.getByRole("button", { name: "Retry" }).click();
  await page.getByRole("button", { name: /GET \/account\/me.json 200/ }).first().waitFor();
  await alert.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Figures", exact: true }).click();
  await page.getByText("Read every 5 seconds").waitFor();
  await staysQuiet(page);
  deepEqual(complaints.filter((text) => !/status of 500|ERR_FAILED/.test(text)), []);
  await close();
}

async function question(browser: Browser, server: TestServer, base: string): Promise<void> {
  const text = `${unique("Pay")} to Kowalski?`;
  const flow = await addFlow(server, unique("Payments"), [
    {
      type: "approval",
      id: "boss",
      question: text,
      choices: ["pay", "reject"],
      form: { days: { type: "number", label: "Days until payment", required: true } },
      roles: ["admin"],
    },
    { type: "return", data: "{steps.boss.body}" },
  ]);
  const run = await flow.run({});
  const { page, complaints, close } = await adminSeat(browser, server, base);
  await page.goto(`${base}/runs?tab=approvals`);
  await page.getByRole("article", { name: text }).waitFor();
  await page.goto(base);
  const article = page.getByRole("article", { name: text });
  await article.getByRole("button", { name: "Pay", exact: true }).click();
  await article.getByText("Days until payment can't be blank").waitFor();
  await article.getByLabel("Days until payment").fill("14");
  await article.getByRole("button", { name: "Pay", exact: true }).click();
  await article.waitFor({ state: "detached" });
  const path = `/connect/flow_processes/${run}.json`;
  await until(async () => (await server.request("GET", path)).body.status === "finished", "the run goes on");
  const { data } = (await server.request("GET", path)).body;
  deepEqual([data.choice, data.values], ["pay", { days: 14 }]);
  // The page of the run says who answered what.
  await page.goto(`${base}/runs/${run}`);
  const answer = page.getByRole("region", { name: "Answers" }).getByRole("article").filter({ hasText: text });
  await answer.getByText(/answered by you, \d\d:\d\d/).waitFor();
  await answer.getByText("Days until payment").waitFor();
  match(await answer.innerText(), /\nPay answered by you[^]*Days until payment\s+14/);
  deepEqual(complaints.filter(unexpected), []);
  await close();
}

async function trigger(browser: Browser, server: TestServer, base: string): Promise<void> {
  const name = unique("Nightly");
  const { code } = await addFlow(server, name, [{ type: "return", data: "{input.base}" }]);
  const { page, complaints, close } = await adminSeat(browser, server, base);
  await page.goto(`${base}/triggers`);
  await page.getByRole("link", { name: /New trigger|Make the first trigger/ }).first().click();
  // No flow is chosen beforehand, and without one nothing is saved.
  const chosen = page.getByLabel("Flow", { exact: true });
  await chosen.locator(`option[value="${code}"]`).waitFor({ state: "attached" });
  equal(await chosen.inputValue(), "");
  await page.getByRole("button", { name: "Make the trigger" }).click();
  await page.getByText("The flow must be chosen").waitFor();
  await chosen.selectOption(code);
  await page.getByLabel("Repeats").selectOption("day");
  await page.getByLabel("At", { exact: true }).fill("02:30");
  await page.getByLabel("Time zone").fill("Mars");
  await page.getByText(/^The time zone is not the name of a time zone/).waitFor();
  await page.getByLabel("Time zone").fill("Europe/Warsaw");
  await page.getByText("At 02:30, Warsaw").waitFor();
  // In the night to 2027-03-28 Warsaw has no 02:30: the trigger runs at the first time after the gap.
  await page.getByLabel("Show the times after this day").fill("2027-03-27");
  const change = page.getByText("Clocks change: UTC+1 → UTC+2");
  await change.waitFor();
  const times = await page.locator("table.times tbody tr:not(.change)").allInnerTexts();
  const cells = times.slice(0, 3).map((line) => line.match(/\d\d:\d\d/g));
  deepEqual(cells, [["02:30", "01:30"], ["03:00", "02:00"], ["02:30", "01:30"]], "Warsaw, and Lisbon of the viewer");
  // In the night to 2027-10-31 it has two; the trigger runs at the first one.
  await page.getByLabel("Show the times after this day").fill("2027-10-30");
  await page.getByText("Clocks change: UTC+2 → UTC+1").waitFor();
  await page.getByRole("button", { name: "As text" }).click();
  equal(await page.getByRole("textbox", { name: "Schedule" }).inputValue(), "30 2 * * *");
  await page.getByRole("textbox", { name: "Schedule" }).fill("61 2 * * *");
  await page.getByText(/^The schedule has a minute/).waitFor();
  const written = "0 8-18/2 1,15 * *";
  await page.getByRole("textbox", { name: "Schedule" }).fill(written);
  await page.getByRole("button", { name: "By fields" }).click();
  await page.getByText("These fields cannot show this schedule.").waitFor();
  await page.getByRole("button", { name: "As text" }).click();
  equal(await page.getByRole("textbox", { name: "Schedule" }).inputValue(), written, "a look changes nothing");
  await page.getByRole("textbox", { name: "Schedule" }).fill("30 2 * * MON-FRI");
  await page.getByText("At 02:30, Monday to Friday, Warsaw").waitFor();
  await page.getByRole("textbox", { name: "Input" }).fill(`{"base":"EUR"}`);
  await page.getByRole("button", { name: "Make the trigger" }).click();
  await page.getByRole("heading", { name: "Latest due times" }).waitFor();
  const id = page.url().split("/").at(-1);
  const { body: cron } = await server.request("GET", `/account/crons/${id}.json`);
  deepEqual([cron.schedule, cron.timezone, cron.input, cron.target_code], [
    "30 2 * * MON-FRI",
    "Europe/Warsaw",
    { base: "EUR" },
    code,
  ]);
  // Pausing says what is skipped.
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText(/^Paused. Skipped until you resume: .*02:30/).waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  // Fired with an input of its own; the ledger has it.
  await page.getByRole("button", { name: "Fire now" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Input" }).fill(`{"base":"CHF"}`);
  await dialog.getByRole("button", { name: "Fire now" }).click();
  await page.getByText(/^Finished after/).first().waitFor();
  await page.getByRole("tab", { name: "Input, output" }).click();
  await page.getByRole("group", { name: /the output/ }).getByText("CHF").waitFor();
  await page.goto(`${base}/triggers/${id}`);
  await page.getByRole("cell", { name: /^Ran$/ }).waitFor();
  // What is typed is kept while other pages are open.
  const settings = page.getByRole("link", { name: "Settings", exact: true });
  await settings.click();
  await page.getByLabel("Name", { exact: true }).fill("Typed");
  await page.getByRole("link", { name: "Ledger" }).click();
  await settings.click();
  equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Typed");
  await page.getByLabel("Name", { exact: true }).fill("");
  await page.goto(`${base}/triggers?q=${encodeURIComponent(name)}`);
  await page.getByRole("link", { name: "At 02:30, Monday to Friday, Warsaw" }).waitFor();
  ok(await page.getByRole("switch").first().isChecked());
  await makesWebhook(page, base, code);
  await sendsTest(page, server, base);
  await page.goto(`${base}/triggers?q=${encodeURIComponent(name)}`);
  await onPhone(page, base, Number(id));
  deepEqual(complaints.filter(unexpected), []);
  await close();
}

/** A trigger that is made for a flow starts that one. The page of its secret address has its name. */
async function makesWebhook(page: Page, base: string, code: string): Promise<void> {
  await page.goto(`${base}/triggers/new?flow=${code}`);
  await page.getByRole("button", { name: "When a webhook is called" }).click();
  const name = unique("Hook");
  await page.getByLabel("Name", { exact: true }).fill(name);
  equal(await page.getByLabel("Flow", { exact: true }).inputValue(), code);
  await page.getByRole("button", { name: "Make the trigger" }).click();
  await page.getByText("The webhook is ready. This is its address:").waitFor();
  equal(await page.title(), name);
  match(await page.getByRole("heading", { level: 1 }).innerText(), new RegExp(name));
}

/** A test of a trigger for records brings the newest record that the trigger passes on. */
async function sendsTest(page: Page, server: TestServer, base: string): Promise<void> {
  const { request } = server;
  const flow = await addFlow(server, unique("Large"), [{ type: "return", data: "{input.changes}" }]);
  const db = { name: unique("Sales"), schema: { fields: { total: "integer" } } };
  const { code: db_code } = made(await request("POST", "/platform/dbs.json", { json: { db } }));
  for (const total of [10, 20, 3]) {
    made(await request("POST", `/platform/dbs/${db_code}/records.json`, { json: { record: { data: { total } } } }));
  }
  const record = { db_code, on: ["update"], filter: { total: { gte: 10 } } };
  const cron = { kind: "record", target_code: flow.code, record };
  const { id } = made(await request("POST", "/account/crons.json", { json: { cron } }));
  await page.goto(`${base}/triggers/${id}`);
  await page.getByRole("button", { name: "Send a test" }).click();
  const dialog = page.getByRole("dialog", { name: "Send a test" });
  const input = dialog.getByRole("textbox", { name: "Input" });
  await until(async () => /"total": 20/.test(await input.inputValue()), "the newest record that fits is there");
  await dialog.getByRole("button", { name: "Send a test" }).click();
  await page.getByText(/^Finished after/).first().waitFor();
  const run = page.url().split("/").at(-1);
  const { data: [change] } = (await request("GET", `/connect/flow_processes/${run}.json`)).body;
  deepEqual([change.kind, change.record.total, change.before.total], ["update", 20, 20]);
}

/** A phone shows whole schedules, hours of one kind, and every part of a trigger. */
async function onPhone(page: Page, base: string, id: number): Promise<void> {
  await page.setViewportSize({ width: 360, height: 780 });
  const isWhole = (found: Locator) => found.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth);
  const words = page.getByRole("link", { name: "At 02:30, Monday to Friday, Warsaw" });
  ok(await isWhole(words), "the schedule is not cut off");
  await words.click();
  await page.getByRole("heading", { name: "At 02:30, Monday to Friday", exact: true }).waitFor();
  const due = page.getByRole("cell", { name: /\d\d:\d\d/ }).first();
  await due.waitFor();
  match(await due.innerText(), /[A-Z][a-z]{2}, [A-Z][a-z]{2} \d+/, "the ledger has the day");
  const shown = async () => await page.locator("body").innerText();
  equal(/\d\s?[AP]M\b/.exec(await shown()), null);
  await page.getByRole("link", { name: "Settings" }).click();
  await page.waitForURL(`${base}/triggers/${id}?tab=settings`);
  const time = page.getByLabel("At", { exact: true });
  await time.fill("2:05 pm");
  await time.press("Tab");
  equal(await time.inputValue(), "14:05");
  await time.fill("noon");
  await time.press("Tab");
  equal(await time.inputValue(), "14:05", "a text that is no time is not taken over");
  equal(/\d\s?[AP]M\b/.exec(await shown()), null);
}
