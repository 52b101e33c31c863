/** Every flow in docs/flow-examples.md runs against a stand-in of the services that it calls. */
import assert from "node:assert/strict";
import { addTeam, type Api, startStage } from "../../flow/flow_stage.ts";
import { made } from "../../stage/people.ts";
import { until } from "../../stage/until.ts";
import { readPage } from "./pages.ts";

const ORDERS = [[{ price: 30 }, { price: 8 }], [{ price: 4.5 }]];
const TOKEN = "token-of-the-stand-in";

/** The services of the page, at one address. */
function stand(api: Api): void {
  const last = () => api.calls.at(-1);
  let page = 0;
  api.answers.set("/orders", () => Response.json({ orders: ORDERS[page++] ?? [] }));
  api.answers.set("/stock/pen", () => Response.json({ count: 10 }));
  api.answers.set("/stock/nib", () => Response.json({ count: 2 }));
  api.answers.set("/stock/ink", () => new Response("no ink", { status: 404 }));
  const states = ["in work", "in work", "done"];
  api.answers.set("/reports/7", () => Response.json({ state: states.shift(), url: "https://example.com/7.pdf" }));
  for (const path of ["/reminders", "/payments"]) {
    api.answers.set(path, () => Response.json(JSON.parse(last()?.body ?? "")));
  }
  api.answers.set("/graphql", () => {
    const { query, variables } = JSON.parse(last()?.body ?? "");
    assert.match(query, /^query \(\$id: ID!\)/);
    return Response.json({ data: variables.id === "17" ? { customer: { name: "Ada", city: "Gdynia" } } : null });
  });
  api.answers.set("/oauth2/token", () => Response.json({ access_token: TOKEN, token_type: "Bearer", expires_in: 600 }));
  api.answers.set(
    "/invoices",
    () =>
      last()?.headers.get("authorization") === `Bearer ${TOKEN}`
        ? Response.json({ invoices: [{ number: "2026/1" }, { number: "2026/2" }] })
        : new Response("no token", { status: 401 }),
  );
  api.answers.set("/files", async () => {
    const { headers, body } = last() ?? {};
    const form = await new Response(body, { headers: { "content-type": headers?.get("content-type") ?? "" } })
      .formData();
    const file = form.get("file");
    assert.ok(file instanceof File && /^\d{4}-\d\d-\d\d\.csv$/.test(file.name));
    return Response.json({ folder: form.get("folder"), type: file.type, content: await file.text() });
  });
}

interface Example {
  heading: string;
  program: unknown;
  /** What starts the flow, if not a person. */
  cron: Record<string, unknown> | undefined;
  /** `answer` is a person's. A webhook has a `delivery`, changes of records have `records`. */
  expected: {
    input?: Record<string, unknown>;
    answer?: unknown;
    delivery?: unknown;
    records?: Record<string, unknown>[];
    data: unknown;
  };
}

/** Creates the example's trigger, lets it start the flow, and waits for the run. @returns the run's id */
async function startByTrigger(
  { ask }: Awaited<ReturnType<typeof addTeam>>,
  flow_code: string,
  { heading, cron, expected: { delivery, records = [], data } }: Example,
): Promise<string> {
  const trigger = made(
    await ask("POST", "/account/crons.json", { json: { cron: { ...cron, target_code: flow_code } } }),
  );
  if (delivery) {
    const { pathname } = new URL(trigger.webhook_url);
    const { body } = await ask("POST", pathname, { json: delivery });
    assert.deepEqual(body, data, heading);
  }
  for (const record of records) {
    made(
      await ask("POST", `/platform/dbs/${trigger.record.db_code}/records.json`, { json: { record: { data: record } } }),
    );
  }
  const ended = async () =>
    (await ask("GET", `/connect/flow_processes.json?flow_code=${flow_code}&status=finished`)).body;
  await until(async () => (await ended()).length > 0, `${heading}: the run ends`);
  return (await ended())[0].id;
}

Deno.test("docs/flow-examples.md: every flow returns what the page says", async () => {
  const { text } = await readPage("docs/flow-examples.md");
  await using stage = await startStage();
  const { api, server } = stage;
  const team = await addTeam(stage);
  const { ask, addFlow, inspect } = team;
  stand(api);
  const examples: Example[] = [];
  let heading = "";
  let program: unknown;
  let cron: Example["cron"];
  for (const [, title, block] of text.matchAll(/^#+ (.+)$|^```json\n([^]*?)^```$/gm)) {
    heading = title ?? heading;
    const value = block === undefined ? undefined : JSON.parse(block.replaceAll("https://api.example.com", api.origin));
    if (value?.connector) made(await ask("POST", "/connect/connectors.json", { json: value }));
    else if (value?.flow) made(await ask("POST", "/connect/flows.json", { json: value }));
    else if (value?.db) made(await ask("POST", "/platform/dbs.json", { json: value }));
    else if (value?.cron) ({ cron } = value);
    else if (Array.isArray(value)) program = value;
    else if (value) {
      examples.push({ heading, program, cron, expected: value });
      cron = undefined;
    }
  }
  assert.equal(examples.length, text.match(/^## /gm)?.length, "each has a result");
  for (const example of examples) {
    const { heading, program, expected: { input = {}, answer, data } } = example;
    const flow = await addFlow(program);
    assert.deepEqual(flow.warnings, {}, heading);
    if (example.cron) {
      const run = await inspect(await startByTrigger(team, flow.code, example));
      assert.deepEqual([run.error, run.data], [null, data], heading);
      continue;
    }
    const { body } = await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: { input } });
    const status = async () => (await inspect(body.flow_process_id)).status;
    // Shorter waits are waited for.
    if (body.status === "waiting" && !answer) {
      // As if the hour had passed.
      await server.sql`
        update flow_waits
        set
          steps = regexp_replace(steps::text, '"until":"[^"]*"', '"until":"2020-01-31T09:00:00.000+00:00"', 'g')::json,
          wake_at = now()
        where run_id = ${body.flow_process_id}
      `;
    }
    if (answer) {
      await until(async () => await status() === "waiting", `${heading}: the run waits`);
      const [question] = (await ask("GET", "/connect/approvals.json")).body;
      const answered = await ask("POST", `/connect/approvals/${question.id}.json`, { json: answer });
      assert.equal(answered.status, 200, JSON.stringify(answered.body));
    }
    await until(async () => {
      await server.sweep();
      return ["finished", "error"].includes(await status());
    }, `${heading}: the run ends`);
    const run = await inspect(body.flow_process_id);
    assert.deepEqual([run.error, run.data], [null, data], heading);
  }
});
