/** Hostile flows of one account, while another account's runs and /healthz go on. */
import assert from "node:assert/strict";
import { until } from "../../stage/until.ts";
import { addTeam, startStage } from "../../flow/flow_stage.ts";

const FLOWS: [program: unknown[], error: RegExp][] = [
  [
    [{ type: "return", data: `{= $match('${"a".repeat(40)}!', /(a+)+$/) }` }],
    /^step_1: \{= \$match.* took longer than 1 s$/,
  ],
  [
    [{
      type: "code",
      source: "export default () => { for (;;); }",
      timeout: 1,
      retry: { attempts: 2, delay: 0, on: ["timeout"] },
    }],
    /^step_1: took longer than 1 s$/,
  ],
  [
    [{ type: "code", source: "export default () => { const all: unknown[] = []; for (;;) all.push([all.length]); }" }],
    /^step_1: (needs more than 64 MB of memory|took longer than 5 s)$/,
  ],
  [
    [{ type: "for_each", items: "{= [1..1000000] }", steps: [] }],
    /^step_1: \{= \[1\.\.1000000\] \} returns more than 1 MiB/,
  ],
  [
    [{ type: "mutation", set: { x: "y" } }, {
      type: "repeat",
      while: "{x} exists",
      most: 100,
      steps: [{ type: "mutation", set: { x: "{x}{x}" } }],
    }],
    /^step_2\.\d+\.\w+: .*1 MiB/,
  ],
  [
    [{ type: "mutation", set: { x: "{= $pad('', 1000000, 'x') }" } }, {
      type: "return",
      data: "{x|upper|slice:0:1}".repeat(40),
    }],
    /^step_2: The filters read and write more than 16 MiB$/,
  ],
];

Deno.test("hostile flows: each ends with its step's error; others' runs and /healthz go on", async () => {
  await using stage = await startStage();
  const [hostile, other] = [await addTeam(stage), await addTeam(stage)];
  let is_over = false;
  const attacks = Promise.all(FLOWS.map(async ([program, error]) => {
    let { process } = await hostile.run(program);
    // On a busy machine a run may take longer than its caller waits.
    await until(async () => {
      process = await hostile.inspect(process.id);
      return process.status !== "pending";
    }, "the run ends");
    assert.equal(process.status, "error", JSON.stringify(process).slice(0, 300));
    assert.match(process.error, error);
    return process;
  })).finally(() => is_over = true);
  const { id } = await other.addFlow([
    { type: "mutation", set: { n: 1 } },
    { type: "return", data: "{= n + 1 }" },
  ]);
  do {
    const [{ body }, health] = await Promise.all([
      other.ask("POST", `/connect/flows/${id}/run.json`, { json: { input: { n: 41 } } }),
      stage.server.request("GET", "/healthz"),
    ]);
    assert.equal(health.status, 200);
    assert.deepEqual([body.status, body.data], ["finished", 42]);
  } while (!is_over);
  const [, endless] = await attacks;
  assert.equal(endless.steps[0].attempts, 2, "a step that took too long is repeated");
});
