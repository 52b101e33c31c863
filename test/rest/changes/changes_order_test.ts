/** Live records with many writers: a subscriber that applies the events in order has the content of the table. */
import assert from "node:assert/strict";
import { ADMIN_TOKEN, beside, createDatabase, on_postgres, startServer, type TestServer } from "../../stage/harness.ts";
import { follow, type Told } from "../../stage/followers.ts";
import { as } from "../../stage/people.ts";
import { type Ask, inTurn, onSharedServer, proven, testBeside } from "../../stage/scenario.ts";
import { addDb } from "../../stage/visitors.ts";

const test = onSharedServer();

const SCHEMA = { fields: { title: "string", n: "integer" }, indexes: { idx_int_1: "n" } };
const WRITERS = 8;
const TURNS = 12;

interface Known {
  id: string;
}

/** One writer: creates, updates and deletes its own and shared records, singly and in batches. */
async function write(ask: Ask, code: string, writer: number): Promise<void> {
  const base = `/platform/dbs/${code}/records`;
  const create = (n: number) => ({ action: "create", record: { data: { title: `${writer}`, n } } });
  await inTurn(Array.from({ length: TURNS }, (_, turn) => turn), async (turn) => {
    const { body } = await ask("GET", `${base}.json?per_page=6`);
    const ids = body.map(({ id }: Known) => id);
    const id = ids[(writer + turn) % Math.max(ids.length, 1)];
    const data = { title: `${writer} ${turn}`, n: turn };
    const answers = [
      () => ask("POST", `${base}.json`, { json: { record: { data } } }),
      () => ask("PATCH", `${base}/${id}.json`, { json: { record: { data } } }),
      () =>
        ask("POST", `${base}/batch.json`, {
          json: {
            operations: [
              create(turn),
              ...ids.slice(0, 3).map((id: string) => ({ action: "update", id, record: { data } })),
              create(-turn),
            ],
          },
        }),
      () => ask("DELETE", `${base}/${id}.json`),
    ];
    const { status, body: said } = await (answers[(turn + writer) % answers.length] ?? assert.fail())();
    // Another writer may have deleted the record.
    assert.ok([200, 201, 204, 404, 422].includes(status), `${status} ${JSON.stringify(said)}`);
  });
}

/** The state of a subscriber that applies each event. */
function applied(told: Told[]): Map<string, unknown> {
  const table = new Map<string, unknown>();
  for (const { event, data } of told) {
    if (event === "create") assert.ok(!table.has(data.id), "created twice");
    if (event === "update" || event === "delete") assert.ok(table.has(data.id), `${event} of what is not there`);
    if (event === "delete") table.delete(data.id);
    else if (event !== "ready") table.set(data.id, data);
  }
  return table;
}

/** @param servers the writers use all of them in turn; the subscriber uses the first */
async function proveOrder(servers: TestServer[], token: string): Promise<void> {
  const asks = servers.map((server) => as(proven(server.request), token));
  const [ask] = asks;
  const [server] = servers;
  if (!ask || !server) throw new Error("no server");
  const code = await addDb(ask, { schema: SCHEMA });
  await using follower = await follow(server, `/platform/dbs/${code}/changes`, { authorization: `Bearer ${token}` });
  await Promise.all(Array.from({ length: WRITERS }, (_, i) => write(asks[i % asks.length] ?? ask, code, i)));
  const [last] = await server.sql<{ seq: number }[]>`
    select f.seq from db_feeds f join dbs d on d.id = f.db_id where d.code = ${code} order by f.db_id desc limit 1
  `;
  const [ready] = await follower.tells(1);
  const first = ready?.id ?? 0;
  const told = await follower.tells((last?.seq ?? 0) - first + 1);
  assert.deepEqual(told.map(({ id }) => id), told.map((_, i) => first + i), "no event is missing or out of order");
  const { body } = await ask("GET", `/platform/dbs/${code}/records.json?per_page=500`);
  const byId = (records: Known[]) => records.toSorted((a, b) => a.id < b.id ? -1 : 1);
  assert.deepEqual(byId([...applied(told).values()] as Known[]), byId(body));
  assert.ok(told.length > WRITERS * TURNS / 2, "they did write");
}

test("changes: applied in their order they are the table, whoever writes at once", async ({ server, admin }) => {
  await proveOrder([server], admin.token);
});

testBeside({
  name: "changes: the same over two servers on one database",
  ignore: !on_postgres,
  async fn() {
    const DATABASE_URL = await createDatabase();
    const first = await startServer({ DATABASE_URL });
    const servers = [first, await startServer(beside(first, DATABASE_URL))];
    await proveOrder(servers, ADMIN_TOKEN);
    await Promise.all(servers.map((server) => server.close()));
  },
});

test("changes: a follower that comes while others write has everything behind its beginning", async ({ server, admin, ask }) => {
  const code = await addDb(ask, { schema: SCHEMA });
  const path = `/platform/dbs/${code}/changes`;
  const headers = { authorization: `Bearer ${admin.token}` };
  await using first = await follow(server, path, headers);
  const [followers] = await Promise.all([
    Promise.all(Array.from({ length: 5 }, () => follow(server, path, headers))),
    ...[0, 1, 2, 3].map((writer) => write(ask, code, writer)),
  ]);
  const [last] = await server.sql<{ seq: number }[]>`
    select f.seq from db_feeds f join dbs d on d.id = f.db_id where d.code = ${code} order by f.db_id desc limit 1
  `;
  await inTurn([first, ...followers], async (follower) => {
    const begin = (await follower.tells(1))[0]?.id ?? 0;
    const told = await follower.tells((last?.seq ?? 0) - begin + 1);
    assert.deepEqual(told.map(({ id }) => id), told.map((_, i) => begin + i));
    assert.deepEqual(told.slice(1), first.told.slice(first.told.length - told.length + 1), "the same for all");
    if (follower !== first) await follower[Symbol.asyncDispose]();
  });
});
