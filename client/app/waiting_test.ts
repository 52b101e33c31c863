/** Ways in which the wait for an action ends before its run does. */
import assert from "node:assert/strict";
import { errorOf, type Reply, type StandIn, standIn } from "../../test/stage/stand_in.ts";
import { createAction } from "./action.js";
import { pause } from "./waiting.js";

const APP = { id: "1", name: "Rates", db_code: null };
const PENDING = { json: { flow_process_id: "p", status: "pending" } };
const FINISHED = { json: { flow_process_id: "p", status: "finished", data: 1 } };

/** Resolves when the first pause begins. */
function pausing() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const action = createAction(APP, (ms, signal) => {
    resolve();
    return pause(ms, signal);
  });
  return { action, paused: promise };
}

interface Place {
  name: string;
  replies: Reply[];
  reached(server: StandIn, paused: Promise<void>): Promise<void>;
  flow_process_id: string | undefined;
}

const PLACES: Place[] = [
  { name: "the call", replies: ["never"], reached: (server) => server.asks(1), flow_process_id: undefined },
  { name: "a pause", replies: [PENDING], reached: (_, paused) => paused, flow_process_id: "p" },
  { name: "a poll", replies: [PENDING, "never"], reached: (server) => server.asks(2), flow_process_id: "p" },
];

for (const { name, replies, reached, flow_process_id } of PLACES) {
  Deno.test(`waiting: aborted in ${name}, it throws the reason and asks no more`, async () => {
    await using server = standIn(...replies);
    const { action, paused } = pausing();
    const controller = new AbortController();
    const ended = assert.rejects(
      action("rate", {}, { signal: controller.signal }),
      (reason) => reason === "left the page",
    );
    await reached(server, paused);
    controller.abort("left the page");
    await ended;
    assert.equal(server.asked.length, replies.length);
  });

  Deno.test(`waiting: when the time is over in ${name}, it throws that`, async () => {
    await using server = standIn(...replies);
    const { action, paused } = pausing();
    const clock = stopped(12_345);
    const ended = errorOf(action("rate", {}, { timeout: 12_345 }));
    await reached(server, paused);
    clock.strike();
    assert.deepEqual(await ended, {
      message: "There is no result after 12.345 s",
      status: 0,
      code: "timeout",
      fields: undefined,
      flow_process_id,
      retry_after: undefined,
    });
    assert.equal(server.asked.length, replies.length);
  });
}

/** Replaces the next timer of this many milliseconds by one that fires when the test says so. */
function stopped(ms: number) {
  const { setTimeout } = globalThis;
  let strike = () => assert.fail("no such timer");
  globalThis.setTimeout = Object.assign((work: () => never, after?: number) => {
    if (after !== ms) return setTimeout(work, after);
    globalThis.setTimeout = setTimeout;
    strike = work;
    return 0;
  }, setTimeout);
  return { strike: () => strike() };
}

Deno.test("waiting: with a signal that is aborted already nothing is sent", async () => {
  await using server = standIn();
  await assert.rejects(createAction(APP)("rate", {}, { signal: AbortSignal.abort() }), { name: "AbortError" });
  assert.deepEqual(server.asked, []);
});

Deno.test("waiting: neither a timer nor a listener is left behind", async () => {
  await using _ = standIn(PENDING, FINISHED);
  const { signal } = new AbortController();
  const listening = new Set<unknown>();
  const { addEventListener: add, removeEventListener: remove } = signal;
  signal.addEventListener = (...[type, listener]: Parameters<typeof add>) => {
    listening.add(listener);
    add.call(signal, type, listener);
  };
  signal.removeEventListener = (...[type, listener]: Parameters<typeof remove>) => {
    listening.delete(listener);
    remove.call(signal, type, listener);
  };
  // A timer that is still running would make Deno report a leak in this test.
  assert.equal(await createAction(APP)("rate", {}, { signal, timeout: 60_000 }), 1);
  assert.equal(listening.size, 0);
});

Deno.test("waiting: a time beyond the limit of setTimeout never ends", async () => {
  await using _ = standIn(FINISHED, FINISHED);
  assert.equal(await createAction(APP)("rate", {}, { timeout: 2 ** 40 }), 1);
  assert.equal(await createAction(APP)("rate", {}, { timeout: Infinity }), 1);
});
