import assert from "node:assert/strict";
import { createInFlight, createLine } from "./in_flight.ts";

Deno.test("in flight: what is set is found by its id until it is deleted", () => {
  const all = createInFlight<number>();
  all.set("a", 1);
  all.set("b", 2);
  assert.deepEqual([all.get("a"), all.has("b"), all.get("toString"), all.has("constructor")], [
    1,
    true,
    undefined,
    false,
  ]);
  all.delete("a");
  all.delete("none");
  assert.deepEqual([all.get("a"), all.has("a"), all.values()], [undefined, false, [2]]);
});

Deno.test("a line keeps the order, whichever item is removed, and removes each once", () => {
  for (const removed of [0, 1, 2, 3]) {
    const line = createLine<number>();
    const removals = [0, 1, 2, 3].map((item) => line.add(item + 10));
    removals[removed]?.();
    removals[removed]?.();
    const left = [10, 11, 12, 13].filter((item) => item !== removed + 10);
    assert.deepEqual([line.items(), line.first], [left, left[0]]);
    line.add(20);
    line.removeFirst();
    assert.deepEqual(line.items(), [...left.slice(1), 20]);
    for (const remove of removals) remove();
    assert.deepEqual(line.items(), [20]);
    line.removeFirst();
    line.removeFirst();
    assert.deepEqual([line.items(), line.first], [[], undefined]);
    line.add(30);
    assert.deepEqual(line.items(), [30]);
  }
});
