import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { layOut, median, ratioTable, summarize } from "../bench/measure/table.ts";

const round = (per_second: number) => ({ per_second, p50_ms: 1000 / per_second, p99_ms: 2, cpu_us: 50 });

Deno.test("median: the middle one, or the mean of the middle two", () => {
  strictEqual(median([3, 1, 2]), 2);
  strictEqual(median([4, 1, 3, 2]), 2.5);
  strictEqual(median([]), NaN);
});

Deno.test("ratio: each round is compared with its neighbour", () => {
  const ours = [round(100), round(10), round(90)];
  const row = { work: "read", subject: "bare", rounds: [round(200), round(20), round(100)] };
  deepStrictEqual(summarize(row, ours, 0.8), {
    work: "read",
    subject: "bare",
    per_second: 100,
    per_second_range: [20, 200],
    p50_ms: 10,
    p99_ms: 2,
    cpu_us: 50,
    ratio: 0.5,
    ratio_range: [0.5, 0.9],
    aim: 0.8,
  });
});

Deno.test("table: a work is named once, an aim is met or missed, ours has no ratio", () => {
  const rounds = [round(100)];
  const table = ratioTable([
    summarize({ work: "read", subject: "ours", rounds }),
    summarize({ work: "read", subject: "bare", rounds: [round(110)] }, rounds, 0.8),
    summarize({ work: "list", subject: "bare", rounds: [round(50)] }, rounds, 2.5),
  ]);
  deepStrictEqual(table.split("\n"), [
    "work  subject  req/s  min  max  p50 ms  p99 ms  CPU µs  ours ÷ it   min   max           aim",
    "read  ours       100  100  100    10.0     2.0      50",
    "      bare       110  110  110     9.1     2.0      50       0.91  0.91  0.91     ≥0.80 met",
    "list  bare        50   50   50    20.0     2.0      50       2.00  2.00  2.00  ≥2.50 MISSED",
  ]);
});

Deno.test("columns: text begins at the left, numbers end at the right", () => {
  strictEqual(layOut([["a", "b"], ["long", "12"]], 1), "a      b\nlong  12");
});
