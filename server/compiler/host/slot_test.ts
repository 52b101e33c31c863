import assert from "node:assert/strict";
import { Lost, type Subprocess } from "../../subprocess/subprocess.ts";
import { READY } from "../protocol.ts";
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

Deno.test("slot: a worker that becomes ready while the slot closes leaves no timer", async () => {
  const process = silentProcess();
  const ready = Promise.withResolvers<string>();
  const slot = createSlot({
    idle_ms: 3_600_000,
    log() {},
    start: () => Promise.resolve({ ...process, next: () => ready.promise }),
  });
  const starting = slot.start("svelte");
  // The process is known a few microtasks later.
  await new Promise((resolve) => setTimeout(resolve));
  ready.resolve(JSON.stringify(READY));
  await slot.close();
  await starting;
});
