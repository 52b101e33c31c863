import { equal } from "node:assert/strict";
import { speedAt } from "./edge_scroll.ts";

const PAGE = { top: 100, bottom: 700 };

Deno.test("edge scroll: none in the middle, faster towards each edge, no faster outside", () => {
  for (const y of [164, 400, 636]) equal(speedAt(y, PAGE), 0);
  for (const depth of [1, 16, 32, 63]) {
    const [down, further] = [speedAt(636 + depth, PAGE), speedAt(637 + depth, PAGE)];
    equal(down > 0 && further > down, true, `${depth}`);
    equal(speedAt(164 - depth, PAGE), -down);
  }
  equal(speedAt(700, PAGE), speedAt(5_000, PAGE));
  equal(speedAt(100, PAGE), speedAt(-5_000, PAGE));
});
