import assert from "node:assert/strict";
import { createQueue } from "./queue.ts";

Deno.test("queue: accounts take turns, each in its own order", () => {
  const queue = createQueue<string>(10);
  for (const job of ["a1", "a2", "a3"]) assert.ok(queue.push(1, job));
  assert.ok(queue.push(2, "b1"));
  assert.ok(queue.push(3, "c1"));
  const order = [queue.next(), queue.next()];
  assert.ok(queue.push(2, "b2"));
  while (queue.size > 0) order.push(queue.next());
  assert.deepEqual(order, ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assert.equal(queue.next(), undefined);
});

Deno.test("queue: takes no more than its limit, and again once one is taken", () => {
  const queue = createQueue<number>(2);
  assert.deepEqual([queue.push(1, 1), queue.push(2, 2), queue.push(3, 3)], [true, true, false]);
  queue.next();
  assert.ok(queue.push(3, 3));
  assert.deepEqual(queue.drain(), [2, 3]);
  assert.equal(queue.size, 0);
});

/** How many of its jobs are taken, one after the other. */
function taken(queue: ReturnType<typeof createQueue<number>>, account: number): number {
  let count = 0;
  while (queue.push(account, 0)) count++;
  return count;
}

Deno.test("queue: an account has at most half of what the others leave, so that others still get in", () => {
  const queue = createQueue<number>(64);
  assert.deepEqual([1, 2, 3, 4].map((account) => taken(queue, account)), [32, 16, 8, 4]);
  assert.equal(queue.push(1, 0), false);
  for (let turn = 0; turn < 4; turn++) queue.next();
  assert.equal(taken(queue, 1), 0, "one of each went, which left the first with more than half");
  assert.deepEqual([5, 6, 7, 8].map((account) => taken(queue, account)), [4, 2, 1, 1]);
  assert.equal(queue.size, 64);
});
