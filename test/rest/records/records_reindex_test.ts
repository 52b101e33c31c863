/** Schema changes that take long, and several processes on one database. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { beside, createDatabase, on_postgres, startServer } from "../../stage/harness.ts";
import { addDb, dbAt, type Listed, type TestDb } from "../../stage/db.ts";
import { type Ask, inTurn, onSharedServer, proven, testBeside } from "../../stage/scenario.ts";
import { until } from "../../stage/until.ts";

const inAccount = onSharedServer();

const FIELDS = { n: "integer", s: "string" };
/** More records than one page of a reindex. */
const RECORDS = 2_300;

/** @returns the ids, oldest first */
async function fill(ask: Ask, db: TestDb, count = RECORDS): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1_000) {
    const operations = Array.from({ length: Math.min(1_000, count - at) }, (_, i) => ({
      action: "create",
      record: { data: { n: at + i, s: `s${(at + i) % 10}` } },
    }));
    const { status, body } = await ask("POST", db.records().replace(".json", "/batch.json"), { json: { operations } });
    assert.equal(status, 200);
    ids.push(...body.map(({ id }: Listed) => id));
  }
  return ids;
}

const numbers = (body: { n: number }[]) => body.map(({ n }) => n);

inAccount("reindex: every record of a large table is gone over, and stays in its place", async ({ ask }) => {
  const db = await addDb(ask, { fields: FIELDS });
  await fill(ask, db);
  const changed = await db.change({
    schema: { fields: { ...FIELDS, s: "text" }, indexes: { idx_int_1: "n", idx_str_1: "s" } },
  });
  assert.deepEqual([changed.status, changed.body.reindexing], [200, null]);
  const newest = await ask("GET", db.search({ "filter[s]": "s3", per_page: "3", count: "true" }));
  assert.deepEqual([numbers(newest.body), newest.headers.get("x-total-count")], [
    [2293, 2283, 2273],
    `${RECORDS / 10}`,
  ]);
  assert.deepEqual(numbers((await ask("GET", db.search({ "filter[n][gte]": "2297", sort: "n" }))).body), [
    2297,
    2298,
    2299,
  ]);
  assert.deepEqual(numbers((await ask("GET", db.search({ sort: "-n", per_page: "2" }))).body), [2299, 2298]);
  const refused = await db.change({ schema: { fields: { n: "integer", s: "boolean" } } });
  assert.match(
    String(refused.body["schema.fields.s"]),
    new RegExp(`^does not fit ${RECORDS} records, because a value [^:]*: `),
  );
  assert.equal((await ask("GET", db.search({ "filter[s]": "s3", count: "true" }))).headers.get("x-total-count"), "230");
});

/** Locks the row of a record on another connection: a schema change waits there. */
async function holding(url: string, id: string, work: () => Promise<void>): Promise<void> {
  const other = postgres(url, { max: 1 });
  try {
    await other.begin(async (sql) => {
      await sql`select from records where id = ${id} for update`;
      await work();
    });
  } finally {
    await other.end();
  }
}

