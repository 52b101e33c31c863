import assert from "node:assert/strict";
import { createTurns } from "./turns.ts";

const NEVER = new AbortController().signal;

Deno.test("turns: up to the limit run at once, others in the order of arrival, per account", async () => {
  const turns = createTurns(2, 10);
  const order: number[] = [];
  const first = await turns.take(1, NEVER);
  const second = await turns.take(1, NEVER);
  const later = [3, 4].map((name) => turns.take(1, NEVER).then((end) => (order.push(name), end)));
  const other = await turns.take(2, NEVER);
  assert.deepEqual(order, []);
  second();
  const third = await later[0];
  assert.deepEqual(order, [3]);
  first();
  (await later[1])?.();
  third?.();
  other();
  assert.deepEqual(order, [3, 4]);
  const ends = await Promise.all([turns.take(1, NEVER), turns.take(1, NEVER)]);
  ends.forEach((end) => end());
});

Deno.test("turns: an aborted wait leaves the queue, and the queue has a limit", async () => {
  const turns = createTurns(1, 1);
  const end = await turns.take(1, NEVER);
  const impatient = new AbortController();
  const waiting = turns.take(1, impatient.signal);
  await assert.rejects(turns.take(1, NEVER), { kind: "network" });
  impatient.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  const next = turns.take(1, NEVER);
  end();
  (await next)();
  await assert.rejects(turns.take(1, impatient.signal), /enough/);
  (await turns.take(1, NEVER))();
});
