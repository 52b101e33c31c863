/** Health of connectors: which calls count, how processes write them together, who reads them. */
import assert from "node:assert/strict";
import { createCallCounter } from "../../../server/connectors/health/call_counter.ts";
import { ConnectorFault } from "../../../server/connectors/connectors.ts";
import { createLog } from "../../../server/log.ts";
import { serveApi } from "../../stage/egress/outside.ts";
import { startServer } from "../../stage/harness.ts";
import { addAccount, addPerson, as, EVERYTHING, made } from "../../stage/people.ts";
import { inTurn, proven, testBeside } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const SECRET = "sk_live_canary_1";
const HEALTH = "/connect/connectors/health.json";
const at = (id: number) => `/connect/connectors/${id}/health.json`;
const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);

testBeside({
  name: "connector health: calls, failures and durations by hour, over all processes",
  async fn() {
    const held = Promise.withResolvers<void>();
    await using api = serveApi(async ({ url }) => {
      const { pathname } = new URL(url);
      if (pathname === "/hold") await held.promise;
      if (pathname === "/down") return Response.json({ said: SECRET }, { status: 503 });
      if (pathname === "/graph") return Response.json({ errors: [{ message: `no ${SECRET}\0` }] });
    });
    const server = await startServer({ EGRESS_ALLOW: `127.0.0.1:${api.port}` });
    try {
      const { sql } = server;
      const ask = proven(server.request);
      const method = (path: string, more = {}) => ({ method: "POST", path, ...more });
      const methods = {
        good: method("/good/{n}"),
        down: method("/down"),
        hold: method("/hold"),
        graph: method("/graph", { body_type: "graphql", body: { query: "{ a }" } }),
      };
      const add = async (name: string) => {
        const connector = { name, url: api.url, secret_token: SECRET, fields: { auth: { type: "bearer" }, methods } };
        return made(await ask("POST", "/connect/connectors.json", { json: { connector } })).id;
      };
      const id = await add("Outside");
      const idle = await add("Idle");
      const test = async (method: string, more = {}) =>
        await ask("POST", `/connect/connectors/${id}/test.json`, { json: { method, ...more } });
      for (const n of [1, 2, 3]) assert.equal((await test("good", { params: { n } })).body.ok, true);
      assert.equal((await test("good")).status, 422, "a call that is not sent");
      assert.equal((await test("none")).status, 422, "a method that is not there");
      assert.equal((await test("down")).body.status, 503);
      assert.equal((await test("graph")).body.error.kind, "status");
      const controller = new AbortController();
      const cancelled = server.connectors.call({
        account_id: 1,
        reach: EVERYTHING,
        connector_code: "outside",
        method: "hold",
        params: {},
        public_only: false,
        idempotency_key: undefined,
        timeout_ms: 60_000,
        signal: controller.signal,
      });
      await until(() => api.seen.some(({ path }) => path === "/hold"), "the call is on its way");
      controller.abort();
      await assert.rejects(cancelled, (error) => error instanceof ConnectorFault && error.kind === "cancelled");
      held.resolve();

      // A call is written by itself, without a sweep.
      const read = async (path = at(id)) => (await ask("GET", path)).body;
      await until(async () => (await read()).total.calls === 5, "the counts are written");
      const health = await read();
      assert.deepEqual([health.connector_id, health.calls.length, health.failures.length, health.ms.length], [
        id,
        24,
        24,
        24,
      ]);
      assert.deepEqual([sum(health.calls), sum(health.failures), health.total.failures], [5, 2, 2]);
      assert.ok(health.total.ms >= 0 && health.total.most_ms >= health.total.ms);
      assert.deepEqual([health.last_failure.method, health.last_failure.kind], ["graph", "status"]);
      assert.match(health.last_failure.message, /^outside answered with a GraphQL error: no \[redacted\]$/);

      // Two processes, the older failure written last, and one process that could not write at first.
      const log = createLog(() => {});
      const now = Date.now();
      const other = createCallCounter(sql, log, () => now);
      const older = createCallCounter(sql, log, () => now - 7_200_000);
      other.count(id, 1_000.4, { method: "down", kind: "timeout", message: "newest" });
      older.count(id, 10, { method: "down", kind: "network", message: "older" });
      older.count(id, 30, undefined);
      await sql`alter table connector_calls rename to away`;
      await other.flush();
      await sql`alter table away rename to connector_calls`;
      await Promise.all([other.close(), older.close()]);
      const both = await read(`${at(id)}?hours=336`);
      assert.deepEqual([both.calls.length, both.total.calls, both.total.failures, both.total.most_ms >= 1_000], [
        336,
        8,
        4,
        true,
      ]);
      assert.equal(both.last_failure.message, "newest");
      assert.ok(both.ms.includes(20), "the average of an hour");

      // Those that are hidden or missing are left out.
      const list = await read(`${HEALTH}?ids=${idle},${id},${id},999999&hours=1`);
      assert.deepEqual(list.map((one: { connector_id: number }) => one.connector_id), [id, idle]);
      assert.deepEqual([list[1].total, list[1].last_failure, list[1].ms], [
        { calls: 0, failures: 0, ms: null, most_ms: null },
        null,
        [null],
      ]);
      assert.deepEqual([await read(HEALTH), await read(`${HEALTH}?ids=`)], [[], []]);
      const stranger = await addAccount(server);
      const theirs = as(ask, stranger.token);
      assert.deepEqual((await theirs("GET", `${HEALTH}?ids=${id}`)).body, []);
      assert.equal((await theirs("GET", at(id))).status, 404);
      assert.equal((await as(ask, (await addPerson(ask, "guest")).token)("GET", at(id))).status, 403);
      await inTurn(
        [
          "?ids=x",
          "?ids=1,",
          "?ids=1.5",
          "?hours=0",
          "?hours=337",
          `?ids=${Array.from({ length: 201 }, (_, n) => n + 1)}`,
        ],
        async (query) => assert.equal((await ask("GET", HEALTH + query)).status, 400, query),
      );

      // What is older than two weeks is swept, and what belongs to a deleted connector is left out.
      await sql`
        insert into connector_calls (connector_id, hour, account_id, calls, failures, total_ms, most_ms)
        select ${id}, date_trunc('hour', now()) - interval '15 days', 1, 1, 0, 1, 1
      `;
      const gone = createCallCounter(sql, log);
      gone.count(idle, 1, undefined);
      assert.equal((await ask("DELETE", `/connect/connectors/${idle}.json`)).status, 204);
      await gone.close();
      await server.sweep();
      const [{ rows } = { rows: 0 }] = await sql<{ rows: number }[]>`select count(*)::int as rows from connector_calls`;
      assert.ok(rows >= 2 && rows <= 4, `${rows} rows`);
      assert.ok(!server.logged.some((line) => line.includes("calls_not_written") || line.includes(SECRET)));
    } finally {
      held.resolve();
      await server.close();
    }
  },
});