testBeside({
  name: "reindex: meanwhile records are read as before and its progress is shown, while writes are 503, then taken",
  ignore: !on_postgres,
  async fn(t) {
    const DATABASE_URL = await createDatabase();
    const server = await startServer({ DATABASE_URL });
    const ask = proven(server.request);
    const db = await addDb(ask, { fields: FIELDS, indexes: { idx_str_1: "s" } });
    const ids = await fill(ask, db);
    const schema = { fields: { ...FIELDS, more: "date" }, indexes: { idx_int_1: "n" } };
    const write = () => ask("POST", db.records(), { json: { record: { data: { n: 5_000 } } } });
    const changing = { done: false };
    let change: ReturnType<Ask> | undefined;
    await holding(DATABASE_URL, ids.at(-1) ?? "", async () => {
      change = db.change({ schema }).finally(() => changing.done = true);
      await until(async () => (await ask("GET", dbAt(db.code))).body.reindexing?.done > 0, "progress is shown");
      await t.step("the database's answer has its progress and the schema in force", async () => {
        const { body } = await ask("GET", dbAt(db.code));
        const { done, total } = body.reindexing;
        assert.ok(done > 0 && done < RECORDS, `${done}`);
        assert.equal(total, RECORDS);
        assert.deepEqual([body.schema.fields, body.lock_version], [FIELDS, 0]);
      });
      await t.step("reads go on with the old schema", async () => {
        const { body, headers } = await ask("GET", db.search({ "filter[s]": "s1", per_page: "2", count: "true" }));
        assert.deepEqual([numbers(body), Object.keys(body[0]).includes("more")], [[2291, 2281], false]);
        assert.equal(headers.get("x-total-count"), "230");
        assert.equal((await ask("GET", db.record(ids[0] ?? ""))).status, 200);
        assert.deepEqual(numbers((await ask("GET", db.search({ sort: "n", per_page: "2" }))).body), [0, 1]);
      });
      await t.step("each write is 503 with Retry-After", async () => {
        const json = { record: { data: { n: 1 } } };
        const answers = await Promise.all([
          write(),
          ask("PATCH", db.record(ids[0] ?? ""), { json }),
          ask("DELETE", db.record(ids[0] ?? "")),
        ]);
        for (const { status, headers } of answers) {
          assert.deepEqual([status, headers.get("retry-after")], [503, "5"]);
        }
      });
      await t.step("other databases accept writes", async () => {
        const other = await addDb(ask, { fields: FIELDS });
        await other.create({ n: 1 });
      });
      assert.equal(changing.done, false);
    });
    const changed = await change;
    assert.deepEqual([changed?.status, changed?.body.reindexing, changed?.body.schema], [200, null, schema]);
    assert.equal((await write()).status, 201);
    assert.deepEqual(numbers((await ask("GET", db.search({ "filter[n][gt]": "2298", sort: "n" }))).body), [2299, 5000]);
    await server.close();
  },
});

testBeside({
  name: "reindex: other processes write by the new schema at once, despite their caches",
  ignore: !on_postgres,
  async fn() {
    const DATABASE_URL = await createDatabase();
    const one = await startServer({ DATABASE_URL });
    const two = await startServer(beside(one, DATABASE_URL));
    const [ask, other] = [proven(one.request), proven(two.request)];
    const db = await addDb(ask, { fields: FIELDS });
    const write = (data: Record<string, unknown>) => other("POST", db.records(), { json: { record: { data } } });
    await inTurn(Array.from({ length: 6 }, (_, i) => i), async (i) => {
      assert.equal((await write({ n: i })).status, 201, "it knows the database now");
      const fields = i % 2 ? FIELDS : { ...FIELDS, extra: "string" };
      assert.equal((await db.change({ schema: { fields, indexes: { [`idx_int_${i % 2 + 1}`]: "n" } } })).status, 200);
      const { status, body } = await write({ n: i, extra: "x" });
      assert.deepEqual(
        [status, body.data?.extra ?? body],
        i % 2 ? [422, { extra: ["is not a field of this table"] }] : [201, "x"],
      );
      const found = await other("GET", db.records({ "filter[n]": `${i}` }));
      assert.equal(found.body.length, i % 2 ? 1 : 2);
    });
    assert.equal((await ask("DELETE", dbAt(db.code))).status, 204);
    assert.equal((await write({ n: 1 })).status, 404);
    assert.equal((await other("GET", db.records())).status, 404);
    await Promise.all([one.close(), two.close()]);
  },
});

inAccount("reindex: a change of the schema comes through while records are written without pause", async ({ ask }) => {
  const db = await addDb(ask, { fields: FIELDS });
  const writing = { go: true, acknowledged: 0 };
  const writers = Array.from({ length: 8 }, async (_, w) => {
    for (let i = 0; writing.go; i++) {
      const { status } = await ask("POST", db.records(), { json: { record: { data: { n: i, s: `${w}` } } } });
      assert.ok(status === 201 || status === 503, `${status}`);
      if (status === 201) writing.acknowledged++;
    }
  });
  try {
    await inTurn([{ idx_int_1: "n" }, { idx_str_1: "s" }, { idx_int_2: "n", idx_str_2: "s" }], async (indexes) => {
      assert.equal((await db.change({ schema: { fields: FIELDS, indexes } })).status, 200);
    });
  } finally {
    writing.go = false;
    await Promise.all(writers);
  }
  const { headers } = await ask("GET", db.records({ count: "true", "filter[s][gte]": "0" }));
  assert.equal(
    headers.get("x-total-count"),
    `${writing.acknowledged}`,
    "what was acknowledged stands in the new index",
  );
});
