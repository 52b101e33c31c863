/** The embedded database as postgres.js and a bare socket see it. Folders and crashes: embedded_folder_test.ts. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import postgres from "postgres";
import { type Embedded, openEmbedded } from "../../../db/embedded/embedded.ts";
import { message, messagesOf, query, SYNC } from "../../../db/embedded/wire/wire.ts";
import { errorOf } from "../../../db/embedded/wire/wire_backend.ts";
import { GREETING_MS } from "../../../db/embedded/turns.ts";
import { surviveLostConnections } from "../../../server/database/connection_loss.ts";
import { createLog } from "../../../server/log.ts";
import { until } from "../../stage/until.ts";

// The driver may write to a connection just after it closed. No caller can catch that error, so it is caught here, as in
// the server.
surviveLostConnections(createLog(() => {}));

/** An empty database, created once. Loading it is five times faster than creating it. */
const EMPTY = await (async () => {
  const embedded = await openEmbedded({ folder: null });
  const dump = await embedded.dump();
  await embedded.close();
  return dump;
})();

function pool(embedded: Embedded, more: postgres.Options<Record<never, never>> = {}) {
  // The driver's types lack its `socket` option.
  const options = { socket: embedded.socket, max: 4, onnotice: () => {}, ...more };
  return postgres(options);
}

/** A test with an empty database in memory and a pool of four connections. Neither may leak. */
function test(name: string, work: (sql: postgres.Sql, embedded: Embedded) => Promise<void>, lock_wait_ms?: number) {
  Deno.test({
    name,
    sanitizeOps: true,
    sanitizeResources: true,
    sanitizeExit: true,
    async fn() {
      const embedded = await openEmbedded({ folder: null, load: EMPTY, lock_wait_ms });
      const sql = pool(embedded);
      try {
        await work(sql, embedded);
      } finally {
        await sql.end({ timeout: 1 });
        await embedded.close();
      }
    },
  });
}

const code = (expected: string) => (error: unknown) =>
  error instanceof postgres.PostgresError && error.code === expected ||
  assert.fail(`${expected} expected, but: ${error}`);

const STARTUP = message("-", Buffer.from([0, 3, 0, 0]), "user\0me\0\0").subarray(1);
const step = (name: string, sql: string) =>
  Buffer.concat([
    message("P", `${name}\0${sql}\0`, Buffer.alloc(2)),
    message("B", `\0${name}\0`, Buffer.alloc(6)),
    message("E", "\0", Buffer.alloc(4)),
  ]);

/** A client without a driver, after its startup. */
async function bareClient(embedded: Embedded) {
  const socket = embedded.socket();
  const ask = async (...messages: Buffer[]): Promise<Buffer> => {
    socket.write(Buffer.concat(messages));
    const [answer] = await once(socket, "data");
    return answer;
  };
  return { socket, ask, welcome: await ask(STARTUP) };
}

const types = (bytes: Buffer) => [...messagesOf(bytes)].map(([type = 0]) => String.fromCharCode(type)).join("");

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

test("a statement outside of the transaction that awaits it fails in time, and all goes on", async (sql) => {
  await sql`create table a (n int)`;
  const started = performance.now();
  await assert.rejects(
    sql.begin(async (inner) => {
      await inner`insert into a values (1)`;
      await Promise.all([sql`select count(*) from a`, sql`select ${1}::int`]);
    }),
    (error: postgres.PostgresError) => /idle transaction/.test(error.message) && code("55P03")(error),
  );
  assert.ok(performance.now() - started >= 300);
  assert.deepEqual([...await sql`select count(*)::int as n from a`], [{ n: 0 }]);
  await sql.begin(async (inner) => {
    await inner`insert into a values (1)`;
    await assert.rejects(async () => await sql`select ${1}::int`, code("55P03"));
    // A transaction that stays idle would be rolled back.
    await inner`select 1`;
    await assert.rejects(sql.unsafe("select 1"), code("55P03"));
  });
  assert.deepEqual([...await sql`select n from a where n = ${1}`], [{ n: 1 }]);
}, 300);

test("a transaction that does nothing while others wait is undone, and its connection ended", async (sql, embedded) => {
  await sql`create table a (n int)`;
  const { socket, ask } = await bareClient(embedded);
  await ask(query("begin; insert into a values (1)"));
  const ended = once(socket, "error");
  await assert.rejects(async () => await sql`select 1`, code("55P03"));
  assert.deepEqual([...await sql`select n from a`], []);
  assert.match(String(await ended), /did nothing for 400 ms/);
}, 200);

