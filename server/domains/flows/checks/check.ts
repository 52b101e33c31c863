/** Checks a program without executing it: its faults, its warnings, and its templates with the values of a run. */
import type { Context } from "../../../context.ts";
import { type Fields, invalid, notFound, Refusal } from "../../../errors.ts";
import { type Fault, parseProgram, seenRun, type Step, walk } from "../../../flow/flow.ts";
import { faultsOfCode } from "../code.ts";
import { findFlow } from "../queries.ts";
import type { Flow } from "../schema.ts";
import { byPath, warningsOf } from "../warnings.ts";
import { proveWiring } from "../wiring.ts";
import { answersOf, findKnown, type KnownRun, seenBy, userOf } from "./recorded.ts";
import type { Check, Checked } from "./schema.ts";

const MOST_MS = 10_000;

/** @throws {Refusal} 404; 422 if a program without faults has no such step */
export async function checkFlow(ctx: Context, { id, program, run_id, step }: Check): Promise<Checked> {
  const flow = await readKnown(ctx, id);
  const run = await findKnown(ctx, flow, run_id);
  if (run_id !== undefined && !run) throw notFound("Flow process");
  const text = program ?? flow.fields.program;
  const read = parseProgram(text);
  const none = { run_id: run?.id ?? null, warnings: {}, rendered: [], scope: [] };
  if ("faults" in read) {
    const errors = byPath(read.faults);
    // Who is writing a step wants to know its names while it is not complete.
    const rest = step === undefined ? read : parseProgram(withoutFaulty(text, read.faults));
    if ("faults" in rest) return { ...none, errors };
    return { ...none, errors, scope: (await renderedOf(ctx, flow, rest.steps, run, step)).scope };
  }
  if (step !== undefined && ![...walk(read.steps)].some(({ step: { id } }) => id === step)) {
    throw invalid({ step: ["is not the id of a step of the program"] });
  }
  const errors = { ...byPath(await faultsOfCode(ctx, text)), ...await wiringFaults(ctx, text) };
  const warnings = await warningsOf(ctx, { program: text, department_id: flow.department_id });
  return { run_id: none.run_id, errors, warnings, ...await renderedOf(ctx, flow, read.steps, run, step) };
}

/** @throws {Refusal} 404 */
export async function readKnown({ sql, viewer }: Context, id: number): Promise<Omit<Flow, "warnings">> {
  const flow = await findFlow(sql, viewer, id);
  if (!flow) throw notFound("Flow");
  return flow.parse();
}

/** A copy of a program in which steps with faults do nothing. */
function withoutFaulty(program: unknown, faults: readonly Fault[]): unknown {
  const copy: unknown = structuredClone(program);
  for (const { path } of faults) {
    let list: unknown;
    let index = -1;
    let part: unknown = copy;
    for (const key of path) {
      const inner: unknown = Reflect.get(Object(part), key);
      if (Array.isArray(part) && typeof Reflect.get(Object(inner), "type") === "string") {
        [list, index] = [part, Number(key)];
      }
      part = inner;
    }
    if (!Array.isArray(list)) continue;
    const { id } = Object(list[index]);
    list[index] = { type: "mutation", set: {}, ...typeof id === "string" && { id } };
  }
  return copy;
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
  run: KnownRun | undefined,
  step: string | undefined,
): Promise<Pick<Checked, "rendered" | "scope">> {
  const { viewer, flows, clock } = ctx;
  const { rendered, scope } = await flows.render({
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
  }, step);
  return {
    rendered: rendered.map(({ path, ...template }) => ({
      path: ["fields", "program", ...path].join("."),
      ...template,
    })),
    scope,
  };
}
