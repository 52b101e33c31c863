/** A whole server starts triggers that became due while no server was running. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { on_postgres } from "../stage/harness.ts";
import { ask, launch, newPlace, stop } from "../stage/launch.ts";
import { until } from "../stage/until.ts";

const TOKEN = "token-of-the-launch-test";

Deno.test({
  name: "a restarted server starts due triggers soon after its start",
  // The test makes the trigger due by SQL from another process, which the embedded database does not allow.
  ignore: !on_postgres,
  async fn() {
    await using place = await newPlace();
    const environment = { ...place.environment, ADMIN_TOKEN: TOKEN };
    const post = async (url: string, body: unknown) => {
      const headers = { "content-type": "application/json" };
      const { status, text } = await ask(url, TOKEN, { method: "POST", headers, body: JSON.stringify(body) });
      assert.equal(status, 201, text);
      return JSON.parse(text);
    };
    await using first = await launch(environment);
    await post(`${first.url}/connect/flows.json`, { flow: { name: "Watch" } });
    const cron = { target_code: "watch", schedule: "0 0 1 1 *" };
    const { id } = await post(`${first.url}/account/crons.json`, { cron });
    await stop(first);
    const sql = postgres(place.environment.DATABASE_URL ?? "", { max: 1 });
    await sql`update crons set next_run_at = date_trunc('minute', now()) - interval '5 minutes'`;
    await sql.end();

    await using second = await launch(environment);
    const runs = async () => JSON.parse((await ask(`${second.url}/account/crons/${id}/runs.json`, TOKEN)).text);
    await until(async () => (await runs())[0]?.outcome === "finished", "the run has ended");
    const [run, ...others] = await runs();
    assert.deepEqual([run.state, others.length], ["late", 0]);
    await stop(second);
  },
});