test(
  "a client that was just let in comes first, and if it says nothing, it does not keep the others",
  async (sql, embedded) => {
    await sql`select 1`;
    // An attempt during which the process stood still for longer than a client may stay silent proves nothing.
    for (let stood_still = true; stood_still;) {
      const first = await bareClient(embedded);
      const began = performance.now();
      const order: string[] = [];
      // Noted as the answers come, because the two promises resolve after different numbers of microtasks.
      const other = sql`select 1`.forEach(() => order.push("other"));
      // The driver has sent the statement after one turn of the event loop.
      await new Promise((resolve) => setTimeout(resolve));
      first.socket.on("data", () => order.push("first"));
      await Promise.all([other, first.ask(query("select 2"))]);
      first.socket.destroy();
      stood_still = performance.now() - began > GREETING_MS / 2;
      if (!stood_still) assert.deepEqual(order, ["first", "other"]);
    }
    const silent = await bareClient(embedded);
    assert.deepEqual([...await sql`select 3 as n`], [{ n: 3 }]);
    silent.socket.destroy();
  },
);

test("a statement waits for a transaction that is at work, however long", async (sql) => {
  let isDone = false;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const [, [row]] = await Promise.all([
    sql.begin(async (sql) => {
      for (let i = 0; i < 10; i++) {
        await sql`select pg_sleep(0.05)`;
        begin();
      }
      isDone = true;
    }),
    begun.then(() => sql`select 1 as n`),
  ]);
  assert.ok(isDone);
  assert.equal(row?.n, 1);
}, 200);

test("a connection that ends inside of a transaction has it undone, and nobody waits for it", async (sql, embedded) => {
  await sql`create table a (n int)`;
  const other = pool(embedded);
  const lost = other.begin(async (sql) => {
    await sql`insert into a values (1)`;
    await other.end({ timeout: 0 });
    await sql`insert into a values (2)`;
  });
  await assert.rejects(lost, /CONNECTION_(CLOSED|DESTROYED)/);
  assert.deepEqual([...await sql`select count(*)::int as n from a`], [{ n: 0 }]);

  const begun = await bareClient(embedded);
  await begun.ask(query("begin; insert into a values (3)"));
  begun.socket.destroy();
  const failed = await bareClient(embedded);
  await failed.ask(query("begin"));
  await failed.ask(step("", "insert into nothing values (4)"), message("H"));
  failed.socket.destroy();
  const flushed = await bareClient(embedded);
  assert.equal(types(await flushed.ask(step("", "insert into a values (5)"), message("H"))), "12C");
  const waiting = sql`select count(*)::int as n from a`.execute();
  flushed.socket.end(message("X"));
  assert.deepEqual([...await waiting], [{ n: 0 }]);
});

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

test("a statement that waits can be canceled, with its key only", async (sql, embedded) => {
  const holder = await bareClient(embedded);
  const waiter = await bareClient(embedded);
  await holder.ask(query("begin"));
  const key = waiter.welcome.subarray(waiter.welcome.length - 14, waiter.welcome.length - 6);
  const cancel = async (key: Buffer) => {
    const socket = embedded.socket();
    socket.resume().write(message("-", Buffer.from([4, 210, 22, 46]), key).subarray(1));
    await until(() => socket.closed, "the connection is closed");
  };
  const answer = waiter.ask(step("", "select 1"), message("H"));
  const wrong = Buffer.from(key);
  wrong[7] = 255 - (key[7] ?? 0);
  await cancel(wrong);
  await cancel(key);
  assert.match(errorOf(await answer) ?? "", /canceling/);
  assert.equal(types(await waiter.ask(query("select 1"), SYNC)), "Z");
  await holder.ask(query("commit"));
  assert.equal(types(await waiter.ask(query("select 1"))), "TDCZ");

  const running = sql`select pg_sleep(0.05), 1 as n`;
  running.execute();
  running.cancel();
  assert.equal((await running.catch((error) => [{ n: error.code === "57014" ? 1 : 0 }]))[0]?.n, 1);
  for (const { socket } of [holder, waiter]) socket.destroy();
});

test("what is no protocol ends its own connection only; encryption is declined", async (sql, embedded) => {
  const { socket, ask } = await bareClient(embedded);
  assert.match(errorOf(await ask(message("y", "zz"))) ?? "", /no client message/);
  await until(() => socket.closed, "the connection is closed");
  const plain = embedded.socket();
  plain.write(message("-", Buffer.from([4, 210, 22, 47])).subarray(1));
  assert.deepEqual(await once(plain, "data"), [Buffer.from("N")]);
  plain.destroy();
  assert.deepEqual([...await sql`select 1 as n`], [{ n: 1 }]);
});

test("the rest of the process has its turn while a client asks without pause", async (_sql, embedded) => {
  const sql = pool(embedded, { max: 1 });
  await sql`select 1`;
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  // From 1 KB on, the driver writes without waiting for a turn of the event loop.
  const text = "x".repeat(2_000);
  for (let i = 0; i < 500; i++) {
    await sql`select ${text}::text as text`;
  }
  clearInterval(timer);
  assert.ok(ticks > 0);
  await sql.end();
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
