import assert from "node:assert/strict";
import { type LogLine, summary, withLines } from "./log_lines.ts";

const line = (time: string, more: Partial<LogLine> = {}): LogLine => ({
  time,
  level: "info",
  event: "tick",
  request_id: null,
  detail: {},
  process: { number: 1, pid: 1 },
  ...more,
});

Deno.test("log lines: the newest first, whichever process they come from", () => {
  const other = { process: { number: 2, pid: 2 } };
  const shown = withLines([], [line("1"), line("3")]);
  assert.deepEqual(withLines(shown, [line("2", other), line("4", other)]).map(({ time }) => time), [
    "4",
    "3",
    "2",
    "1",
  ]);
  assert.equal(withLines([], Array.from({ length: 900 }, (_, index) => line(String(1000 + index)))).length, 500);
});

Deno.test("log lines: in a few words", () => {
  const request = { event: "request", detail: { method: "GET", route: "/apps", status: 200, ms: 1.5 } };
  assert.equal(summary(line("1", request)), "GET /apps 200, 1.5 ms");
  assert.equal(summary(line("1", { event: "sweep failed", detail: { fault: "away" } })), "sweep failed: away");
  assert.equal(summary(line("1")), "tick");
});
