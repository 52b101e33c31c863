/**
 * The specification's example without a browser: a trigger starts a flow that reads an external value, stores it and
 * reacts to a threshold; an app shows it.
 */
import assert from "node:assert/strict";
import { onStage } from "../flow/flow_stage.ts";
import { made } from "../stage/people.ts";
import { inTurn } from "../stage/scenario.ts";
import { page, tokenIn } from "../stage/visitors.ts";
import { until } from "../stage/until.ts";

const inTeam = onStage();

const PROGRAM = [
  { type: "mutation", id: "start", set: { base: "EUR", limit: 4.5 } },
  { type: "connector", id: "rates", connector_code: "api", method: "get", params: { path: "rates" } },
  { type: "mutation", id: "pick", set: { price: "{json_object.rates.0.mid}" } },
  {
    type: "record",
    id: "save",
    action: "upsert",
    db_code: "prices",
    match: { base: "{base}" },
    data: { base: "{base}", price: "{price}", cron: "{input.cron_id}" },
  },
  {
    type: "if",
    id: "high",
    condition: { left: "{price}", operator: "gt", right: "{limit}" },
    then: [{
      type: "connector",
      id: "alert",
      connector_code: "api",
      method: "post",
      params: { path: "alert", body: { text: "Price {price}" } },
      on_error: "continue",
    }],
    else: [],
  },
  { type: "return", data: { price: "{price}" } },
];

/** Lists the records that the flow stored, as a visitor's browser does. */
const APP = `<script>
  import { db } from "platform";
  let price = $state("");
  db().list().then(([rate]) => price = rate.price);
</script>
<p>{price}</p>`;

inTeam(
  "a trigger wakes a flow that reads, stores and reacts, and an app shows it",
  async ({ server, ask, api, addFlow }) => {
    let mid = 4.21;
    api.answers.set("/rates", () => Response.json({ rates: [{ mid }] }));
    api.answers.set("/alert", () => Response.json({ sent: true }));
    made(
      await ask("POST", "/platform/dbs.json", {
        json: {
          db: {
            name: "Prices",
            schema: { fields: { base: "string", price: "number", cron: "integer" }, indexes: { idx_str_1: "base" } },
            public_methods: { list: {} },
          },
        },
      }),
    );
    const { code } = await addFlow(PROGRAM);
    const cron = made(
      await ask("POST", "/account/crons.json", {
        json: { cron: { kind: "flow", target_code: code, schedule: "0 0 1 1 *", active: true } },
      }),
    );
    const app = made(
      await ask("POST", "/platform/apps.json", {
        json: {
          app: { name: "Rates", app_engine: "svelte", source_code: APP, public: true, db_code: "prices" },
        },
      }),
    );
    /** Opens the page as a visitor, and lists the records with the page's token. */
    const shown = async () => {
      const got = await ask("GET", `/a/${app.id}`, { token: null });
      assert.equal(got.status, 200);
      const { status, body } = await page(ask, "prices", tokenIn(got) ?? "")("list");
      assert.equal(status, 200);
      return body.map(({ base, price, cron }: Record<string, unknown>) => ({ base, price, cron }));
    };
    /** Makes the trigger due, ticks, and waits until the run has ended. */
    const wake = async (minutes_ago: number) => {
      await server.sql`
      update crons
      set next_run_at = date_trunc('minute', now()) - ${minutes_ago}::int * interval '1 minute'
      where id = ${cron.id}
    `;
      await server.tick();
      await until(async () => {
        const { body: [run] } = await ask("GET", `/account/crons/${cron.id}/runs.json`);
        return run?.outcome === "finished";
      }, "the run has not finished");
    };

    await wake(2);
    assert.equal(api.count("/alert"), 0, "4.21 is not above 4.5");
    const { body: first } = await ask("GET", "/platform/dbs/prices/records.json");
    assert.deepEqual(first.map(({ data }: { data: unknown }) => data), [{ base: "EUR", price: 4.21, cron: cron.id }]);

    mid = 4.73;
    await wake(1);
    assert.equal(api.count("/alert"), 1);
    assert.deepEqual(JSON.parse(api.calls.at(-1)?.body ?? ""), { text: "Price 4.73" });
    const { body: second } = await ask("GET", "/platform/dbs/prices/records.json");
    assert.deepEqual(second.map(({ id, data }: { id: string; data: { price: number } }) => [id, data.price]), [
      [first[0].id, 4.73],
    ], "the same record");

    const { body: runs } = await ask("GET", `/account/crons/${cron.id}/runs.json`);
    assert.deepEqual(runs.map(({ state, outcome, by_hand }: Record<string, unknown>) => [state, outcome, by_hand]), [
      ["late", "finished", false],
      ["late", "finished", false],
    ]);
    await inTurn(runs, async (run: { flow_process_id: string }) => {
      const { body } = await ask("GET", `/connect/flow_processes/${run.flow_process_id}.json`);
      assert.deepEqual([body.trigger, body.cron_id, body.input], ["cron", cron.id, { kind: "cron", cron_id: cron.id }]);
    });
    const { body: read } = await ask("GET", `/account/crons/${cron.id}.json`);
    assert.deepEqual([read.last_status, read.failures], ["finished", 0]);
    assert.match(read.next_run_at, /-01-01T00:00:00/);
    assert.deepEqual(await shown(), [{ base: "EUR", price: 4.73, cron: cron.id }]);
  },
);
