/** Words for the figures of the server. */
import assert from "node:assert/strict";
import { concerns, type Operations, type Process, span } from "./figures.ts";

const AT = "2026-11-22T18:00:00.000+00:00";
const PASS = { at: AT, ms: 4, fault: null };
const PROCESS: Process = {
  id: "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55",
  started_at: AT,
  seen_at: AT,
  number: 1,
  pid: 1,
  version: "1",
  release: "a",
  memory: { rss: 1, heap: 1 },
  runs: { in_progress: 0, executed: 0 },
  calls: { in_progress: 0 },
  compiler: { workers: 2, ready: 0, busy: 0, waiting: 0, building: [] },
  sweep: PASS,
  tick: null,
};
const OPERATIONS: Operations = {
  at: AT,
  processes: [PROCESS],
  queues: { runs_waiting: 0, runs_due: 0, approvals_open: 0, triggers_overdue: 0, trigger_runs_queued: 0 },
  database: { engine: "embedded", version: "1", bytes: 1, connections: null, tables: [] },
  statements: { running: [], measured: [], slowest: null },
  background: { reindexing: [], dropped_tables: 0 },
};

Deno.test("operations: times in words", () => {
  assert.deepEqual([-5, 12_000, 200_000, 7_300_000, 200_000_000].map(span), ["0 s", "12 s", "3 min", "2 h", "2 d"]);
});

Deno.test("operations: what an admin should look at", () => {
  assert.deepEqual(concerns(OPERATIONS), []);
  const found = concerns({
    ...OPERATIONS,
    queues: { ...OPERATIONS.queues, triggers_overdue: 2 },
    processes: [
      { ...PROCESS, tick: { ...PASS, fault: "the database is away" } },
      { ...PROCESS, number: 2, release: "b", sweep: { ...PASS, at: "2026-11-22T17:55:00.000+00:00" } },
    ],
  });
  assert.deepEqual(found, [
    "The scheduler of process 1 failed: the database is away",
    "The clean-up of process 2 has not begun for 5 min.",
    "2 triggers have been due for more than two minutes.",
    "The processes run different releases: restart the older ones.",
  ]);
});
