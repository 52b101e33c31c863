import { deepEqual, equal } from "node:assert/strict";
import { FrameQueue } from "./frame_queue.ts";

/** Lets the queue's own tasks run. */
async function turns(count = 6): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((done) => setTimeout(done));
}

Deno.test("frames: two load at once, in the order in which they asked", async () => {
  const queue = new FrameQueue(() => false);
  const started: number[] = [];
  const ends = [1, 2, 3, 4].map((frame) => queue.ask(() => started.push(frame)));
  await turns();
  deepEqual(started, [1, 2]);
  // The third is not wanted any more; a second end of the first one frees no second place.
  ends[2]?.();
  ends[0]?.();
  ends[0]?.();
  await turns();
  deepEqual(started, [1, 2, 4]);
  ends.push(queue.ask(() => started.push(5)));
  await turns();
  deepEqual(started, [1, 2, 4]);
  ends[1]?.();
  await turns();
  deepEqual(started, [1, 2, 4, 5]);
  for (const end of ends) end();
  await turns();
});

Deno.test("frames: none begins to load while a dialog is open", async () => {
  let is_open = true;
  const queue = new FrameQueue(() => is_open);
  const { promise, resolve } = Promise.withResolvers<void>();
  let started = 0;
  const end = queue.ask(() => {
    started++;
    resolve();
  });
  await turns();
  equal(started, 0);
  is_open = false;
  await promise;
  equal(started, 1);
  end();
  await turns();
});
