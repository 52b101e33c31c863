/** On a hosting platform: a preview has no effects unless they are allowed. */
import assert from "node:assert/strict";
import { startApi } from "../flow/flow_stage.ts";
import { on_postgres, startServer, type TestServer } from "../stage/harness.ts";
import { smtpStandIn } from "../stage/network/smtp_stand_in.ts";
import { made } from "../stage/people.ts";
import { until } from "../stage/until.ts";

/** The HTTP client of connectors has one timer for the process, which ends up to a second after the last call. */
const CALLS = { sanitizeOps: false, sanitizeResources: false };

const HOSTED = { DENO_DEPLOYMENT_ID: "1", KV_URL: ":memory:" };

const OFF = /PREVIEW_EFFECTS=1/;

/** What may have an effect, by the name of the flow or path that shows it. */
type Kind = "cron" | "webhook" | "record" | "queued" | "by_hand" | "action" | "test";

async function prepare(server: TestServer, origin: string) {
  const post = async (path: string, json: unknown) => made(await server.request("POST", path, { json }));
  const methods = { get: { method: "GET", path: "/{path}", public: true } };
  const connector = await post("/connect/connectors.json", {
    connector: { name: "API", code: "api", url: origin, fields: { auth: { type: "none" }, methods } },
  });
  /** A flow whose call shows that it has run. */
  const addFlow = async (code: Kind): Promise<number> => {
    const program = [{ type: "connector", id: "call", connector_code: "api", method: "get", params: { path: code } }];
    return (await post("/connect/flows.json", { flow: { code, name: code, fields: { program } } })).id;
  };
  for (const code of ["cron", "webhook", "record", "queued", "action"] as const) await addFlow(code);
  const addCron = (cron: Record<string, unknown>) => post("/account/crons.json", { cron });
  const schedule = "* * * * *";
  const cron = await addCron({ target_code: "cron", schedule });
  const queued = await addCron({ target_code: "queued", schedule, overlap: "queue" });
  // `queued`: it was left when effects were allowed. It is started when a run of its trigger ends, or by a tick.
  await server.sql`update crons set next_run_at = null where id = ${queued.id}`;
  await server.sql`
    insert into cron_runs (cron_id, account_id, due_at, slots, state, reason, flow_process_id)
    select id, account_id, date_trunc('minute', now()), 1, 'queued', 'waits', gen_random_uuid()
    from crons
    where id = ${queued.id}
  `;
  await server.sql`update crons set next_run_at = date_trunc('minute', now()) where id = ${cron.id}`;
  await post("/platform/dbs.json", { db: { name: "Log", code: "log", schema: { fields: { n: "integer" } } } });
  await addCron({ kind: "record", target_code: "record", record: { db_code: "log", on: ["create"] } });
  const { webhook_url } = await addCron({ kind: "webhook", target_code: "webhook", webhook: {} });
  const app = await post("/platform/apps.json", {
    app: {
      name: "Caller",
      app_engine: "html",
      source_code: "<p>An app</p>",
      public: true,
      actions: [{ action: "go", flow_code: "action", public: true }],
    },
  });
  return {
    connector: connector.id,
    by_hand: await addFlow("by_hand"),
    queued: queued.id,
    hook: new URL(webhook_url).pathname,
    app: app.id,
  };
}

for (const allowed of [false, true]) {
  Deno.test({
    name: `previews: ${allowed ? "each effect, where they are allowed" : "no trigger, call or mail"}`,
    ignore: !on_postgres,
    ...CALLS,
  }, async () => {
    await using api = startApi();
    await using smtp = smtpStandIn();
    const server = await startServer({
      ...HOSTED,
      DENO_TIMELINE: "git-branch/try",
      EGRESS_ALLOW: api.host,
      SMTP_URL: smtp.url,
      ACTION_WAIT_MS: "20000",
      ...allowed && { PREVIEW_EFFECTS: "1" },
    });
    try {
      const stage = await prepare(server, api.origin);
      const post = (path: string, json: unknown = {}) => server.request("POST", path, { json });
      made(await post("/platform/dbs/log/records.json", { record: { data: { n: 1 } } }));
      await server.tick();
      const delivered = await post(stage.hook);
      const by_hand = await post(`/connect/flows/${stage.by_hand}/run.json`, { input: {} });
      const acted = await server.request("POST", `/platform/apps/${stage.app}/action/go`, { json: {}, token: null });
      const tried = await post(`/connect/connectors/${stage.connector}/test.json`, {
        method: "get",
        params: { path: "test" },
      });
      const { mail, url } = made(await post("/account/invitations.json", { invitation: { email: "a@people.test" } }));
      const reset = made(await post("/account/user_settings/1/password_reset.json"));
      const kinds: Kind[] = ["cron", "webhook", "record", "queued", "by_hand", "action", "test"];
      if (allowed) {
        for (const kind of kinds) {
          await until(async () => {
            // Changes of records are looked at again with each tick.
            if (api.count(`/${kind}`) === 0) await server.tick();
            return api.count(`/${kind}`) > 0;
          }, `${kind} calls`);
        }
        assert.deepEqual([mail, reset.mail, smtp.mails.length], ["sent", "sent", 2]);
        return;
      }
      assert.equal(delivered.status, 503);
      for (const { body } of [delivered, by_hand, acted, tried]) assert.match(JSON.stringify(body), OFF);
      assert.deepEqual([mail, reset.mail], ["off", "off"]);
      assert.match(url, /secret=/, "the link is shown instead");

      // The end of a trigger's run starts what waits for it, without a tick: the second is settled after that.
      for (const count of [1, 2]) {
        assert.equal((await post(`/account/crons/${stage.queued}/fire.json`)).status, 200);
        const settled = () => server.sql`select 1 from cron_runs where by_hand and outcome is not null`;
        await until(async () => (await settled()).length === count, "the run by hand is settled");
      }
      await server.tick();
      const left = await server.sql<{ state: string }[]>`select state from cron_runs where not by_hand`;
      assert.deepEqual(left.map(({ state }) => state), ["queued"]);
      assert.deepEqual([api.calls.length, smtp.mails.length], [0, 0]);
    } finally {
      await server.close();
    }
  });
}
