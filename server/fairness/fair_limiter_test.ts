import assert from "node:assert/strict";
import { createFairLimiter, createFairQueue, LimiterFull } from "./fair_limiter.ts";

Deno.test("queue: accounts take turns, each in its own order", () => {
  const queue = createFairQueue<string>({ waiting: 10 });
  const next = () => queue.next()?.job;
  for (const job of ["a1", "a2", "a3"]) assert.ok(queue.push(1, job));
  assert.ok(queue.push(2, "b1"));
  assert.ok(queue.push(3, "c1"));
  const order = [next(), next()];
  assert.ok(queue.push(2, "b2"));
  while (queue.size > 0) order.push(next());
  assert.deepEqual(order, ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assert.equal(next(), undefined);
});

Deno.test("queue: takes no more than its limit, and again once one is taken", () => {
  const queue = createFairQueue<number>({ waiting: 2 });
  assert.deepEqual([queue.push(1, 1), queue.push(2, 2), queue.push(3, 3)], [true, true, false]);
  queue.next();
  assert.ok(queue.push(3, 3));
  assert.deepEqual(queue.drain(), [2, 3]);
  assert.equal(queue.size, 0);
});

/** Pushes jobs until one is refused. @returns how many were accepted */
function fill(queue: ReturnType<typeof createFairQueue<number>>, account: number): number {
  let count = 0;
  while (queue.push(account, 0)) count++;
  return count;
}

Deno.test("queue: an account takes at most half of the free places", () => {
  const queue = createFairQueue<number>({ waiting: 64 });
  assert.deepEqual([1, 2, 3, 4].map((account) => fill(queue, account)), [32, 16, 8, 4]);
  assert.equal(queue.push(1, 0), false);
  for (let turn = 0; turn < 4; turn++) queue.next();
  assert.equal(fill(queue, 1), 0, "one of each went, which left the first with more than half");
  assert.deepEqual([5, 6, 7, 8].map((account) => fill(queue, account)), [4, 2, 1, 1]);
  assert.equal(queue.size, 64);
});

Deno.test("queue: a removed job leaves its place", () => {
  const queue = createFairQueue<string>({ waiting_per_account: 2 });
  assert.deepEqual(["a1", "a2", "a3"].map((job) => queue.push(1, job)), [true, true, false]);
  queue.remove(1, "a1");
  queue.remove(1, "unknown");
  assert.ok(queue.push(1, "a3"));
  assert.deepEqual([queue.count(1), queue.size], [2, 2]);
  assert.deepEqual(queue.drain(), ["a2", "a3"]);
});

/** Work that runs until `end`. */
function stage(limits: { total: number; per_account: number }) {
  const limiter = createFairLimiter(limits);
  const begun: string[] = [];
  const ends = new Map<string, (fails?: boolean) => void>();
  const run = (account: number, name: string) =>
    limiter.run(account, () => {
      begun.push(name);
      return new Promise((resolve, reject) =>
        ends.set(name, (fails) => fails ? reject(new Error("a fault")) : resolve())
      );
    });
  const end = async (name: string, fails?: boolean) => {
    ends.get(name)?.(fails);
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { limiter, begun, run, end };
}

Deno.test("turns: accounts take turns, however many jobs each has", async () => {
  const { limiter, begun, run, end } = stage({ total: 1, per_account: 1 });
  for (const name of ["a1", "a2", "a3"]) run(1, name);
  run(2, "b1");
  assert.deepEqual(begun, ["a1"]);
  assert.equal(limiter.count(), 4);
  await end("a1");
  await end("a2");
  assert.deepEqual(begun, ["a1", "a2", "b1"]);
  await end("b1", true);
  assert.deepEqual(begun, ["a1", "a2", "b1", "a3"]);
  assert.deepEqual([limiter.count(1), limiter.count(2)], [1, 0]);
});

Deno.test("turns: an account has its own limit and does not delay others", () => {
  const { begun, run, limiter } = stage({ total: 3, per_account: 2 });
  for (const name of ["a1", "a2", "a3"]) run(1, name);
  run(2, "b1");
  run(3, "c1");
  assert.deepEqual(begun, ["a1", "a2", "b1"]);
  limiter.drain();
  assert.equal(limiter.count(), 3);
});

Deno.test("turns: up to the limit run at once, others in the order of arrival, per account", async () => {
  const limiter = createFairLimiter({ per_account: 2, waiting_per_account: 10 });
  const order: number[] = [];
  const first = await limiter.acquire(1);
  const second = await limiter.acquire(1);
  const later = [3, 4].map((name) => limiter.acquire(1).then((end) => (order.push(name), end)));
  const other = await limiter.acquire(2);
  assert.deepEqual(order, []);
  second();
  const third = await later[0];
  assert.deepEqual(order, [3]);
  first();
  (await later[1])?.();
  third?.();
  other();
  assert.deepEqual(order, [3, 4]);
  const ends = await Promise.all([limiter.acquire(1), limiter.acquire(1)]);
  ends.forEach((end) => end());
});

Deno.test("turns: an aborted wait leaves the queue, and the queue has a limit", async () => {
  const limiter = createFairLimiter({ per_account: 1, waiting_per_account: 1 });
  const end = await limiter.acquire(1);
  const impatient = new AbortController();
  const waiting = limiter.acquire(1, impatient.signal);
  await assert.rejects(limiter.acquire(1), LimiterFull);
  impatient.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  const next = limiter.acquire(1);
  end();
  (await next)();
  await assert.rejects(limiter.acquire(1, impatient.signal), /enough/);
  (await limiter.acquire(1))();
});

Deno.test("turns: draining rejects those that wait", async () => {
  const limiter = createFairLimiter({ total: 1 });
  const end = await limiter.acquire(1);
  const waiting = limiter.acquire(2);
  limiter.drain();
  await assert.rejects(waiting, /drained/);
  end();
  assert.equal(limiter.count(), 0);
});
