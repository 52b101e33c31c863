import assert from "node:assert/strict";
import { CANCEL_SEEN_MS, createLook } from "./cancels.ts";

/** A look whose clock and answers the test sets. */
function controlled(made_at?: number) {
  const state = { now: 1_000, reads: 0, is_requested: false, read_ms: 0 };
  const isRequested = () => {
    state.reads++;
    state.now += state.read_ms;
    return Promise.resolve(state.is_requested);
  };
  return { state, look: createLook(isRequested, made_at, () => state.now) };
}

Deno.test("cancels: a run that was just stored is not looked up, and one of earlier is", async () => {
  const fresh = controlled(1_000);
  fresh.state.now += CANCEL_SEEN_MS - 1;
  assert.deepEqual([await fresh.look(), fresh.state.reads], [false, 0]);
  fresh.state.now += 1;
  assert.deepEqual([await fresh.look(), fresh.state.reads], [false, 1]);
  const claimed = controlled();
  claimed.state.is_requested = true;
  assert.deepEqual([await claimed.look(), claimed.state.reads], [true, 1]);
});

Deno.test("cancels: the next look counts from before the last one, and a found cancel is found again", async () => {
  const { state, look } = controlled();
  state.read_ms = 60;
  await look();
  state.now += CANCEL_SEEN_MS - 61;
  assert.deepEqual([await look(), state.reads], [false, 1]);
  state.now += 1;
  state.is_requested = true;
  assert.deepEqual([await look(), await look(), state.reads], [true, true, 3]);
});
