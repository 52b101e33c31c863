import assert from "node:assert/strict";
import { createPauses, once } from "./idle.ts";

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("pauses: work is done in order, whether or not a piece of it fails", async () => {
  const done: string[] = [];
  const last = Promise.withResolvers<void>();
  const pauses = createPauses([
    { after_ms: 1, work: () => void done.push("first") },
    { after_ms: 2, work: () => Promise.reject(new Error("no")) },
    {
      after_ms: 3,
      work: () => {
        done.push("last");
        last.resolve();
      },
    },
  ]);
  pauses.begin();
  await last.promise;
  assert.deepEqual(done, ["first", "last"]);
});

Deno.test("pauses: nothing begins when a pause has ended", async () => {
  const done: string[] = [];
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const pauses = createPauses([
    {
      after_ms: 0,
      work: async () => {
        begun.resolve();
        await gate.promise;
        done.push("in the middle");
      },
    },
    { after_ms: 1, work: () => void done.push("too late") },
  ]);
  pauses.begin();
  await begun.promise;
  pauses.end();
  gate.resolve();
  await wait(5);
  assert.deepEqual(done, ["in the middle"]);
});

Deno.test("pauses: what is done once is not done again", async () => {
  let count = 0;
  const work = once(() => Promise.resolve(void count++));
  await Promise.all([work(), work()]);
  await work();
  assert.equal(count, 1);
});
