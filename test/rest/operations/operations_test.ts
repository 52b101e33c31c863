/** Figures of the whole server: who may read them, what they count, and what they never name. */
import assert from "node:assert/strict";
import { createProcessReport } from "../../../server/domains/operations/process_report.ts";
import { createLog } from "../../../server/log.ts";
import { follow } from "../../stage/followers.ts";
import { ADMIN_TOKEN, beside, createDatabase, on_postgres, startServer } from "../../stage/harness.ts";
import { addAccount, addPerson, addToken, as, made } from "../../stage/people.ts";
import { onOwnServer, testBeside } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

interface Running {
  text: string;
  waits_for: string | null;
}

const inAccount = onOwnServer();
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
    is_embedded: false,
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
  const quick = (await ask("GET", `${PATH}?database=false`)).body;
  assert.deepEqual([quick.database, quick.processes.length], [null, now.processes.length]);
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

  // Statements are measured on either database, in transactions too, without their values.
  const slow =
    `/* ${crypto.randomUUID()} */ select length(md5(string_agg(n::text, ','))) from generate_series(1, 400000) n`;
  await sql.begin((tx) => tx.unsafe(`${slow} where n > $1`, [0]));
  await sql.unsafe(`${slow} where n > $1`, [0]);
  const listed = (await read()).statements.measured.find(({ text }: Running) => text === `${slow} where n > $1`);
  assert.ok(listed && listed.calls === 2 && listed.most_ms >= listed.ms && listed.ms > 0, JSON.stringify(listed));

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

interface Lines {
  event: string;
  data: { lines?: { event: string; request_id: string | null; level: string; process: { pid: number } }[] };
}

const linesOf = (told: Lines[]) => told.flatMap(({ event, data }) => event === "lines" ? data.lines ?? [] : []);

inAccount(
  "operations: the log is followed by request, level and text, by the server's admins only",
  async ({ ask, server }) => {
    const LOG = "/account/operations/log";
    const stranger = await addAccount(server);
    const manager = await addPerson(ask, "manager");
    const limited = await addToken(ask, { scopes: ["account:read"] });
    for (const token of [stranger.token, manager.token, limited]) {
      assert.equal((await as(ask, token)("HEAD", LOG)).status, 403);
    }
    assert.equal((await ask("HEAD", LOG, { token: null })).status, 401);
    assert.equal((await ask("HEAD", LOG)).status, 200);
    for (const query of ["level=loud", "request_id=%20", "other=1", `q=${"x".repeat(201)}`]) {
      assert.equal((await ask("GET", `${LOG}?${query}`)).status, 422, query);
    }

    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const [id, later] = [crypto.randomUUID(), crypto.randomUUID()];
    const secret = `secret-${crypto.randomUUID()}`;
    const named = (request_id: string) =>
      ask("GET", `/account/me.json?q=${secret}`, { headers: { "x-request-id": request_id, "x-other": secret } });
    await named(id);
    await using by_request = await follow(server, `${LOG}?request_id=${id}`, headers);
    await until(() => linesOf(by_request.told).length > 0, "the latest lines are sent");
    assert.deepEqual(by_request.told[0], { id: 1, event: "ready", data: { process: { number: 1, pid: Deno.pid } } });
    await using by_text = await follow(server, `${LOG}?q=${later.toUpperCase()}`, headers);
    await using by_level = await follow(server, `${LOG}?level=error`, headers);
    await using all = await follow(server, LOG, headers);
    await named(later);
    await until(() => linesOf(by_text.told).length > 0, "further lines are sent");
    await until(() => linesOf(all.told).some(({ request_id }) => request_id === later), "without a filter, too");
    assert.deepEqual(linesOf(by_request.told).map(({ event, request_id }) => [event, request_id]), [["request", id]]);
    assert.deepEqual(linesOf(by_text.told).map(({ request_id }) => request_id), [later]);
    assert.ok(linesOf(by_level.told).every(({ level }) => level === "error"));
    assert.ok(!JSON.stringify(all.told).includes(secret), "queries and headers are not logged");
  },
  { of_default: true },
);

testBeside({
  name: "operations: the log of one process shows the lines of the others, also very many and very long ones",
  ignore: !on_postgres,
  async fn() {
    const DATABASE_URL = await createDatabase();
    const here = await startServer({ DATABASE_URL });
    const there = await startServer({ ...beside(here, DATABASE_URL), PROCESS_NUMBER: "2" });
    try {
      const ids = Array.from({ length: 30 }, () => `r-${crypto.randomUUID()}`);
      const called = (request_id: string, path = "/account/me.json") =>
        there.request("GET", path, { headers: { "x-request-id": request_id } });
      await called(ids[0] ?? "");
      await using follower = await follow(here, "/account/operations/log?q=r-", {
        authorization: `Bearer ${ADMIN_TOKEN}`,
      });
      const seen = () => linesOf(follower.told).map(({ request_id }) => request_id);
      await until(() => seen().includes(ids[0] ?? ""), "the latest lines of the other process");
      for (const id of ids.slice(1)) await called(id, `/account/${"ü".repeat(500)}`);
      await until(() => ids.every((id) => seen().includes(id)), "its further lines");
      assert.equal(new Set(seen()).size, seen().length, "none twice");
    } finally {
      await there.close();
      await here.close();
    }
  },
});

inAccount("operations: a question whose run was cancelled is not open", async ({ ask }) => {
  const open = async () => (await ask("GET", PATH)).body.queues.approvals_open;
  const program = [{ type: "approval", question: "Go ahead?", roles: ["admin"] }];
  const { id } = made(
    await ask("POST", "/connect/flows.json", { json: { flow: { name: "Ask", fields: { program } } } }),
  );
  const run = (await ask("POST", `/connect/flows/${id}/run.json`, { json: {} })).body.flow_process_id;
  await until(async () => await open() === 1, "the question is asked");
  await until(async () => (await ask("POST", `/connect/flow_processes/${run}/cancel.json`)).status === 200, "it ends");
  assert.equal(await open(), 0);
}, { of_default: true });
