/** The examples of the API reference, written by the module that the console's page uses. */
import assert from "node:assert/strict";
import type { AnyTRPCProcedure } from "@trpc/server";
import type { z } from "zod";
import { clientSetup, examplesOf } from "../../../client/console/pages/docs/api/examples.ts";
import {
  isStream,
  type OpenApi,
  type Operation,
  operationsOf,
} from "../../../client/console/pages/docs/api/openapi.ts";
import { defaultsOf } from "../../../client/console/pages/docs/api/request.ts";
import { PLAIN_ROUTES } from "../../../server/http/catalog.ts";
import { describe } from "../../../server/http/openapi/openapi.ts";
import { loadRouter } from "../../../server/router.ts";
import { ADMIN_TOKEN, startServer, type TestServer } from "../../stage/harness.ts";
import { made } from "../../stage/people.ts";

const document: OpenApi = JSON.parse(JSON.stringify(describe(await loadRouter(), PLAIN_ROUTES, "http://atrium.test")));
const operations = operationsOf(document);
const router = await loadRouter();

type Program = (...parts: unknown[]) => Promise<void>;
const AsyncFunction = (async () => {}).constructor as new (...code: string[]) => Program;

/** Also proves that the code parses. */
const runFetch = (code: string, fetch: unknown, log: (value: unknown) => void): Promise<void> =>
  new AsyncFunction("fetch", "token", "console", code)(fetch, ADMIN_TOKEN, { log });

/** Runs the call of a client's example, without the lines that make the client. */
function runClient(code: string, base_url: string, atrium: unknown): Promise<void> {
  const setup = clientSetup(base_url);
  assert.ok(code.startsWith(setup), code);
  return new AsyncFunction("atrium", "console", code.slice(setup.length))(atrium, { log() {} });
}

