import assert from "node:assert/strict";
import type { Pool } from "./database/pool.ts";
import { createLog } from "./log.ts";
import { remember } from "./remembered.ts";

interface Row {
  id: number;
  text: string;
}

/** A cache over rows that the test changes, with loads that end when the test says so. */
function stage({ held = false, bytes = 0 } = {}) {
  const rows = new Map<string, Row>();
  const waiting: (() => void)[] = [];
  let [now, loads, checks, failing] = [0, 0, 0, false];
  let notify: ((payload: string) => void) | undefined;
  let connect: (() => void) | undefined;
  const listen = (_channel: string, onPayload: (payload: string) => void, onConnect: () => void) => {
    [notify, connect] = [onPayload, onConnect];
    return Promise.resolve({ unlisten: () => Promise.resolve() });
  };
  const cache = remember<string, Row>({
    async load(key) {
      loads++;
      const row = rows.get(key);
      if (held) await new Promise<void>((resolve) => waiting.push(resolve));
      if (failing) throw new Error("no database");
      return row;
    },
    believed_ms: 100,
    limit: bytes ? { bytes, sizeOf: ({ text }) => text.length } : 10,
    isCurrent: (row) => (checks++, Promise.resolve(rows.get("a") === row)),
    now: () => now,
    notified: {
      sql: { listen } as unknown as Pool,
      log: createLog(() => {}),
      channel: "row_changed",
      matches: ({ id }, payload) => id === Number(payload),
    },
  });
  return {
    cache,
    rows,
    release: () => waiting.splice(0).forEach((resolve) => resolve()),
    pass: (ms: number) => now += ms,
    fail: (now_failing: boolean) => failing = now_failing,
    notify: (payload: string) => notify?.(payload),
    connect: () => connect?.(),
    counts: () => ({ loads, checks }),
  };
}

Deno.test("remembered: one load for many callers, and none while it is believed", async () => {
  const { cache, rows, counts, pass } = stage();
  rows.set("a", { id: 1, text: "one" });
  await Promise.all(Array.from({ length: 32 }, () => cache.find("a")));
  assert.equal(cache.peek("a")?.text, "one");
  pass(99);
  assert.equal((await cache.find("a"))?.text, "one");
  assert.deepEqual(counts(), { loads: 1, checks: 0 });
});

Deno.test("remembered: an expired value is checked once for many callers, and loaded where it has changed", async () => {
  const { cache, rows, counts, pass } = stage();
  rows.set("a", { id: 1, text: "one" });
  await cache.find("a");
  pass(100);
  assert.equal(cache.peek("a"), undefined);
  await Promise.all(Array.from({ length: 32 }, () => cache.find("a")));
  assert.deepEqual(counts(), { loads: 1, checks: 1 });
  rows.set("a", { id: 1, text: "two" });
  assert.equal((await cache.find("a"))?.text, "one", "believed");
  pass(100);
  const found = await Promise.all(Array.from({ length: 32 }, () => cache.find("a")));
  assert.ok(found.every((row) => row?.text === "two"));
  assert.deepEqual(counts(), { loads: 2, checks: 2 });
});

for (const how of ["notify", "forget", "connect"] as const) {
  Deno.test(`remembered: a change that arrives during a load (${how}) makes later callers load again`, async () => {
    const { cache, rows, release, counts, ...at } = stage({ held: true });
    rows.set("a", { id: 1, text: "one" });
    const before = cache.find("a");
    rows.set("a", { id: 1, text: "two" });
    if (how === "notify") at.notify("1");
    if (how === "forget") cache.forget("a");
    if (how === "connect") at.connect();
    const after = cache.find("a");
    release();
    assert.equal((await before)?.text, "one");
    assert.equal((await after)?.text, "two");
    assert.equal(cache.peek("a")?.text, "two", "the older load did not overwrite the newer one");
    assert.equal(counts().loads, 2);
  });
}

Deno.test("remembered: a notification drops the named entries only", async () => {
  const { cache, rows, notify, counts } = stage();
  rows.set("a", { id: 1, text: "one" }).set("b", { id: 2, text: "two" });
  await cache.find("a");
  await cache.find("b");
  notify("2");
  assert.deepEqual([cache.peek("a")?.id, cache.peek("b")?.id], [1, undefined]);
  await cache.find("a");
  assert.equal(counts().loads, 2);
});

Deno.test("remembered: neither absence nor an error is cached", async () => {
  const { cache, rows, fail } = stage();
  assert.equal(await cache.find("a"), undefined);
  rows.set("a", { id: 1, text: "one" });
  fail(true);
  await assert.rejects(cache.find("a"), /no database/);
  fail(false);
  assert.equal((await cache.find("a"))?.text, "one");
});

Deno.test("remembered: bounded by bytes, the least recently used value goes first", async () => {
  const { cache, rows } = stage({ bytes: 10 });
  for (const [id, key] of ["a", "b", "c"].entries()) rows.set(key, { id, text: "four" });
  await cache.find("a");
  await cache.find("b");
  cache.peek("a");
  await cache.find("c");
  assert.deepEqual(["a", "b", "c"].filter((key) => cache.peek(key)), ["a", "c"]);
});

Deno.test("remembered: a load that is forgotten in flight is not kept", async () => {
  const first = Promise.withResolvers<string>();
  let loads = 0;
  const load = () => ++loads === 1 ? first.promise : Promise.resolve("new");
  const remembered = remember<string, string>({ load, believed_ms: 60_000, limit: 10 });
  const old = remembered.find("a");
  remembered.forget("a");
  first.resolve("old");
  assert.equal(await old, "old");
  assert.deepEqual([await remembered.find("a"), loads], ["new", 2]);
});

Deno.test("remembered: a held value ends when it is forgotten, replaced, checked again or left out for want of room", async () => {
  const { cache, rows, pass, notify, connect } = stage({ bytes: 9 });
  const hold = async () => {
    await cache.find("a");
    return cache.hold("a");
  };
  rows.set("a", { id: 1, text: "four" }).set("b", { id: 2, text: "longer" });
  const ends: Record<string, () => unknown> = {
    forgotten: () => cache.forget("a"),
    "forgotten by what it has": () => cache.forgetWhere(({ id }) => id === 1),
    "forgotten with all": () => cache.forgetAll(),
    notified: () => notify("1"),
    connected: () => connect(),
    evicted: () => cache.find("b"),
    "checked again": () => (pass(100), cache.find("a")),
  };
  for (const [how, end] of Object.entries(ends)) {
    const held = await hold();
    assert.equal(held?.value?.text, "four", how);
    await end();
    assert.deepEqual([held?.value, held?.until], [undefined, 0], how);
  }
  const held = await hold();
  pass(99);
  assert.deepEqual([cache.hold("a")?.value?.text, held?.until], ["four", 200]);
  pass(1);
  assert.equal(cache.hold("a"), undefined, "its time has passed");
  void cache.find("a");
  assert.equal(cache.hold("a"), undefined, "being checked");
});
