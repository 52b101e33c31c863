/** On a hosting platform: a preview has no effects unless they are allowed. */
import assert from "node:assert/strict";
import { startApi } from "../flow/flow_stage.ts";
import { on_postgres, startServer, type TestServer } from "../stage/harness.ts";
import { made } from "../stage/people.ts";

/** The HTTP client of connectors has one timer for the process, which ends up to a second after the last call. */
const CALLS = { sanitizeOps: false, sanitizeResources: false };

const HOSTED = { DENO_DEPLOYMENT_ID: "1", KV_URL: ":memory:" };

async function addHook(server: TestServer, origin: string) {
  const post = async (path: string, json: unknown) => made(await server.request("POST", path, { json }));
  const methods = { get: { method: "GET", path: "/{path}" } };
  await post("/connect/connectors.json", {
    connector: { name: "API", code: "api", url: origin, fields: { auth: { type: "none" }, methods } },
  });
  const call = { type: "connector", id: "call", connector_code: "api", method: "get", params: { path: "asked" } };
  const program = [call, { type: "return", data: "{steps.call.body}" }];
  const flow = await post("/connect/flows.json", { flow: { code: "calls", name: "Calls", fields: { program } } });
  const cron = { kind: "webhook", target_code: "calls", webhook: { answer: "result" } };
  const { webhook_url } = await post("/account/crons.json", { cron });
  return { flow, hook: new URL(webhook_url).pathname };
}

Deno.test(
  { name: "previews: triggers start nothing and no service is called, unless allowed", ignore: !on_postgres, ...CALLS },
  async () => {
    await using api = startApi();
    api.answers.set("/asked", () => Response.json({ asked: true }));
    for (const allowed of [false, true]) {
      const server = await startServer({
        ...HOSTED,
        DENO_TIMELINE: "git-branch/try",
        EGRESS_ALLOW: api.host,
        SMTP_URL: "smtp://127.0.0.1:1",
        ACTION_WAIT_MS: "20000",
        ...allowed && { PREVIEW_EFFECTS: "1" },
      });
      try {
        const { flow, hook } = await addHook(server, api.origin);
        const delivered = await server.request("POST", hook, { json: {} });
        const run = await server.request("POST", `/connect/flows/${flow.id}/run.json`, { json: { input: {} } });
        await server.tick();
        if (allowed) {
          assert.deepEqual([delivered.status, delivered.body, run.body.data], [200, { asked: true }, { asked: true }]);
          continue;
        }
        assert.deepEqual([delivered.status, api.calls.length], [503, 0]);
        assert.match(delivered.body.error, /PREVIEW_EFFECTS=1/);
        assert.match(JSON.stringify(run.body), /not called on a preview timeline/);
      } finally {
        await server.close();
      }
    }
  },
);
