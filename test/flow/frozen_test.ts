/** A process that is frozen inside a transaction: PostgreSQL ends its session, so that runs of others go on. */
import assert from "node:assert/strict";
import { surviveLostConnections } from "../../server/database/connection/connection_loss.ts";
import { createLog } from "../../server/log.ts";
import { on_postgres } from "../stage/harness.ts";
import { made } from "../stage/people.ts";
import { onStage } from "./flow_stage.ts";

const stage = onStage();

// As in `main.ts`: the driver may report a lost connection outside of any promise.
surviveLostConnections(createLog(() => {}));

if (on_postgres) {
  stage("a transaction that is left idle loses its locks: a run that waits for them finishes", async (team) => {
    const { ask, run, server } = team;
    const code = `stock_${crypto.randomUUID().slice(0, 8)}`;
    made(
      await ask("POST", "/platform/dbs.json", {
        json: { db: { name: code, code, schema: { fields: { n: "integer" } } } },
      }),
    );
    const { id } = made(
      await ask("POST", `/platform/dbs/${code}/records.json`, { json: { record: { data: { n: 1 } } } }),
    );
    const locked = Promise.withResolvers<void>();
    const thawed = Promise.withResolvers<void>();
    const frozen = server.sql.begin(async (tx) => {
      await tx`update records set data = data where id = ${id}`;
      locked.resolve();
      await thawed.promise;
      await tx`select 1`;
    });
    const refused = assert.rejects(frozen, "the frozen transaction is rolled back");
    await locked.promise;
    const step = { type: "record", id: "save", action: "update", db_code: code, record_id: id, data: { n: 2 } };
    const { status, process } = await run([step]);
    thawed.resolve();
    await refused;
    assert.deepEqual([status, process.steps[0].error, process.steps[0].attempts], ["finished", null, 1]);
  });

  stage("sessions have limits for idle transactions and for connections that are cut off", async ({ server }) => {
    const [limits] = await server.sql`
      select
        current_setting('idle_in_transaction_session_timeout') as idle,
        current_setting('tcp_user_timeout') as tcp,
        current_setting('tcp_keepalives_idle') as probe
    `;
    assert.deepEqual({ ...limits }, { idle: "10s", tcp: "20000", probe: "15" });
  });
}
