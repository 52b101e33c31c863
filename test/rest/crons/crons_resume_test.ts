/** Triggers that pause, resume, and are changed while they are due. */
import assert from "node:assert/strict";
import { v7 } from "uuid";
import { insertProcess } from "../../schedule/schedule_stage.ts";
import { made } from "../../stage/people.ts";
import { type Ask, onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const at = (id: number, rest = "") => `/account/crons/${id}${rest}.json`;
const json = (cron: Record<string, unknown>) => ({ json: { cron } });

const addFlow = async (ask: Ask, code: string) =>
  made(await ask("POST", "/connect/flows.json", { json: { flow: { name: code, code } } }));
const add = async (ask: Ask, cron: Record<string, unknown> = {}) =>
  made(await ask("POST", "/account/crons.json", json({ target_code: "watch", schedule: "0 9 * * *", ...cron })));

inAccount("crons: resume a paused trigger", async ({ server, ask, play }) => {
  await addFlow(ask, "watch");
  const { id } = await add(ask);
  await server.sql`
    update crons
    set active = false, next_run_at = null, failures = 10, paused_reason = '10 failures in a row; the last one: no'
    where id = ${id}
  `;
  await play([
    {
      name: "the answer has the reason",
      method: "GET",
      path: at(id),
      status: 200,
      body: { active: false, failures: 10, paused_reason: /^10 failures in a row/ },
    },
    {
      name: "another change leaves it paused",
      method: "PATCH",
      path: at(id),
      sent: json({ name: "Paused" }),
      status: 200,
      body: { active: false, failures: 10, paused_reason: /^10 failures/ },
    },
    {
      name: "resume",
      method: "POST",
      path: at(id, "/resume"),
      status: 200,
      body: { active: true, failures: 0, paused_reason: null, next_run_at: /T09:00/ },
    },
  ]);
  await server
    .sql`update crons set active = false, next_run_at = null, failures = 10, paused_reason = 'x' where id = ${id}`;
  await play([{
    name: "or by an update",
    method: "PATCH",
    path: at(id),
    sent: json({ active: true }),
    status: 200,
    body: { active: true, failures: 0, paused_reason: null, next_run_at: /T09:00/ },
  }]);
});

inAccount("crons: what failed before a trigger is resumed does not count after it", async ({ server, ask }) => {
  await addFlow(ask, "watch");
  const { id } = await add(ask, { max_failures: 1 });
  const run = v7();
  const [account] = await server.sql<{ account_id: number }[]>`
    insert into cron_runs (cron_id, account_id, due_at, state, flow_process_id, started_at)
    select id, account_id, now(), 'ran', ${run}, now()
    from crons
    where id = ${id}
    returning account_id
  `;
  const its = { id: run, account_id: account?.account_id ?? 0, cron_id: id, user_id: null };
  await insertProcess(
    server.sql,
    { ...its, flow_code: "watch", input: { kind: "cron", cron_id: id }, trigger: "cron" },
    { status: "error", error: "no answer", at: new Date() },
  );
  assert.equal((await ask("POST", at(id, "/resume"))).status, 200);
  await server.tick();
  const { body } = await ask("GET", at(id));
  assert.deepEqual([body.active, body.failures, body.paused_reason], [true, 0, null]);
  assert.equal((await ask("GET", at(id, "/runs"))).body[0]?.outcome, "error", "it is told all the same");
});

inAccount("crons: a time that is due when the trigger is changed is in the ledger", async ({ server, ask }) => {
  await addFlow(ask, "watch");
  const { id } = await add(ask);
  await server.sql`update crons set next_run_at = '2026-01-01T09:00:00Z' where id = ${id}`;
  await ask("PATCH", at(id), json({ active: false }));
  const { body } = await ask("GET", at(id, "/runs"));
  assert.deepEqual(body.map(({ due_at, state, reason }: Record<string, unknown>) => [due_at, state, reason]), [
    ["2026-01-01T09:00:00.000+00:00", "skipped", "the trigger was changed before the run started"],
  ]);
  assert.ok(body[0].slots > 300 && body[0].due_until > "2026-11", "all that were due, in one row");
  const yearly = await add(ask, { schedule: "0 0 1 1 *" });
  await server.sql`update crons set next_run_at = '2026-01-01T00:00:00Z' where id = ${yearly.id}`;
  await ask("PATCH", at(yearly.id), json({ schedule: "0 0 2 1 *" }));
  const { body: [one] } = await ask("GET", at(yearly.id, "/runs"));
  assert.deepEqual([one.slots, one.due_until], [1, null]);
});

inAccount(
  "crons: a delivery that was claimed before failures pause its webhook is started",
  async ({ server, ask }) => {
    await addFlow(ask, "watch");
    const { id } = await add(ask, { kind: "webhook", schedule: undefined });
    await server.sql`
    insert into cron_runs (cron_id, account_id, due_at, state, flow_process_id, payload, event_key)
    select id, account_id, now(), 'ran', ${v7()}, '{"body":1}', 'delivery one' from crons where id = ${id}
  `;
    await server.sql`update crons set active = false, failures = 10, paused_reason = 'x' where id = ${id}`;
    await server.tick();
    const { body: [row] } = await ask("GET", at(id, "/runs"));
    assert.deepEqual([row.state, row.reason], ["ran", null]);
  },
);

inAccount(
  "crons: deliveries that wait while failures pause a webhook start after a resume, unless a person stops it",
  async ({ server, ask }) => {
    await addFlow(ask, "watch");
    const webhook = { kind: "webhook", schedule: undefined, overlap: "queue" };
    const [failing, stopped, both] = [await add(ask, webhook), await add(ask, webhook), await add(ask, webhook)];
    for (const { id } of [failing, stopped, both]) {
      await server.sql`
      insert into cron_runs (cron_id, account_id, due_at, state, flow_process_id, payload, event_key)
      select id, account_id, now(), 'queued', ${v7()}, '{"body":1}', 'delivery one' from crons where id = ${id}
    `;
    }
    await server.sql`
      update crons set active = false, failures = 10, paused_reason = 'x' where id in (${failing.id}, ${both.id})
    `;
    await ask("PATCH", at(stopped.id), json({ active: false }));
    const { body } = await ask("PATCH", at(both.id), json({ active: false }));
    assert.deepEqual([body.active, body.failures, body.paused_reason], [false, 10, null]);
    const stateOf = async (id: number) => (await ask("GET", at(id, "/runs"))).body[0].state;
    await server.tick();
    assert.deepEqual(await Promise.all([failing, stopped, both].map(({ id }) => stateOf(id))), [
      "queued",
      "skipped",
      "skipped",
    ]);
    assert.equal((await ask("POST", at(failing.id, "/resume"))).status, 200);
    await server.tick();
    assert.equal(await stateOf(failing.id), "late");
  },
);
