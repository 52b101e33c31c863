/** Checks a program without executing it: its faults, its warnings, and its templates with the values of a run. */
import type { Context } from "../../../context.ts";
import { type Fields, notFound, Refusal } from "../../../errors.ts";
import { parseProgram, seenRun, type Step } from "../../../flow/flow.ts";
import { faultsOfCode } from "../code.ts";
import { findFlow } from "../queries.ts";
import type { Flow } from "../schema.ts";
import { byPath, warningsOf } from "../warnings.ts";
import { proveWiring } from "../wiring.ts";
import { answersOf, findRecorded, type RecordedRun, seenBy, userOf } from "./recorded.ts";
import type { Check, Checked } from "./schema.ts";

const MOST_MS = 10_000;

/** @throws {Refusal} 404 */
export async function checkFlow(ctx: Context, { id, program, run_id }: Check): Promise<Checked> {
  const flow = await readKnown(ctx, id);
  const run = await findRecorded(ctx.sql, ctx.viewer, flow, run_id);
  if (run_id !== undefined && !run) throw notFound("Flow process");
  const text = program ?? flow.fields.program;
  const read = parseProgram(text);
  const none = { run_id: run?.id ?? null, warnings: {}, rendered: [] };
  if ("faults" in read) return { ...none, errors: byPath(read.faults) };
  const errors = { ...byPath(await faultsOfCode(ctx, text)), ...await wiringFaults(ctx, text) };
  const warnings = await warningsOf(ctx, text);
  return { run_id: none.run_id, errors, warnings, rendered: await renderedOf(ctx, flow, read.steps, run) };
}

/** @throws {Refusal} 404 */
export async function readKnown({ sql, viewer }: Context, id: number): Promise<Omit<Flow, "warnings">> {
  const flow = await findFlow(sql, viewer, id);
  if (!flow) throw notFound("Flow");
  return flow.parse();
}

async function wiringFaults(ctx: Context, program: unknown): Promise<Fields> {
  try {
    await proveWiring(ctx, program);
    return {};
  } catch (error) {
    if (error instanceof Refusal && error.fields) return error.fields;
    throw error;
  }
}

/** Rehearses the program, so that each template is filled with the values that it sees at its place. */
async function renderedOf(
  ctx: Context,
  flow: Omit<Flow, "warnings">,
  steps: readonly Step[],
  run: RecordedRun | undefined,
): Promise<Checked["rendered"]> {
  const { viewer, flows, clock } = ctx;
  const rendered = await flows.render({
    account_id: viewer.account_id,
    flow,
    program: steps,
    input: run?.input ?? {},
    user: await userOf(ctx, run ?? viewer),
    run: run ? seenBy(run) : seenRun(clock.now()),
    trigger_data: run?.trigger_data ?? undefined,
    user_id: run?.user_id ?? viewer.user_id,
    reach: () => Promise.resolve(viewer),
    most_ms: MOST_MS,
    answer: run ? answersOf(run.steps) : () => undefined,
    unanswered: "null",
  });
  return rendered.map(({ path, ...template }) => ({ path: ["fields", "program", ...path].join("."), ...template }));
}
