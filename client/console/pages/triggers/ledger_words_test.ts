import assert from "node:assert/strict";
import { figuresOf, looksOf, nothing } from "./ledger_words.ts";

Deno.test("ledger: only schedules are on time, not due, late or missed", () => {
  const total = { due: 4, ran: 2, late: 1, skipped: 1, missed: 0 };
  assert.deepEqual(figuresOf("flow", total).map(([name]) => name), ["Ran on time", "Late, skipped, missed"]);
  for (const kind of ["webhook", "record"] as const) {
    const words = [
      ...figuresOf(kind, total).flat(),
      ...Object.values(looksOf(kind)),
      nothing(kind, { irregular: true, of_day: false }),
      nothing(kind, { irregular: false, of_day: true }),
      nothing(kind, { irregular: false, of_day: false }),
    ].join(" ");
    assert.doesNotMatch(words, /on time|due|late|missed/);
  }
  assert.deepEqual(figuresOf("webhook", total)[0], ["Started a run", "75%"]);
});
