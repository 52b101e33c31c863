/** The embedded database as postgres.js sees it. Turns: embedded_turns_test.ts. Crashes: embedded_folder_test.ts. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import postgres from "postgres";
import { openEmbedded } from "../../../db/embedded/embedded.ts";
import { query, SYNC } from "../../../db/embedded/wire/wire.ts";
import { errorOf } from "../../../db/embedded/wire/wire_backend.ts";
import { until } from "../../stage/until.ts";
import { bareClient, code, pool, step, test, types } from "./embedded_stage.ts";

test("values of every kind come back as they went", async (sql) => {
  // The driver learns array types with its first statement.
  await sql`select 1`;
  const bytes = crypto.getRandomValues(new Uint8Array(300));
  const at = new Date("2026-11-21T08:30:00.123Z");
  const value = { a: [1, null, "ż\u{1f600}"], b: { c: true } };
  const [row] = await sql`
    select
      ${sql.json(value)}::jsonb as json, ${sql.array(["a", 'b"c', "d,e"])} as texts, ${
    sql.array([1, 2, 3], 1007)
  } as ints,
      ${bytes}::bytea as bytes, ${at}::timestamptz as at, ${null}::text as nothing, ${"it's \\ ż"} as text,
      ${true}::boolean as yes, 9007199254740993 as big, ${[1, 2]}::int[] as more
  `;
  assert.deepEqual({ ...row, bytes: new Uint8Array(row?.bytes) }, {
    json: value,
    texts: ["a", 'b"c', "d,e"],
    ints: [1, 2, 3],
    bytes,
    at,
    nothing: null,
    text: "it's \\ ż",
    yes: true,
    big: "9007199254740993",
    more: [1, 2],
  });
});

test(
  "fifty queries at once, and pipelined ones on a single connection, get each its own answer",
  async (sql, embedded) => {
    const numbers = Array.from({ length: 50 }, (_, i) => i);
    const answers = await Promise.all(numbers.map((n) => sql`select ${n}::int as n, ${String(n)} as text`));
    assert.deepEqual(answers.map(([row]) => row), numbers.map((n) => ({ n, text: String(n) })));
    const single = pool(embedded, { max: 1 });
    const piped = await Promise.all(
      numbers.map((n) =>
        n % 7 ? single`select ${n}::int as n` : single`select 1 / ${n - n}::int`
          .catch(code("22012")).then(() => [{ n }])
      ),
    );
    assert.deepEqual(
      piped.map(([row]) => row?.n),
      numbers,
    );
    await single.end();
  },
);

test("10 MB go in and come out, alone and beside small statements", async (sql) => {
  const bytes = Buffer.alloc(10 * 1024 * 1024, "0123456789abcdef-");
  await sql`create table files (id int primary key, content bytea)`;
  const [, [row], ...small] = await Promise.all([
    sql`insert into files values (1, ${bytes})`,
    sql`select ${bytes}::bytea as content`,
    ...Array.from({ length: 10 }, (_, n) => sql`select ${n}::int as n`),
  ]);
  assert.ok(bytes.equals(row?.content));
  assert.deepEqual(small.map(([row]) => row?.n), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const [stored] = await sql`select content from files`;
  assert.ok(bytes.equals(stored?.content));
  assert.equal((await sql`select g, repeat('x', 100) from generate_series(1, 100000) g`).length, 100_000);
});

test("several statements in one text: each answers, and an error undoes all", async (sql) => {
  const text = "create table a (n int); insert into a values (1), (2); select n from a order by n; select 'b' as b";
  const results = await sql.unsafe<Iterable<postgres.Row>[]>(text);
  assert.deepEqual(results.map((rows) => [...rows]), [[], [{ n: 1 }, { n: 2 }], [{ b: "b" }]]);
  assert.deepEqual([...await sql`select count(*)::int as n from a`.simple()], [{ n: 2 }]);
  await assert.rejects(sql.unsafe("insert into a values (3); select nothing; insert into a values (4)"), code("42703"));
  assert.deepEqual([...await sql`select max(n) as n from a`], [{ n: 2 }]);
});

test("an error names its code, detail and constraint, and the connection goes on", async (_sql, embedded) => {
  const sql = pool(embedded, { max: 1 });
  await sql`create table a (n int constraint a_n_key unique)`;
  await sql`insert into a values (1)`;
  await assert.rejects(sql`insert into a values (1)`, { code: "23505", constraint_name: "a_n_key", table_name: "a" });
  await assert.rejects(sql`selec 1`, code("42601"));
  await assert.rejects(sql`select ${"x"}::text as x, nothing`, code("42703"));
  await assert.rejects(sql`select ${"x"}::int as x`, code("22P02"));
  // Without this limit, the backend would end here.
  await sql`create function f(n int) returns int language plpgsql as 'begin return f(n + 1); end'`;
  await assert.rejects(sql`select f(1)`, code("54001"));
  assert.deepEqual([...await sql`select n from a`], [{ n: 1 }]);
  await sql.end();
});

test("transactions: all or nothing, one after the other, with savepoints", async (sql) => {
  await sql`create table a (n int)`;
  await sql`insert into a values (0)`;
  await Promise.all(Array.from({ length: 20 }, () =>
    sql.begin(async (sql) => {
      const [row] = await sql`select n from a`;
      await sql`update a set n = ${row?.n + 1}`;
    })));
  assert.deepEqual([...await sql`select n from a`], [{ n: 20 }]);

  await assert.rejects(
    sql.begin(async (sql) => {
      await sql`update a set n = 0`;
      throw new RangeError("changed my mind");
    }),
    RangeError,
  );
  await assert.rejects(sql.begin((sql) => [sql`update a set n = 0`, sql`select 1 / 0`]), code("22012"));
  await sql.begin(async (sql) => {
    await sql`update a set n = n + 1`;
    await sql.savepoint((sql) => sql`select 1 / 0`).catch(code("22012"));
    await sql.savepoint((sql) => sql`update a set n = n + 1`);
  });
  assert.deepEqual([...await sql`select n from a`], [{ n: 22 }]);
});

test("cursors: to the end, left early, and beside other statements", async (sql) => {
  const seen: number[] = [];
  for await (const rows of sql`select g from generate_series(1, 25) g`.cursor(10)) seen.push(rows.length);
  assert.deepEqual(seen, [10, 10, 5]);
  const one = sql`select 1 as n`;
  for await (const [row] of sql`select g from generate_series(1, 1000) g`.cursor()) {
    assert.equal(row?.g, 1);
    one.execute();
    break;
  }
  assert.deepEqual([...await one], [{ n: 1 }]);
  let sum = 0;
  await sql`select g from generate_series(1, 100) g where g > ${50}::int`.cursor(7, (rows) => {
    for (const { g } of rows) sum += g;
  });
  assert.equal(sum, 3775);
});

test("NOTIFY reaches whoever listens, from any connection and at commit only", async (sql, embedded) => {
  const heard: string[] = [];
  const other = pool(embedded, { max: 1 });
  const listening = await sql.listen("news", (text) => heard.push(`one ${text}`));
  const second = await other.listen("news", (text) => heard.push(`two ${text}`));
  const third = await other.listen('odd "name"', (text) => heard.push(`odd ${text}`));
  await sql.notify("news", "a");
  await until(() => heard.length === 2, "two hear the first message");
  await sql.begin(async (sql) => {
    await sql`select pg_notify('news', 'b')`;
    await assert.rejects(
      sql.savepoint(async (sql) => {
        await sql`select pg_notify('news', 'never')`;
        throw new RangeError();
      }),
      RangeError,
    );
    assert.equal(heard.length, 2);
  });
  await until(() => heard.length === 4, "two hear the second message");
  // Ends LISTEN for the whole backend. The other pool must not notice.
  await listening.unlisten();
  await other.notify("news", "c");
  await other.notify('odd "name"', "d");
  await until(() => heard.length === 6, "two hear the last messages");
  await second.unlisten();
  await third.unlisten();
  await sql.notify("news", "nobody");
  await other.end();
  await sql`select 1`;
  assert.deepEqual(heard.toSorted(), ["one a", "one b", "odd d", "two a", "two b", "two c"].toSorted());
});

test(
  "a client that notifies itself hears itself, and one that does not listen hears nothing",
  async (_sql, embedded) => {
    const [one, two] = await Promise.all([bareClient(embedded), bareClient(embedded)]);
    assert.equal(types(await one.ask(query("listen news"))), "CZ");
    const heard: Buffer[] = [];
    one.socket.on("data", (bytes) => heard.push(bytes));
    assert.equal(types(await two.ask(query("notify news, 'a'"))), "CZ");
    one.socket.write(query("notify news, 'b'"));
    await until(() => types(Buffer.concat(heard)) === "ACZA", "it hears both messages");
    one.socket.destroy();
    assert.equal(types(await two.ask(query("select pg_listening_channels()"))), "TCZ");
    two.socket.destroy();
  },
);

test(
  "prepared statements go with their connection, and a name that is taken stays its owner's",
  async (sql, embedded) => {
    const other = pool(embedded);
    await Promise.all([1, 2, 3, 4].map((n) => other`select ${n}::int as n`));
    const [one, two] = await Promise.all([bareClient(embedded), bareClient(embedded)]);
    await one.ask(step("mine", "select 1"), SYNC);
    assert.match(errorOf(await two.ask(step("mine", "select 2"), SYNC)) ?? "", /already exists/);
    two.socket.destroy();
    await other.end();
    const names = await sql.unsafe("select name from pg_prepared_statements where statement !~ 'pg_type'");
    assert.deepEqual([...names], [{ name: "mine" }]);
    one.socket.destroy();
  },
);

test("each pool has the settings of its own startup", async (sql, embedded) => {
  const warsaw = pool(embedded, {
    connection: { TimeZone: "Europe/Warsaw", application_name: "it's", statement_timeout: 1 },
  });
  const zone = (sql: postgres.Sql) =>
    sql`
    select current_setting('TimeZone') as zone, current_setting('application_name') as name, current_setting('statement_timeout') as t
  `;
  for (let i = 0; i < 3; i++) {
    assert.deepEqual([...await zone(warsaw)], [{ zone: "Europe/Warsaw", name: "it's", t: "0" }]);
    assert.deepEqual([...await zone(sql)], [{ zone: "UTC", name: "postgres.js", t: "0" }]);
  }
  assert.equal(warsaw.parameters.TimeZone, "Europe/Warsaw");
  const wrong = pool(embedded, { max: 1, connection: { application_name: "x", search_paths: "y" } });
  await assert.rejects(async () => await wrong`select 1`, code("22023"));
  await wrong.end({ timeout: 0 });
  await warsaw.end();
});

test("COPY FROM STDIN is refused in plain words, COPY TO STDOUT works", async (sql) => {
  await sql`create table a (n int, text text)`;
  const refused = (error: Error) => /embedded database/.test(error.message) && code("0A000")(error);
  await assert.rejects(async () => await sql`copy a from stdin`.writable(), refused);
  await assert.rejects(sql.unsafe("insert into a values (1); copy a from stdin"), refused);
  await assert.rejects(sql.begin((sql) => sql`copy a from stdin`), refused);
  await sql`insert into a values (1, 'copy a from stdin'), (2, ${"stdin"})`;
  let text = "";
  for await (const chunk of await sql`copy a to stdout`.readable()) text += chunk;
  assert.equal(text, "1\tcopy a from stdin\n2\tstdin\n");
});

test("a pool that ends leaves the database to the next", async (sql, embedded) => {
  await sql`create table a (n int)`;
  await sql.listen("news", () => {});
  await sql.end();
  const next = pool(embedded);
  assert.deepEqual([...await next`select count(*)::int as n from a`], [{ n: 0 }]);
  await next.end();
});

test("close ends what is still open, and nothing connects afterwards", async (sql, embedded) => {
  await sql`create table a (n int)`;
  const lost = sql.begin(async (inner) => {
    await inner`insert into a values (1)`;
    await embedded.close();
    await inner`insert into a values (2)`;
  });
  await assert.rejects(lost, { code: "CONNECTION_CLOSED" });
  await assert.rejects(async () => await sql`select 1`, /the embedded database is closed/);
});

test("a dump begins where the database stood", async (sql, embedded) => {
  await sql`create table a (n int)`;
  await sql`insert into a values (1)`;
  const copy = await openEmbedded({ folder: null, load: await embedded.dump() });
  await sql`insert into a values (2)`;
  const other = pool(copy);
  assert.deepEqual([...await other`select n from a`], [{ n: 1 }]);
  await other.end();
  await copy.close();
});
