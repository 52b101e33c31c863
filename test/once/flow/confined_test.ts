/** Confined processes, without a server: what programs compute, and what they cannot. */
import assert from "node:assert/strict";
import { childEnvironment } from "../../../server/config.ts";
import { createEvaluations, type Evaluation } from "../../../server/flow/confined/evaluations.ts";
import type { Scope } from "../../../server/flow/template/template.ts";
import { until } from "../../stage/until.ts";

const events: { event: string; detail: Record<string, unknown> }[] = [];
const note = (event: string, detail: Record<string, unknown> = {}) => void events.push({ event, detail });
const pidsOf = (event: string) => events.filter((one) => one.event === event).map(({ detail }) => Number(detail.pid));

const open = (idle_ms = 60_000) =>
  createEvaluations({
    environment: childEnvironment(Deno.env.toObject()),
    log: { info: note, warn: note },
    total: 2,
    per_account: 1,
    idle_ms,
  });

const at = (more: Partial<Evaluation> = {}): Evaluation => ({
  account_id: 1,
  seed: "run/step",
  now: Date.parse("2026-03-28T10:00:00Z"),
  signal: new AbortController().signal,
  ...more,
});

const isAlive = (pid: number) => Deno.stat(`/proc/${pid}`).then(() => true, () => false);

Deno.test("confined: expressions see the names, and the same values on every replay", async () => {
  const evaluations = open();
  try {
    const scope: Scope = { items: [{ price: 10 }, { price: 5 }], rate: 1.5, other: "x" };
    const evaluate = async (expression: string, more: Partial<Evaluation> = {}, first = 0) =>
      (await evaluations.expressions(at(more), [expression], first, scope)).get(expression);
    assert.equal(events.length, 0, "no process is started before the first use");
    assert.deepEqual(await evaluate("$sum(items.price) * rate"), { value: 22.5 });
    assert.deepEqual(await evaluate("missing"), { value: null });
    assert.deepEqual(await evaluate("items[price > 7]"), { value: { price: 10 } });
    assert.deepEqual(await evaluate("$now()"), { value: "2026-03-28T10:00:00.000Z" });
    assert.deepEqual(await evaluate("$millis()"), { value: at().now });
    assert.deepEqual(await evaluate('$eval("1")'), { error: "$eval is not available" });
    assert.match(JSON.stringify(await evaluate("items + 1")), /error.*character/);
    assert.deepEqual(await evaluate("$keys($)"), { value: null }, "names that are not mentioned are not given");
    const random = await evaluate("$random()");
    assert.deepEqual(await evaluate("$random()"), random);
    assert.notDeepEqual(await evaluate("$random()", {}, 1), random, "another expression of the step");
    assert.notDeepEqual(await evaluate("$random()", { seed: "run/other" }), random, "another place");
    assert.deepEqual(await evaluate("$shuffle([1..20])"), await evaluate("$shuffle([1..20])"));
    assert.equal(pidsOf("confined_process_started").length, 1, "one process serves its account again");
    const [own] = pidsOf("confined_process_started");
    Deno.kill(own ?? 0, "SIGKILL");
    assert.deepEqual(await evaluate("1 + 1"), { value: 2 }, "a process that was ended from outside is replaced");
    await evaluate("1", { account_id: 2 });
    await evaluate("1", { account_id: 3 });
    const [, replaced, second, third] = pidsOf("confined_process_started");
    assert.equal(new Set([own, replaced, second, third]).size, 4, "no process serves two accounts");
    await until(async () => !await isAlive(replaced ?? 0), "the process that rested longest made room");
  } finally {
    await evaluations.close();
  }
  for (const pid of pidsOf("confined_process_started")) assert.equal(await isAlive(pid), false);
});

Deno.test("confined: an idle process ends, and one in an endless loop is ended with its run", async () => {
  events.length = 0;
  const evaluations = open(1);
  try {
    await evaluations.expressions(at(), ["1"], 0, {});
    const [pid = 0] = pidsOf("confined_process_started");
    await until(async () => !await isAlive(pid), "the idle process ends");
    const run = new AbortController();
    const endless = evaluations.code(at({ signal: run.signal }), "var atrium_code = { default() { for (;;); } }", {});
    await until(() => pidsOf("confined_process_started").length === 2, "another process starts");
    run.abort(new Error("cancelled"));
    await assert.rejects(endless, /cancelled/);
  } finally {
    await evaluations.close();
  }
});

Deno.test("confined: a program that goes on after its answer is ended, and the next one of its account does not wait for it", async () => {
  events.length = 0;
  const evaluations = open();
  const run = async (code: string) => {
    const performed = await evaluations.code(at(), `var atrium_code = { default: ${code} }`, {});
    return "value" in performed ? performed.value : performed.error;
  };
  try {
    const left_behind = [
      "() => { (async () => { for (;;) await null; })(); return 1; }",
      "() => { (async () => { for (let i = 0; i < 50; i++) await null; for (;;); })(); return 1; }",
    ];
    for (const [index, code] of left_behind.entries()) {
      assert.equal(await run(code), 1);
      const pid = pidsOf("confined_process_started")[index] ?? 0;
      assert.equal(await run("() => 2"), 2);
      assert.equal(await isAlive(pid), false);
      assert.equal(pidsOf("confined_process_lost")[index], pid);
    }
    assert.equal(await run("() => 3"), 3);
    assert.equal(pidsOf("confined_process_started").length, 3, "one that has ended its order is used again");
  } finally {
    await evaluations.close();
  }
});
