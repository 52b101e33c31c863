/** A flow is built, run and repaired in the console, in Chromium. */
import { deepEqual, equal, match } from "node:assert/strict";
import type { Page } from "../packages/playwright.ts";
import { browserTest, complaintsOf } from "../stage/browser.ts";
import { startServer, type TestServer } from "../stage/harness.ts";
import { made } from "../stage/people.ts";
import { until } from "../stage/until.ts";
import { adminOf, seatOf, staysQuiet, write } from "./seats.ts";

browserTest("flows in the console", async ({ browser, step }) => {
  const server = await startServer();
  await server.console.prepare();
  const base = server.listen();
  const user_id = await adminOf(server);
  const open = async () => (await seatOf(browser, server, base, user_id)).page;
  try {
    await step("a flow is built by keyboard, fails, is repaired and retried from the failed step", async () => {
      await builds(await open(), server, base);
    });
    await step("steps and JSON are one program, its mistakes stand at their places, and a draft survives", async () => {
      await edits(await open(), server, base, open);
    });
    await step("what is typed after an insertion belongs to the new step, in a narrow window too", async () => {
      const page = await open();
      await inserts(page, server, base);
    });
    await step("changed settings survive another tab and another person's change, and only they are sent", async () => {
      await settles(await open(), server, base);
    });
  } finally {
    await server.close();
  }
});

const unexpected = (text: string) => !/status of 422/.test(text);
const rows = (page: Page) => page.getByRole("tree", { name: "Steps" }).getByRole("treeitem");
const row = (page: Page, name: string | RegExp) => page.getByRole("treeitem", { name });

const focused = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).and(page.locator(":focus")).waitFor();

/** Inserts a step behind the selected one. */
async function insert(page: Page, words: string): Promise<void> {
  await page.keyboard.press("/");
  await page.getByRole("combobox", { name: "Insert a step" }).waitFor();
  await page.keyboard.type(words);
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Insert a step" }).waitFor({ state: "detached" });
}

const programOf = async ({ request }: TestServer, page: Page) =>
  (await request("GET", `/connect/flows/${/\/flows\/(\d+)/.exec(page.url())?.[1]}.json`)).body.fields.program;

async function builds(page: Page, server: TestServer, base: string): Promise<void> {
  const complaints = complaintsOf(page);
  const code = `letters_${crypto.randomUUID().slice(0, 8)}`;
  made(
    await server.request("POST", "/platform/dbs.json", {
      json: { db: { name: code, schema: { fields: { text: "number" } } } },
    }),
  );
  await page.goto(`${base}/flows`);
  await page.getByRole("heading", { name: "Flows" }).waitFor();
  await page.keyboard.press("n");
  await page.getByLabel("Name", { exact: true }).fill(`Flow ${code}`);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: `Flow ${code}` }).waitFor();
  await page.getByRole("tree", { name: "Steps" }).waitFor({ state: "attached" });

  // The first mutation declares the parameters of a run.
  await insert(page, "set");
  // What is typed belongs to the new step; Escape leads back to the steps.
  await focused(page, "Add a name to Set");
  await page.keyboard.type("text");
  await page.keyboard.press("Tab");
  await focused(page, "Set: text");
  await page.keyboard.type("not a sum");
  await page.keyboard.press("Escape");
  await row(page, /^1 Set text/).and(page.locator(":focus")).waitFor();
  await insert(page, "records");
  await focused(page, "Action");
  await page.getByLabel("Database").selectOption({ label: code });
  // The database's field is offered. The name of a value is completed, and the value stands below.
  await page.getByRole("group", { name: "Data" }).getByRole("button", { name: "text", exact: true }).click();
  await focused(page, "Data: text");
  await page.keyboard.type("{te");
  await page.getByRole("option", { name: /^text/ }).first().waitFor();
  await page.keyboard.press("Enter");
  await until(async () => await page.getByLabel("Data: text").inputValue() === "{text}", "the name is completed");
  await row(page, /^2 Create in/).click();
  await insert(page, "return");
  // What is no name goes on as a text with placeholders.
  await focused(page, "Add a name to Data");
  await page.keyboard.type("Kept {te");
  await page.getByRole("option", { name: /^text/ }).first().waitFor();
  await page.keyboard.press("Enter");
  await until(
    async () => await page.getByRole("textbox", { name: "Data", exact: true }).inputValue() === "Kept {text}",
    "it is a text",
  );
  await page.keyboard.press("Escape");
  await row(page, /^3 Return/).click();

  // A step is wrapped, moved, disabled and duplicated, and all of it is taken back.
  await page.keyboard.press("b");
  await row(page, /^then/).waitFor();
  await row(page, /^3 If/).waitFor();
  await page.keyboard.press("Alt+ArrowUp");
  await row(page, /^2 If/).waitFor();
  await page.keyboard.press(".");
  await row(page, /^2 If .*disabled/).waitFor();
  await page.keyboard.press("d");
  await until(async () => await rows(page).count() > 5, "the step is there twice");
  for (let time = 0; time < 4; time++) await page.keyboard.press("Control+z");
  await row(page, /^3 Return/).waitFor();
  await until(async () => await rows(page).count() === 3, "the changes are taken back");
  await page.keyboard.press("Control+s");
  await page.getByText(/^Saved as version \d+$/).waitFor();
  deepEqual((await programOf(server, page)).map(({ type }: { type: string }) => type), [
    "mutation",
    "record",
    "return",
  ]);

  // It fails, and says so at the step.
  await page.keyboard.press("Control+Enter");
  await page.getByRole("textbox", { name: /^text/ }).waitFor();
  await page.keyboard.press("Enter");
  const bar = page.getByRole("region", { name: "Run", exact: true });
  await bar.getByText(/failed/).first().waitFor();
  await row(page, /^2 Create in/).click();
  await page.getByRole("button", { name: "Last run" }).click();
  await page.getByRole("alert").filter({ hasText: /number/ }).first().waitFor();

  // It is repaired, saved and retried by one button.
  await page.getByRole("button", { name: "Set up" }).click();
  await page.getByLabel("Data: text").fill("5");
  await bar.getByRole("button", { name: "Retry from the failed step" }).click();
  await bar.getByText(/finished/).first().waitFor();
  match(new URL(page.url()).searchParams.get("run") ?? "", /^[0-9a-f-]{36}$/);
  const { body: [latest, first] } = await server.request("GET", `/connect/flow_processes.json?flow_code=flow_${code}`);
  deepEqual([latest.status, latest.retry_of, first.status], ["finished", first.id, "error"]);
  deepEqual(complaints.filter(unexpected), []);
  await page.context().close();
}

