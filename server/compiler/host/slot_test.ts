import assert from "node:assert/strict";
import { Lost, type Subprocess } from "../../subprocess/subprocess.ts";
import { createSlot } from "./slot.ts";

/** A process that says nothing and lives until it is killed. */
function silentProcess(): Subprocess & { is_alive(): boolean } {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let alive = true;
  return {
    send() {},
    async next() {
      await ended;
      throw new Lost("ended");
    },
    kill() {
      alive = false;
      resolve();
    },
    ended,
    pid: 1,
    is_alive: () => alive,
  };
}

Deno.test("slot: a close while a worker is spawned ends the worker", async () => {
  const process = silentProcess();
  let closing: Promise<void> | undefined;
  const slot = createSlot({
    idle_ms: 1000,
    log() {},
    start(proceed) {
      proceed();
      closing = slot.close();
      return Promise.resolve(process);
    },
  });
  await assert.rejects(slot.start("svelte"));
  await closing;
  assert.ok(!process.is_alive());
});
