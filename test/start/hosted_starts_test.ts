/** Hosted: instances that tick at the same moment, and instances that are stopped before they have started. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { migrate, readMigrations } from "../../db/migrate.ts";
import { startApi } from "../flow/flow_stage.ts";
import { ADMIN_TOKEN, createDatabase, on_postgres } from "../stage/harness.ts";
import { ask } from "../stage/launch.ts";
import { findHostedDeno, type Host, type Instance, openHost } from "../stage/places/host.ts";
import { fillPlace } from "../stage/places/places.ts";
import { until } from "../stage/until.ts";

const deno = on_postgres ? await findHostedDeno() ?? Deno.execPath() : "";
const TRIGGERS = 5;
const STOP_MS = 5_000;

/** Locks a table exclusively until the result is disposed: no other session can read or write the table meanwhile. */
async function hold(sql: postgres.Sql, table: string) {
  const locked = Promise.withResolvers<void>();
  const { promise: held, resolve } = Promise.withResolvers<void>();
  const holding = sql.begin(async (tx) => {
    await tx.unsafe(`lock table ${table} in access exclusive mode`);
    locked.resolve();
    await held;
  });
  await Promise.race([locked.promise, holding]);
  return {
    /** How many connections wait for it. */
    async waiting(): Promise<number> {
      const [row] = await sql<{ count: number }[]>`
        select count(distinct pid)::int as count from pg_locks where relation = ${table}::regclass and not granted
      `;
      return row?.count ?? 0;
    },
    async [Symbol.asyncDispose]() {
      resolve();
      await holding;
    },
  };
}

/** Milliseconds between two lines of a log. */
function between(log: string, first: string, second: string): number {
  const lines: { event: string; time: string }[] = log.split("\n").filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  const momentOf = (name: string) => Date.parse(lines.find(({ event }) => event === name)?.time ?? "");
  return momentOf(second) - momentOf(first);
}

Deno.test({
  name: "hosted: of two instances that tick in the same moment one starts each trigger, and its calls are made once",
  ignore: !on_postgres,
}, async () => {
  await using api = startApi();
  api.answers.set("/fired", () => Response.json({}));
  const database_url = await fillPlace("", "admin") ?? "";
  const sql = postgres(database_url, { max: 3, onnotice: () => {} });
  try {
    await using host = await openHost(deno, { ADMIN_TOKEN, EGRESS_ALLOW: api.host }, { database_url });
    const post = async (path: string, json: unknown) => {
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(json), signal: AbortSignal.timeout(60_000) };
      const { status, text } = await ask(host.url + path, ADMIN_TOKEN, init);
      assert.ok(status < 300, `${path}: ${status} ${text}`);
    };
    const methods = { get: { method: "GET", path: "/{path}" } };
    await post("/connect/connectors.json", {
      connector: { name: "API", code: "api", url: api.origin, fields: { auth: { type: "none" }, methods } },
    });
    const call = { type: "connector", id: "call", connector_code: "api", method: "get", params: { path: "fired" } };
    await post("/connect/flows.json", { flow: { code: "fires", name: "Fires", fields: { program: [call] } } });
    for (let n = 0; n < TRIGGERS; n++) {
      await post("/account/crons.json", { cron: { target_code: "fires", schedule: "0 0 1 1 *", overlap: "allow" } });
    }
    for (const instance of [...host.instances]) await instance.stop();
    api.calls.length = 0;
    await sql`delete from cron_runs`;
    await sql`update crons set next_run_at = date_trunc('minute', now())`;

    const both: Instance[] = [];
    {
      await using lock = await hold(sql, "crons");
      both.push(...await Promise.all([host.start(), host.start()]));
      await until(async () => await lock.waiting() >= both.length, "both tick", 60_000);
    }
    await until(() => api.calls.length >= TRIGGERS, "the flows run", 60_000);
    for (const instance of both) {
      const { code, killed, stderr } = await instance.stop();
      assert.deepEqual([code, killed], [0, false], stderr);
    }
    // A run that was left would be continued by the next instance.
    const next = await host.start();
    await until(async () => (await ask(`${host.url}/readyz`)).status === 200, "the next instance answers", 60_000);
    await next.stop();
    const [due] = await sql<{ rows: number; triggers: number; runs: number; processes: number }[]>`
      select
        count(*)::int as rows,
        count(distinct cron_id)::int as triggers,
        count(distinct flow_process_id)::int as runs,
        (select count(*)::int from flow_processes where status = 'finished') as processes
      from cron_runs
      where state in ('ran', 'late')
    `;
    const rows = due?.rows ?? 0;
    assert.ok(rows >= TRIGGERS);
    assert.deepEqual({ ...due }, { rows, triggers: TRIGGERS, runs: rows, processes: rows });
    assert.equal(api.calls.length, rows);
  } finally {
    await sql.end({ timeout: 5 });
  }
});

/** Stops an instance that waits for the table, with a request that waits for the instance. */
async function stopWhileItWaits(host: Host, sql: postgres.Sql, table: string): Promise<void> {
  await using lock = await hold(sql, table);
  const instance = await host.start();
  const request = ask(`${host.url}/account.json`, ADMIN_TOKEN).catch(() => ({ status: 502 }));
  await until(async () => await lock.waiting() > 0, "it waits", 60_000);
  const { code, killed, stderr } = await instance.stop();
  assert.deepEqual([code, killed], [0, false], stderr);
  const log = `${instance.output()}\n${stderr}`;
  const ms = between(log, "stopping", "stopping cut off");
  assert.ok(ms <= STOP_MS, `it ended after ${ms} ms: ${log}`);
  assert.ok((await request).status >= 500, "nothing was acknowledged");
}

/** What an instance waits for, and how far the migrations are then. */
const STARTS: [what: string, table: string, before: number][] = [
  ["in the middle of a migration", "audit_entries", 58],
  ["after the migrations", "kv_identity", Infinity],
];

for (const [what, table, before] of STARTS) {
  Deno.test({
    name: `hosted: an instance that is stopped ${what} ends in time, and the next one starts`,
    ignore: !on_postgres,
  }, async () => {
    const all = await readMigrations();
    const database_url = await createDatabase();
    const sql = postgres(database_url, { max: 3, onnotice: () => {} });
    try {
      const applied = await migrate(sql, all.filter(({ version }) => version <= before));
      await using host = await openHost(deno, { ADMIN_TOKEN, ADMIN_PASSWORD: "password" }, { database_url });
      await stopWhileItWaits(host, sql, table);
      const recorded = async () => (await sql`select name from migrations order by version`).map(({ name }) => name);
      assert.deepEqual(await recorded(), applied, "half a migration is not recorded");

      await until(
        async () => (await ask(`${host.url}/account.json`, ADMIN_TOKEN).catch(() => undefined))?.status === 200,
        "the next one answers",
        60_000,
      );
      assert.deepEqual(await recorded(), all.map(({ name }) => name));
    } finally {
      await sql.end({ timeout: 5 });
    }
  });
}
