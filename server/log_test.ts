import assert from "node:assert/strict";
import { createLog, createRecentLines, faultOf } from "./log.ts";
import { until } from "../test/stage/until.ts";

const TIME = Date.parse("2026-11-21T08:30:00.123Z");

function logged() {
  const writes: string[] = [];
  const log = createLog((text) => writes.push(text), () => TIME);
  const lines = () => writes.join("").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return { log, writes, lines };
}

const LINE = { request_id: "r-1", method: "GET", route: "/a/b", status: 200, ms: 1.5, account: 1, user: 2 };

Deno.test("log: one JSON line an event", () => {
  const { log, lines } = logged();
  log.info("started", { port: 1 });
  log.warn("odd");
  log.error("failed", { text: 'two\n"lines"' });
  const time = "2026-11-21T08:30:00.123Z";
  assert.deepEqual(lines(), [
    { time, level: "info", event: "started", port: 1 },
    { time, level: "warn", event: "odd" },
    { time, level: "error", event: "failed", text: 'two\n"lines"' },
  ]);
});

Deno.test("log: a request's line, and nothing that came with it can forge another", () => {
  const { log, writes, lines } = logged();
  log.request(LINE);
  log.request({ ...LINE, account: undefined, user: undefined });
  const route = '/a"}\n{"level":"error"\u2028\u0000\ud800';
  log.request({ ...LINE, method: 'X"\n', route });
  log.flush();
  const { account: _account, user: _user, ...stranger } = LINE;
  const time = "2026-11-21T08:30:00.123Z";
  assert.deepEqual(lines(), [
    { time, level: "info", event: "request", ...LINE },
    { time, level: "info", event: "request", ...stranger },
    { time, level: "info", event: "request", ...LINE, method: 'X"\n', route },
  ]);
  assert.equal(writes.join("").split("\n").length, 4);
});

Deno.test("log: lines are buffered; errors, much text and flush() write at once", async () => {
  const { log, writes } = logged();
  log.info("one");
  log.info("two");
  assert.deepEqual(writes, []);
  await until(() => writes.length > 0, "the log is written");
  assert.equal(writes.length, 1);
  log.info("three");
  log.error("four");
  assert.equal(writes.length, 2);
  assert.match(writes[1] ?? "", /"three".*\n.*"four".*\n$/);
  log.info("long", { text: "x".repeat(70_000) });
  assert.equal(writes.length, 3);
  log.info("last");
  log.flush();
  log.flush();
  assert.equal(writes.length, 4);
});

Deno.test("log: a fault is its kind, code, stack and cause, never a statement's parameters", () => {
  const cause = Object.assign(new TypeError("inside"), { code: "ECONNREFUSED" });
  const error = new Error("outside", { cause });
  Object.assign(error, { parameters: ["hunter2"], query: "select 'hunter2'", args: ["hunter2"] });
  const fault = faultOf(error);
  assert.deepEqual([fault.fault, fault.kind, fault.code], ["outside", "Error", undefined]);
  assert.match(String(fault.stack), /log_test\.ts/);
  assert.deepEqual({ ...Object(fault.cause), stack: "" }, {
    fault: "inside",
    kind: "TypeError",
    code: "ECONNREFUSED",
    stack: "",
    cause: undefined,
  });
  assert.doesNotMatch(JSON.stringify(fault), /hunter2/);
  assert.deepEqual([faultOf("text"), faultOf(undefined)], [{ fault: "text" }, { fault: "undefined" }]);
});

Deno.test("log: of the latest lines only those that are too long are shortened", () => {
  const line = (event: string, text: string) => JSON.stringify({ time: "", level: "info", event, text }) + "\n";
  const short = line("short", "x".repeat(100)).repeat(100);
  const recent = createRecentLines();
  recent.add(short + line("long", "x".repeat(9_000)) + line("last", "x"));
  const lines = recent.newest({}, 1_000);
  assert.deepEqual(lines.map(({ event }) => event), [...Array.from({ length: 100 }, () => "short"), "long", "last"]);
  assert.deepEqual(lines.filter(({ detail }) => "cut" in detail).map(({ event }) => event), ["long"]);
  recent.add(line("only", "x".repeat(8_000)));
  assert.ok("cut" in (recent.newest({}, 1)[0]?.detail ?? {}));
});
