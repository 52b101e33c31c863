/** Rows of lists of every length are drawn where they are seen. */
import { equal, ok } from "node:assert/strict";
import { ROW, rowsIn, scrollTo } from "./geometry.ts";

const VIEW = 600;

Deno.test("geometry: at every place of a list, the rows that are seen are drawn, from the first to the last", () => {
  for (const total of [0, 1, 19, 5_000, 250_000, 1_000_000, 20_000_000]) {
    const { height } = rowsIn(total, 0, VIEW);
    ok(height <= 8_000_000);
    for (const part of [0, 0.3, 0.9999, 1]) {
      const scroll_top = Math.max(0, height - VIEW) * part;
      const span = rowsIn(total, scroll_top, VIEW);
      ok(span.first === 0 || span.top <= scroll_top, `${total} ${part}`);
      const bottom = span.top + (span.end - span.first) * ROW;
      ok(bottom >= Math.min(scroll_top + VIEW, height) - 1, `${total} ${part}: ${bottom}`);
    }
    if (total === 0) continue;
    equal(rowsIn(total, Math.max(0, height - VIEW), VIEW).end, total, "the end is reached");
  }
});

Deno.test("geometry: a row is scrolled to, and is then seen", () => {
  for (const total of [5_000, 1_000_000]) {
    for (const row of [0, 77, total - 1]) {
      const span = rowsIn(total, 4_000, VIEW);
      const to = scrollTo(row, span, 4_000, VIEW) ?? 4_000;
      const { scale } = rowsIn(total, to, VIEW);
      ok(row * ROW >= to * scale - scale && (row + 1) * ROW <= to * scale + VIEW + scale, `${total} ${row}`);
    }
  }
});
