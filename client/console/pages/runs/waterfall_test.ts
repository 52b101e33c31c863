import { deepEqual, equal } from "node:assert/strict";
import type { Step, WholeRun } from "./runs.ts";
import { type Node, pathTo, readProgram, ticksOf, waterfall } from "./waterfall.ts";

const START = Date.parse("2026-11-22T10:00:00.000Z");
const at = (ms: number) => new Date(START + ms).toISOString();

const step = (place: string, type: string, from: number, ms: number, more: Partial<Step> = {}): Step => ({
  place,
  id: place.split(".").at(-1) ?? place,
  type,
  name: null,
  status: "finished",
  input: null,
  output: null,
  http_status: null,
  warnings: [],
  error: null,
  attempts: 1,
  started_at: at(from),
  ms,
  ...more,
});

const runOf = (steps: Step[], ms: number): WholeRun => ({
  id: "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55",
  flow_code: "notes",
  flow_version: 1,
  status: "error",
  trigger: "manual",
  error: null,
  app_id: null,
  action: null,
  cron_id: null,
  user_id: null,
  department_id: null,
  retry_of: null,
  parent_id: null,
  failure_of: null,
  failure_run_id: null,
  attempts: 1,
  failed_steps: 1,
  warnings: 0,
  started_at: at(0),
  queued: false,
  wake_at: null,
  finished_at: at(ms),
  ms,
  input: {},
  data: null,
  steps,
});

const PROGRAM = [
  { type: "mutation", set: {} },
  {
    type: "for_each",
    id: "each",
    items: "{jobs}",
    steps: [
      { type: "if", condition: "{item}", then: [{ type: "connector", id: "sms" }], else: [{ type: "fail" }] },
      { type: "record", id: "note" },
    ],
  },
  { type: "return" },
];

const outline = (nodes: Node[]): unknown[] =>
  nodes.map(({ name, step, children }) => [name, step ? "" : "-", ...outline(children)]);

Deno.test("waterfall: names of steps are the server's", () => {
  const ids = (steps: ReturnType<typeof readProgram>): unknown[] =>
    steps.map(({ id, branches }) => branches.length > 0 ? [id, ...branches.map(ids)] : id);
  deepEqual(ids(readProgram(PROGRAM)), ["step_1", ["each", [["step_2", ["sms"], ["step_3"]], "note"]], "step_4"]);
});

Deno.test("waterfall: iterations that went well are folded, attempts stand below their step", () => {
  const attempts = [
    { status: 503, error: null, started_at: at(400), ms: 50 },
    { status: null, error: "timed out", started_at: at(600), ms: 100 },
  ];
  const call = { method: "POST", url: "https://x.test", headers: {}, attempts };
  const good = [0, 1].flatMap((n) => [
    step(`each.${n}.step_2`, "if", n * 100, 90, { output: true }),
    step(`each.${n}.sms`, "connector", n * 100, 40),
    step(`each.${n}.note`, "record", n * 100 + 50, 40),
  ]);
  const run = runOf([
    step("step_1", "mutation", 0, 1),
    step("each", "for_each", 1, 699, { status: "error", output: { count: 4 } }),
    ...good,
    step("each.2.step_2", "if", 400, 300, { output: true, status: "error" }),
    step("each.2.sms", "connector", 400, 300, { status: "error", call }),
  ], 700);
  const { nodes, ms } = waterfall(run, PROGRAM, START);
  equal(ms, 700);
  const third = ["Iteration 3", "-", ["step_2", "", ["sms", "", ["Attempt 1", ""], ["Attempt 2", ""]]], ["note", "-"]];
  const whole = (n: number) => [`Iteration ${n}`, "-", ["step_2", "", ["sms", ""]], ["note", ""]];
  deepEqual(outline(nodes), [
    ["step_1", ""],
    ["each", "", ["Iterations 1–2", "-", whole(1), whole(2)], third, ["Iteration 4", "-"]],
    ["step_4", "-"],
  ]);
  deepEqual(pathTo(nodes, "each.2.sms"), ["each", "each.2", "each.2.step_2", "each.2.sms"]);
  const each = nodes[1]?.children[1]?.children[0]?.children[0];
  deepEqual(each?.spans.map(({ from, to, kind }) => [from, to, kind]), [[400, 450, "bad"], [450, 600, "wait"], [
    600,
    700,
    "bad",
  ]]);
});

Deno.test("waterfall: an iteration that was cancelled is not folded among those that went well", () => {
  const run = runOf([
    step("step_1", "mutation", 0, 1),
    step("each", "for_each", 1, 699, { status: "cancelled" }),
    step("each.0.sms", "connector", 1, 40),
    step("each.1.sms", "connector", 41, 40),
    step("each.2.sms", "connector", 81, 619, { status: "cancelled", error: "Cancelled" }),
  ], 700);
  const program = [{ type: "mutation" }, { type: "for_each", id: "each", steps: [{ type: "connector", id: "sms" }] }];
  const each = waterfall(run, program, START).nodes[1];
  deepEqual(each?.children.map(({ name, bad, cancelled }) => [name, bad, cancelled]), [
    ["Iterations 1–2", false, false],
    ["Iteration 3", false, true],
  ]);
  deepEqual(each?.children[1]?.spans, [{ from: 81, to: 700, kind: "around" }]);
  deepEqual([each?.bad, each?.cancelled], [false, true]);
});

Deno.test("waterfall: an axis has few round marks", () => {
  deepEqual(ticksOf(700), [0, 200, 400, 600]);
  deepEqual(ticksOf(31_400), [0, 10_000, 20_000, 30_000]);
});

Deno.test("waterfall: a step that was computed again after a wait is drawn where it was executed first", () => {
  const program = [
    { type: "mutation", id: "set" },
    { type: "for_each", id: "each", steps: [{ type: "connector", id: "call" }, { type: "mutation", id: "add" }] },
    { type: "wait", id: "pause" },
    { type: "return", id: "end" },
  ];
  const steps = [
    step("set", "mutation", 2010, 0),
    step("each", "for_each", 2010, 1),
    step("each.0.call", "connector", 5, 10),
    step("each.0.add", "mutation", 2010, 0),
    step("pause", "wait", 20, 1990),
    step("end", "return", 2012, 0),
  ];
  const { nodes } = waterfall(runOf(steps, 2012), program, START);
  const spans = Object.fromEntries(nodes.map(({ name, spans: [span] }) => [name, [span?.from, span?.to]]));
  deepEqual(spans, { set: [5, 5], each: [5, 20], pause: [20, 2010], end: [2012, 2012] });
  deepEqual(nodes[1]?.children[0]?.spans, [{ from: 5, to: 20, kind: "around" }]);
});

Deno.test("waterfall: a step without a name has its line as a title, and its id beside it", () => {
  const { nodes } = waterfall(runOf([step("step_1", "mutation", 0, 1)], 1), PROGRAM, START, ({ type }) => `Do ${type}`);
  deepEqual(nodes.map(({ name, id }) => [name, id]), [["Do mutation", "step_1"], ["Do for_each", "each"], [
    "Do return",
    "step_4",
  ]]);
  const [plain] = waterfall(runOf([], 1), [{ type: "return", id: "end" }], START).nodes;
  deepEqual([plain?.name, plain?.id], ["end", undefined]);
});
