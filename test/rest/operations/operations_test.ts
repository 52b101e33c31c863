/** Figures of the whole server: who may read them, what they count, and what they never name. */
import assert from "node:assert/strict";
import { createProcessReport } from "../../../server/domains/operations/process_report.ts";
import { createLog } from "../../../server/log.ts";
import { on_postgres } from "../../stage/harness.ts";
import { addAccount, addPerson, addToken, as, made } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

interface Running {
  text: string;
  waits_for: string | null;
}

const inAccount = onSharedServer();
const PATH = "/account/operations.json";

inAccount("operations: for admins of the account that owns the server only", async ({ ask, server }) => {
  const status = async (token: string) => (await as(ask, token)("GET", PATH)).status;
  const operator = async (token: string) => (await as(ask, token)("GET", "/account/me.json")).body.operator;
  const [manager, admin] = [await addPerson(ask, "manager"), await addPerson(ask, "admin")];
  const stranger = await addAccount(server);
  assert.deepEqual([await status(admin.token), await status(manager.token), await status(stranger.token)], [
    200,
    403,
    403,
  ]);
  assert.deepEqual([await operator(admin.token), await operator(manager.token), await operator(stranger.token)], [
    true,
    false,
    false,
  ]);
  assert.equal((await ask("GET", PATH, { token: null })).status, 401);
  assert.equal(await status(await addToken(ask, { scopes: ["account:read"] })), 403);
  assert.equal(await status(await addToken(ask, { scopes: ["operations:read"] })), 200);
  const viewed = await ask("GET", PATH, { headers: { "x-view-as": String(manager.id) } });
  assert.equal(viewed.status, 403, "as another user");
}, { of_default: true });

inAccount("operations: processes, queues, the database and background work", async ({ ask, server }) => {
  const { sql } = server;
  const read = async () => (await ask("GET", PATH)).body;
  await server.sweep();
  await server.tick();
  const before = await read();
  const [own] = before.processes;
  assert.equal(own.pid, Deno.pid);
  assert.deepEqual([own.sweep.fault, own.tick.fault], [null, null]);
  assert.ok(own.sweep.ms >= 0 && own.memory.rss > 0 && own.compiler.workers > 0);
  assert.equal(own.release, (await ask("GET", "/account/me.json")).body.release);

  // Another process, and one that has died.
  const other = createProcessReport({
    sql,
    log: createLog(() => {}),
    clock: { now: () => new Date() },
    release: { version: "0", id: () => Promise.resolve("other") },
    process_number: 2,
    load: () => ({
      runs: { in_progress: 3, executed: 1 },
      calls: { in_progress: 0 },
      compiler: { workers: 2, ready: 1, busy: 1, waiting: 4, building: ["vue"] },
    }),
  });
  await assert.rejects(other.timed("tick", () => Promise.reject(new Error("the database is away"))));
  await other.write();
  const dead = crypto.randomUUID();
  await sql`
    insert into server_processes (id, started_at, seen_at, report)
    select ${dead}, now(), now() - interval '11 minutes', report from server_processes limit 1
  `;
  const [{ id: db_id } = { id: 0 }] = await sql<{ id: number }[]>`
    insert into reindexings (db_id, done, total) values (1000000, 3, 10) returning db_id as id
  `;
  // The connector, the database and the flow of an account must not be named.
  const name = `canary ${crypto.randomUUID()}`;
  made(await ask("POST", "/platform/dbs.json", { json: { db: { name } } }));
  made(await ask("POST", "/connect/flows.json", { json: { flow: { name, fields: { program: [] } } } }));
  const flow = made(
    await ask("POST", "/connect/flows.json", {
      json: { flow: { name: `${name} waits`, fields: { program: [{ type: "wait", seconds: 3_600 }] } } },
    }),
  );
  await ask("POST", `/connect/flows/${flow.id}/run.json`, { json: {} });
  await until(async () => (await read()).queues.runs_waiting > before.queues.runs_waiting, "a run waits");
  const now = await read();
  const found = now.processes.find(({ release }: { release: string }) => release === "other");
  assert.deepEqual([found.number, found.runs.in_progress, found.compiler.building], [2, 3, ["vue"]]);
  assert.deepEqual([found.tick.fault, found.sweep], ["the database is away", null]);
  assert.ok(!now.processes.some(({ id }: { id: string }) => id === dead));
  assert.deepEqual(now.background.reindexing.map(({ done, total }: { done: number; total: number }) => [done, total]), [
    [3, 10],
  ]);
  assert.equal(now.database.engine, on_postgres ? "PostgreSQL" : "embedded");
  assert.equal(now.database.connections === null, !on_postgres);
  assert.ok(now.database.bytes > 1_000_000 && now.database.tables.length === 10);
  assert.ok(!JSON.stringify(now).includes("canary"));

  if (on_postgres) {
    const locked = Promise.withResolvers<void>();
    let seen = false;
    const holder = sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(4711)`;
      locked.resolve();
      // PostgreSQL ends a transaction that is idle for ten seconds.
      await until(async () => (await tx`select 1`).length === 1 && seen, "the statement that waits is seen");
    });
    await locked.promise;
    const waiting = sql`select pg_advisory_xact_lock(4711), ${"canary of a value"}::text`.then(() => {});
    await until(async () => {
      const { running } = (await read()).statements;
      assert.ok(!JSON.stringify(running).includes("canary"));
      return running.some(({ text, waits_for }: Running) => text.includes("pg_advisory") && waits_for === "Lock");
    }, "a statement that takes long is listed");
    seen = true;
    await Promise.all([holder, waiting]);
  }
  other.close();
  await sql`delete from reindexings where db_id = ${db_id}`;
  await server.sweep();
  const rows = await sql<{ id: string }[]>`select id from server_processes`;
  assert.ok(rows.length >= 1 && !rows.some(({ id }) => id === dead), "rows of dead processes are swept");
}, { of_default: true });
