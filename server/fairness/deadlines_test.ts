import assert from "node:assert/strict";
import { setDeadline } from "./deadlines.ts";

/** Records which deadlines have come, in their order. */
function newRecord() {
  const came: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  // Deadlines keep no process alive.
  const alive = setInterval(() => {}, 60_000);
  return {
    came,
    last: promise,
    late: (name: string) => () => void came.push(name),
    end() {
      came.push("last");
      clearInterval(alive);
      resolve();
    },
  };
}

Deno.test("deadlines: they come in their order, and not before their time", async () => {
  const { came, last, late, end } = newRecord();
  const began = performance.now();
  setDeadline(1_000, late("first"));
  setDeadline(1_000, late("second"));
  setDeadline(30, late("a shorter one"));
  setDeadline(1_000, end);
  await last;
  assert.deepEqual(came, ["a shorter one", "first", "second", "last"]);
  assert.ok(performance.now() - began >= 999);
});

Deno.test("deadlines: what was taken back never comes, and a deadline after that does", async () => {
  const { came, last, late, end } = newRecord();
  const backs = ["one", "two", "three"].map((name, at) => setDeadline(at === 2 ? 40 : 1_000, late(name)));
  for (const back of backs) back();
  await new Promise<void>((resolve) => setDeadline(50, resolve));
  // Set after the queue's timer: it is looked after once more.
  const began = performance.now();
  setDeadline(1_000, end);
  await last;
  assert.deepEqual(came, ["last"]);
  assert.ok(performance.now() - began >= 999);
});

// The sanitizers of the test see a timer that stays.
Deno.test("deadlines: without one there is no timer", () => {
  const backs = [1_000, 1_000, 2_000].map((ms) => setDeadline(ms, () => assert.fail("it was taken back")));
  for (const back of backs) back();
  for (const back of backs) back();
});
