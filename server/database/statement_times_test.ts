import assert from "node:assert/strict";
import { createStatementTimes } from "./statement_times.ts";

Deno.test("statement times: count, mean and longest by text, the slowest first", () => {
  const times = createStatementTimes();
  for (const ms of [1, 3]) times.note("select $1", ms);
  times.note("insert", 20);
  assert.deepEqual(times.slowest(2), [
    { text: "insert", calls: 1, ms: 20, most_ms: 20 },
    { text: "select $1", calls: 2, ms: 2, most_ms: 3 },
  ]);
  times.clear();
  assert.deepEqual(times.slowest(2), []);
});

Deno.test("statement times: their number is bounded, and what took the most time stays", () => {
  const times = createStatementTimes();
  times.note("slow", 1_000);
  for (let index = 0; index < 5_000; index++) times.note(`fast ${index}`, 1);
  const all = times.slowest(10_000);
  assert.ok(all.length <= 1_000);
  assert.equal(all[0]?.text, "slow");
});
