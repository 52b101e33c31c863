/** Which client of the embedded database runs next, and how clients that stall, disconnect or misbehave are ended. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import postgres from "postgres";
import { Backend } from "../../../db/embedded/backend.ts";
import type { Client } from "../../../db/embedded/session.ts";
import { readTemplate } from "../../../db/embedded/template.ts";
import { GREETING_MS, Turns } from "../../../db/embedded/turns.ts";
import { message, query, SYNC } from "../../../db/embedded/wire/wire.ts";
import { errorOf } from "../../../db/embedded/wire/wire_backend.ts";
import type { Batch } from "../../../db/embedded/wire/wire_client.ts";
import { until } from "../../stage/until.ts";
import { bareClient, code, pool, step, test, types } from "./embedded_stage.ts";

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

test("requests over the network are answered during a transaction of long statements", async (sql) => {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => new Response("yes"));
  let answer: string | undefined;
  const ask = async () => answer = await (await fetch(`http://127.0.0.1:${server.addr.port}/`)).text();
  await sql.begin(async (sql) => {
    const work = () => sql`select count(*) from generate_series(1, 100000)`;
    for (let i = 0; i < 5; i++) await work();
    const asked = ask();
    for (let i = 0; i < 40 && answer === undefined; i++) await work();
    assert.equal(answer, "yes");
    await asked;
  });
});

Deno.test("turns: a client's first statement that comes while the process stands still is answered", async () => {
  const backend = await Backend.open(null, await readTemplate());
  const turns = new Turns(backend, () => Promise.reject(new Error("not opened again")), 1_000);
  const { promise: answered, resolve, reject } = Promise.withResolvers<void>();
  const client: Client = {
    pid: 1,
    secret: 1,
    settings: "",
    welcome() {
      const batch: Batch = { kind: "batch", bytes: query("select 1"), statements: [], ends: "query" };
      queueMicrotask(() => turns.add(client, batch));
      // Longer than the client may stay silent, and than the work may go on without a pause.
      for (const end = performance.now() + GREETING_MS + 10; performance.now() < end;);
    },
    answer: () => resolve(),
    hangUp() {},
    fail: (reason) => reject(new Error(reason)),
  };
  const given_up = setTimeout(() => reject(new Error("no answer")), 2_000);
  turns.join(client, { kind: "startup", settings: new Map() });
  try {
    await answered;
  } finally {
    clearTimeout(given_up);
    await turns.close();
  }
});