Deno.test("examples: each operation has curl and fetch, and each procedure its call of the client; all parse", async () => {
  const base_url = "https://atrium.example.com";
  const curls: string[] = [];
  for (const operation of operations) {
    const values = defaultsOf(operation);
    const { curl = "", fetch = "", client } = examplesOf(operation, values, base_url);
    curls.push(curl);
    assert.ok(curl.startsWith("curl ") && curl.includes(base_url), operation.id);

    const sent: Request[] = [];
    const answer = (input: string, init?: RequestInit) => {
      sent.push(new Request(input, init));
      return Promise.resolve(Response.json({}));
    };
    await runFetch(fetch, answer, () => {});
    const [request] = sent;
    assert.equal(sent.length, 1, operation.id);
    assert.ok(request && request.method === operation.method, operation.id);
    const template = operation.path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+");
    assert.match(new URL(request.url).pathname, new RegExp(`^${template}$`), operation.id);
    assert.equal(request.headers.has("authorization"), operation.takes_token, operation.id);
    assert.equal(await request.text() !== "", Boolean(values.body), operation.id);

    assert.equal(client !== undefined, operation.id in router._def.procedures, operation.id);
    if (client) await assertInput(operation, client, base_url);
  }
  const { success, stderr } = await new Deno.Command("bash", { args: ["-n", "-c", curls.join("\n")] }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
});

/** The call names the procedure, and its input is one that the procedure takes. */
async function assertInput({ id }: Operation, code: string, base_url: string): Promise<void> {
  const procedures: Record<string, AnyTRPCProcedure> = router._def.procedures;
  const { inputs, type } = procedures[id]?._def as unknown as { inputs: z.ZodType[]; type: string };
  const calls: { path: string[]; input: unknown[] }[] = [];
  const recorder = (path: string[]): unknown =>
    new Proxy(() => {}, {
      get: (_, key) => recorder([...path, String(key)]),
      apply: (_, __, input) => Promise.resolve(void calls.push({ path, input })),
    });
  await runClient(code, base_url, recorder([]));
  assert.deepEqual(calls.map(({ path }) => path.join(".")), [`${id}.${type === "query" ? "query" : "mutate"}`]);
  const parsed = inputs[0]?.safeParse(calls[0]?.input[0]);
  assert.ok(!parsed || parsed.success, `${id}: ${parsed?.error}\n${code}`);
}

/** Pages and files: their examples name files, links and providers that this server does not have. */
const ELSEWHERE = ["console", "files"];

Deno.test("examples: those of reads work, in each of the three languages", async () => {
  const server = await startServer({ EGRESS_ALLOW: "" });
  try {
    const base_url = server.listen();
    const ids = await fill(server);
    const curls: [id: string, code: string][] = [];
    let calls = 0;
    for (const operation of operations.filter(({ method }) => method === "GET")) {
      if (isStream(operation)) continue;
      const values = defaultsOf(operation);
      Object.assign(values.parameters, ids[operation.id] ?? ids[operation.id.split(".")[0] ?? ""]);
      const { curl = "", fetch: code = "", client } = examplesOf(operation, values, base_url);
      const statuses: number[] = [];
      const noting = async (input: string, init?: RequestInit) => {
        const response = await fetch(input, init);
        statuses.push(response.status);
        return response;
      };
      const ran = runFetch(code, noting, () => {});
      const is_elsewhere = ELSEWHERE.includes(operation.tag);
      if (is_elsewhere) await ran.catch(() => {});
      else await ran.catch((error) => assert.fail(`${operation.id}: ${error}\n${code}`));
      assert.equal(statuses.length, 1);
      if (!is_elsewhere) curls.push([operation.id, curl]);
      if (client) {
        calls++;
        await runClient(client, base_url, server.client()).catch((error) => assert.fail(`${client}\n${error}`));
      }
    }
    assert.ok(calls > 30 && curls.length > 40, `${calls} calls of the client, ${curls.length} of curl`);
    assert.deepEqual(await statusesOf(curls), []);
  } finally {
    await server.close();
  }
});

/** @returns the commands that were refused */
async function statusesOf(commands: readonly (readonly [id: string, code: string])[]): Promise<string[]> {
  const wrapper = `curl() { command curl -o /dev/null -w '%{http_code}\\n' --max-time 120 "$@"; }`;
  const { stdout } = await new Deno.Command("bash", {
    args: ["-c", [wrapper, ...commands.map(([, code]) => code)].join("\n")],
    env: { ATRIUM_TOKEN: ADMIN_TOKEN, NO_PROXY: "*" },
  }).output();
  const statuses = new TextDecoder().decode(stdout).trim().split("\n");
  return commands.map(([id], index) => `${id} ${statuses[index]}`).filter((line) => !/ [23]\d\d$/.test(line));
}

/** Creates what the examples name. @returns parameters by operation or domain */
async function fill({ request }: TestServer): Promise<Record<string, Record<string, string>>> {
  const create = async (path: string, json: unknown) => made(await request("POST", path, { json }));
  const create_db = operations.find(({ id }) => id === "dbs.create");
  assert.ok(create_db?.bodies[0], "the database of the examples");
  await create("/platform/dbs.json", create_db.bodies[0].example);
  const path = "/platform/dbs/guestbook/records.json";
  const record = await create(path, { record: { data: { message: "Hello", author: "Ada" } } });
  const view = await create("/platform/dbs/guestbook/views.json", { view: { name: "Messages by Ada" } });
  await create("/account/departments.json", { department: { name: "Sales" } });
  const program = [{ type: "return", data: {} }];
  const flow = await create("/connect/flows.json", { flow: { name: "Watch", code: "watch", fields: { program } } });
  const run = await request("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
  await request("PUT", `/connect/flows/${flow.id}/draft.json`, {
    json: { draft: { program_text: "[", base_lock_version: 1, revision: 1 } },
  });
  const retry = await create("/connect/flow_process_retries.json", { retry: { flow_code: "watch" } });
  const cron = await create("/account/crons.json", {
    cron: { kind: "flow", target_code: "watch", schedule: "0 9 * * *" },
  });
  const connector = await create("/connect/connectors.json", {
    connector: { name: "Rates", code: "fx", url: "https://api.example.com" },
  });
  const plain = { name: "Counter", url_code: "my-counter", app_engine: "html", css_engine: "none" };
  const actions = [{ action: "refresh", flow_code: "watch", public: true }];
  const app = await create("/platform/apps.json", {
    app: { ...plain, public: true, actions, source_code: "<p>1</p>" },
  });
  await request("PATCH", `/platform/apps/${app.id}.json`, { json: { app: { source_code: "<p>2</p>" } } });
  await request("PUT", `/platform/apps/${app.id}/draft.json`, {
    json: { draft: { source_code: "<p>3</p>", base_lock_version: 1, revision: 1 } },
  });
  const action = await request("POST", `/platform/apps/${app.id}/action/refresh`, { json: {} });
  const initialize = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a", version: "1" } };
  const agent = await request("POST", "/mcp", {
    json: { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize },
    headers: { accept: "application/json, text/event-stream" },
  });
  const id = (value: unknown) => ({ id: String(value) });
  return {
    agents: id(agent.headers.get("mcp-session-id")),
    records: id(record.id),
    flows: id(flow.id),
    flow_processes: id(run.body.flow_process_id),
    "flow_processes.retries.find": id(retry.id),
    "dbs.views.find": { view_id: String(view.id) },
    crons: id(cron.id),
    connectors: id(connector.id),
    apps: id(app.id),
    "apps.action_status": { ...id(app.id), flow_process_id: action.body.flow_process_id },
  };
}
