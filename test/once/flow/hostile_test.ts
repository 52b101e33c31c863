/** Hostile programs: each ends as an error of its step, and other accounts notice nothing. */
import assert from "node:assert/strict";
import { childEnvironment } from "../../../server/config.ts";
import { createEvaluations, type Evaluation, type Evaluations } from "../../../server/flow/confined/evaluations.ts";
import { until } from "../../stage/until.ts";
import { HOSTILE, type Hostile } from "./hostile_programs.ts";

/** Endless programs need not run for as long as they may. */
const SHORT_MS = 300;

const started: number[] = [];

const open = (expression_ms?: number) =>
  createEvaluations({
    environment: childEnvironment(Deno.env.toObject()),
    log: {
      info: (event, detail) => void (event === "confined_process_started" && started.push(Number(detail?.pid))),
      warn() {},
    },
    expression_ms,
  });

const at = (account_id: number): Evaluation => ({
  account_id,
  seed: "run/step",
  now: 0,
  signal: new AbortController().signal,
});

async function outcomeOf(
  evaluations: Evaluations,
  { expression, code }: Hostile,
  account_id: number,
  most_ms?: number,
) {
  if (expression === undefined) {
    return await evaluations.code(at(account_id), `var atrium_code = { default: ${code} }`, {}, most_ms);
  }
  return (await evaluations.expressions(at(account_id), [expression], 0, {})).get(expression);
}

Deno.test("hostile: a hundred programs end with an error or an innocent value, and all processes with them", async (t) => {
  assert.ok(HOSTILE.length >= 100, String(HOSTILE.length));
  const [short, usual] = [open(SHORT_MS), open()];
  try {
    const isEndless = ({ error }: Hostile) => error?.test("took longer than") ?? false;
    const play = async (program: Hostile, account_id: number) => {
      const outcome = isEndless(program)
        ? await outcomeOf(short, program, account_id, SHORT_MS)
        : await outcomeOf(usual, program, account_id);
      const { name, error, value } = program;
      const kind = program.code === undefined ? "expression" : "code";
      if (!error) {
        return assert.deepEqual(outcome && "value" in outcome ? outcome.value : outcome, value, `${kind}: ${name}`);
      }
      const message = outcome && "error" in outcome
        ? outcome.error
        : `no error: ${JSON.stringify(outcome).slice(0, 200)}`;
      assert.match(message, error, `${kind}: ${name}`);
    };
    const failures: string[] = [];
    // Two accounts, each with one program after the other.
    const queue = [...HOSTILE];
    await Promise.all([1, 2].map(async (account_id) => {
      for (let program = queue.shift(); program; program = queue.shift()) {
        await play(program, account_id).catch((error) => failures.push(`${program.name}: ${error.message}`));
      }
    }));
    assert.deepEqual(failures, []);
    await t.step("the next program of the same account finds nothing of them", async () => {
      const clean = await usual.code(at(1), "var atrium_code = { default: () => [{}.error, [].toJSON, typeof x] }", {});
      assert.deepEqual("value" in clean && clean.value, [null, null, "undefined"]);
    });
  } finally {
    await Promise.all([short.close(), usual.close()]);
  }
  for (const pid of started) {
    await until(() => Deno.stat(`/proc/${pid}`).then(() => false, () => true), `${pid} is gone`);
  }
});
