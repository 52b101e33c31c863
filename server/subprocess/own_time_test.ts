import assert from "node:assert/strict";
import { end, shell } from "../../test/stage/subprocess/shell.ts";
import { nextInOwnTime } from "./own_time.ts";
import { Lost } from "./subprocess.ts";

const reasonOf = (answer: Promise<string>): Promise<unknown> =>
  answer.then((line) => line, (error) => error instanceof Lost ? error.reason : error);

const LIMIT_MS = 300;

/** A machine so busy that a process waits for a processor in this share of the time. */
function busy(share: number): () => Promise<number> {
  const began = performance.now();
  return () => Promise.resolve((performance.now() - began) * share);
}

Deno.test("own time: a process that does not answer in its time has ended for it", async () => {
  const process = shell("read line; sleep 60");
  assert.equal(await reasonOf(nextInOwnTime(process, LIMIT_MS)), "timeout");
  await process.ended;
});

Deno.test("own time: time in which a process waits for a processor does not count", async () => {
  const process = shell("sleep 1.2; echo done; sleep 60");
  assert.equal(await reasonOf(nextInOwnTime(process, 1_000, busy(0.9))), "done");
  await end(process);
});

Deno.test("own time: what a process has waited before does not count for it", async () => {
  const process = shell("sleep 60");
  assert.equal(await reasonOf(nextInOwnTime(process, LIMIT_MS, () => Promise.resolve(1_000_000))), "timeout");
  await process.ended;
});

Deno.test("own time: a moment in which nothing can be read is not held against the process", async () => {
  const process = shell("sleep 1; echo done; sleep 60");
  let looks = 0;
  const waitedOf = () => Promise.resolve(looks++ === 0 ? 0 : undefined);
  assert.equal(await reasonOf(nextInOwnTime(process, LIMIT_MS, waitedOf)), "done");
  assert.ok(looks > 1);
  await end(process);
});

Deno.test("own time: a process that never gets its time is given up, and is not to blame", async () => {
  const process = shell("sleep 60");
  // The first look must come before the limit, also on a busy machine.
  assert.equal(await reasonOf(nextInOwnTime(process, 500, busy(1))), "ended");
  await process.ended;
});

Deno.test("own time: a process that ends by itself is reported as such", async () => {
  const process = shell("exit 3");
  assert.equal(await reasonOf(nextInOwnTime(process, LIMIT_MS)), "ended");
});