async function edits(page: Page, server: TestServer, base: string, open: () => Promise<Page>): Promise<void> {
  const program = [{ type: "return", id: "end", data: { a: 1 } }];
  const name = `Text ${crypto.randomUUID().slice(0, 8)}`;
  const { id } = made(
    await server.request("POST", "/connect/flows.json", { json: { flow: { name, fields: { program } } } }),
  );
  await page.goto(`${base}/flows/${id}?view=json`);
  await write(page, `[\n  { "type": "return", "id": "end", "data": 2 },\n  { "type": "wait" }\n]`);
  await page.getByRole("alert").getByText(/seconds/).waitFor();
  match(await page.getByRole("alert").innerText(), /line 3/);
  await page.getByRole("button", { name: "Steps" }).click();
  await row(page, /^2 Wait step_1 error/).waitFor();
  await page.reload();
  await row(page, /^2 Wait/).waitFor();
  // The server has the draft: it is there in another browser, which changes and discards it.
  const drafted = async () =>
    (await server.request("GET", `/connect/flows/${id}/draft.json`)).body.program_text?.includes('"wait"') ?? false;
  await until(drafted, "the draft is on the server");
  const elsewhere = await open();
  await elsewhere.goto(`${base}/flows/${id}`);
  await row(elsewhere, /^2 Wait/).click();
  await elsewhere.getByRole("button", { name: "Discard", exact: true }).click();
  await until(async () => !await drafted(), "the draft is discarded");
  await elsewhere.reload();
  await row(elsewhere, /^1 Return/).waitFor();
  equal(await rows(elsewhere).count(), 1);
  await elsewhere.context().close();
  await row(page, /^2 Wait/).click();
  await page.keyboard.press("Delete");
  await until(async () => await rows(page).count() === 1, "the step is gone");

  // Text that cannot be parsed is not called valid.
  await page.getByText("valid", { exact: true }).waitFor();
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  await write(page, '[{"type":"return","data":');
  await page.getByRole("button", { name: "Steps" }).click();
  await page.getByText(/The JSON has a mistake in line 1/).waitFor();
  equal(await page.getByText("valid", { exact: true }).count(), 0);
  await page.keyboard.press("Control+z");
  await page.getByText("valid", { exact: true }).waitFor();

  // Another person saves meanwhile: the save is refused, and both changes are there after a merge.
  const theirs = [{ type: "mutation", id: "new", set: { x: 1 } }, ...program];
  await server.request("PATCH", `/connect/flows/${id}.json`, { json: { flow: { fields: { program: theirs } } } });
  await page.keyboard.press("Control+s");
  await page.getByText(/Another person has saved version 2/).waitFor();
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByRole("button", { name: "Save mine over it" }).click();
  await page.getByText(/^Saved as version 3$/).waitFor();
  deepEqual(await programOf(server, page), [{ type: "return", id: "end", data: 2 }]);
  await page.getByRole("tab", { name: "Versions" }).click();
  await page.getByRole("button", { name: /^Version 1/ }).click();
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await page.getByText("Version 1 is the program again").waitFor();
  equal((await programOf(server, page))[0].data.a, 1);
  await page.context().close();
}

