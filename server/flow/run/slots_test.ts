import assert from "node:assert/strict";
import { LIMITS } from "./limits.ts";
import type { RunHead } from "./model.ts";
import { createSlots } from "./slots.ts";

const headOf = (trigger: RunHead["trigger"], account_id = 1): RunHead => ({
  id: crypto.randomUUID(),
  account_id,
  department_id: null,
  flow_id: 1,
  flow_version: 1,
  flow_code: "watch",
  trigger,
  user_id: null,
  app_id: null,
  action: null,
  cron_id: null,
  retry: null,
  made_at: 0,
  begun_at: null,
  owner: "",
  lost: 0,
  attempts: 1,
  input: {},
});

function stage(at_once_per_account: number) {
  const slots = createSlots({ ...LIMITS, at_once: 10, at_once_per_account });
  const enter = async (trigger: RunHead["trigger"], signal = new AbortController().signal) => {
    const slot = slots.slotOf(headOf(trigger), signal);
    const entered = { yes: false, slot, settled: slot.enter().then(() => void (entered.yes = true)) };
    await Promise.resolve();
    await new Promise((resolve) => setTimeout(resolve, 0));
    return entered;
  };
  return { slots, enter };
}

Deno.test("slots: a trigger's run and an action's run do not wait for each other", async () => {
  const { enter } = stage(1);
  assert.equal((await enter("action")).yes, true);
  assert.equal((await enter("action")).yes, false);
  assert.equal((await enter("cron")).yes, true);
  assert.equal((await enter("cron")).yes, false);
});

Deno.test("slots: a run that waits holds no slot, and gets one again before it goes on", async () => {
  const { enter } = stage(1);
  const waiting = await enter("action");
  const [outer, inner] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = waiting.slot.idle(async () => {
    await waiting.slot.idle(() => inner.promise);
    await outer.promise;
    return "answer";
  });
  const working = await enter("action");
  assert.equal(working.yes, true);
  inner.resolve();
  await new Promise((resolve) => setTimeout(resolve, 0));
  working.slot.leave();
  const next = await enter("action");
  assert.equal(next.yes, true, "the end of an inner wait is not the end of the outer one");
  outer.resolve();
  assert.equal(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 0))]), undefined);
  next.slot.leave();
  assert.equal(await ended, "answer");
  assert.equal((await enter("action")).yes, false, "it holds its slot again");
});

Deno.test("slots: an aborted run does not wait for one", async () => {
  const { enter } = stage(1);
  await enter("action");
  const aborted = new AbortController();
  const other = await enter("action", aborted.signal);
  assert.equal(other.yes, false);
  aborted.abort(new Error("cancelled"));
  await other.settled;
  assert.equal((await enter("action")).yes, false, "it took no slot");
});
