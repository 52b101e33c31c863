import assert from "node:assert/strict";
import { durationsOf, heightOf } from "./last_runs.ts";

const run = (ms: number | null, status: "finished" | "error" = "finished") => ({ ms, status });

Deno.test("last runs: the middle, and what one run in twenty exceeds, of the finished ones", () => {
  assert.equal(durationsOf([1, 2, 3, 4].map((ms) => run(ms))), undefined);
  const runs = Array.from({ length: 20 }, (_, index) => run(20 - index));
  assert.deepEqual(durationsOf([...runs, run(9_000, "error"), run(null)]), { middle: 11, high: 20 });
});

Deno.test("last runs: bars differ by duration, and the shortest is still seen", () => {
  assert.deepEqual([heightOf(null, 0), heightOf(100, 100), heightOf(25, 100), heightOf(0, 100)], [12, 100, 50, 12]);
});