async function inserts(page: Page, server: TestServer, base: string): Promise<void> {
  const complaints = complaintsOf(page);
  const add = async (name: string, program: unknown[], input?: unknown) =>
    made(await server.request("POST", "/connect/flows.json", { json: { flow: { name, input, fields: { program } } } }));
  const called = await add(`Called ${crypto.randomUUID().slice(0, 8)}`, [{ type: "return", data: "{input.amount}" }], {
    type: "object",
    properties: { amount: { type: "number" } },
    required: ["amount"],
  });
  const caller = `Caller ${crypto.randomUUID().slice(0, 8)}`;
  const { id } = await add(caller, [{ type: "mutation", id: "first", set: { a: 1 } }]);
  await page.setViewportSize({ width: 1000, height: 800 });
  await page.goto(`${base}/flows/${id}`);
  await row(page, /^1 Set a/).click();
  await insert(page, "set names");
  await focused(page, "Add a name to Set");
  await page.keyboard.type("db");
  await page.keyboard.press("Enter");
  await focused(page, "Set: db");
  await page.keyboard.press("Escape");
  await row(page, /^2 Set db/).and(page.locator(":focus")).waitFor();

  // The editor of a source has the focus, too.
  await insert(page, "run code");
  await page.locator(".code-field .cm-content").and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("export default () => 12");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await row(page, /^3 Run code/).and(page.locator(":focus")).waitFor();

  // The declared inputs of a called flow are offered.
  await insert(page, "run a flow");
  await focused(page, "Flow");
  await page.getByLabel("Flow", { exact: true }).selectOption(called.code);
  await page.getByRole("group", { name: "Input" }).getByRole("button", { name: "amount", exact: true }).click();
  await focused(page, "Input: amount");
  await page.keyboard.type("{");
  await page.getByRole("option", { name: /^db/ }).first().waitFor();
  await page.getByLabel("Input: amount").fill("{db}");
  const draft = async (): Promise<string> =>
    (await server.request("GET", `/connect/flows/${id}/draft.json`)).body.program_text ?? "";
  await until(async () => /"\{db\}"/.test(await draft()), "the draft is stored");
  await page.keyboard.press("Control+s");
  await page.getByText(/^Saved as version 2$/).waitFor();
  const [, , code, calls] = await programOf(server, page);
  deepEqual([code.source, calls.input], ["export default () => 12", { amount: "{db}" }]);

  // A phone shows the diagram, and leads back to the steps.
  await page.getByRole("button", { name: "Close the step" }).click();
  await page.setViewportSize({ width: 360, height: 780 });
  await page.getByRole("button", { name: "Diagram" }).click();
  await page.getByRole("button", { name: "Print" }).waitFor();
  await page.getByRole("button", { name: "Steps" }).click();
  await row(page, /^1 Set a/).waitFor();
  deepEqual(complaints.filter(unexpected), []);
  await staysQuiet(page);
  await page.context().close();
}

async function settles(page: Page, server: TestServer, base: string): Promise<void> {
  const code = `settings_${crypto.randomUUID().slice(0, 8)}`;
  const flow = { kind: "platform/custom_flow", code, name: "Settings", fields: { program: [] } };
  const { id } = made(await server.request("POST", "/connect/flows.json", { json: { flow } }));
  const at = `/connect/flows/${id}.json`;
  await page.goto(`${base}/flows/${id}?tab=settings`);
  const name = page.getByLabel("Name", { exact: true });
  const input = page.getByLabel("Input", { exact: true });
  await name.fill("Mine");
  await page.getByRole("tab", { name: "Runs" }).filter({ visible: true }).click();
  await name.waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "Settings" }).filter({ visible: true }).click();
  await name.waitFor();
  equal(await name.inputValue(), "Mine", "what was typed is still there");

  const theirs = { input: { type: "object" }, lock_version: 0 };
  equal((await server.request("PATCH", at, { json: { flow: theirs } })).status, 200);
  const save = page.getByRole("button", { name: "Save the settings" });
  await save.click();
  await page.getByText("Another person has changed the flow meanwhile").waitFor();
  await until(async () => /object/.test(await input.inputValue()), "the other person's change is shown");
  equal(await name.inputValue(), "Mine");
  await save.click();
  await page.getByText("The settings are saved").waitFor();
  const { body } = await server.request("GET", at);
  deepEqual([body.name, body.input], ["Mine", { type: "object" }]);

  await name.fill("Not this");
  await page.getByRole("button", { name: "Undo the changes" }).click();
  equal(await name.inputValue(), "Mine");
  equal(await save.isDisabled(), true);
}
