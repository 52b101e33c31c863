/** Executes one step of a program, with its effects, as the viewer. */
import { actorOf } from "../../../actor.ts";
import type { Context } from "../../../context.ts";
import { invalid, notFound } from "../../../errors.ts";
import { asksOutside, type JsonObject, mayWait, parseProgram, seenRun, type Step, walk } from "../../../flow/flow.ts";
import { byPath } from "../warnings.ts";
import { readKnown } from "./check.ts";
import { answersOf, findKnown, type KnownRun, seenBy, userOf } from "./recorded.ts";
import type { StepToTest, TestedStep } from "./schema.ts";

const MOST_MS = 30_000;

/** @throws {Refusal} 404; 422 if the program has faults or no such step */
export async function testStep(
  ctx: Context,
  { id, step: step_id, program, values, run_id }: StepToTest,
): Promise<TestedStep> {
  const { viewer, flows, clock } = ctx;
  const flow = await readKnown(ctx, id);
  const recorded = run_id === undefined ? undefined : await findKnown(ctx, flow, run_id);
  if (run_id !== undefined && !recorded) throw notFound("Flow process");
  const read = parseProgram(program ?? flow.fields.program);
  if ("faults" in read) throw invalid(byPath(read.faults));
  const all = [...walk(read.steps)].map(({ step }) => step);
  const step = all.find(({ id }) => id === step_id);
  if (!step) throw invalid({ step: ["is not the id of a step of the program"] });
  const waits = [...walk([step])].some(({ step: { type } }) => mayWait(type));
  if (waits) throw invalid({ step: ["is one at which a run waits, or has one inside: try it with a dry run"] });
  const scope = recorded ? await scopeAt(ctx, flow, read.steps, recorded, step_id) : {};
  const effects = [...walk([step])].filter(({ step }) => asksOutside(step.type));
  if (effects.length > 0) await insertTest(ctx, id, step);
  const { steps, outcome } = await flows.testStep({
    account_id: viewer.account_id,
    flow,
    // One attempt: a test does not wait for another one. A disabled step is executed, because it is asked for.
    program: [{ ...step, retry: undefined, disabled: undefined }],
    input: inputOf({ ...scope, ...values }),
    secret_inputs: flow.secret_inputs,
    user: await userOf(ctx, viewer),
    run: seenRun(clock.now()),
    user_id: viewer.user_id,
    reach: () => Promise.resolve(viewer),
    most_ms: MOST_MS,
    values: { ...scope, ...values },
    takes_input: all.find(({ type, disabled }) => type === "mutation" && !disabled) === step,
  });
  const [first] = steps;
  return {
    status: first?.status === "finished" ? "finished" : "error",
    output: first?.output ?? null,
    error: first ? first.error : outcome.error,
    steps,
  };
}

/** The names that the step's templates saw in a run; those at its end if the run did not execute the step. */
async function scopeAt(
  { viewer, flows }: Context,
  flow: Parameters<typeof findKnown>[1] & { department_id: number | null },
  program: readonly Step[],
  run: KnownRun,
  step_id: string,
): Promise<JsonObject> {
  let at: JsonObject | undefined;
  let last: JsonObject = {};
  await flows.rehearse({
    account_id: viewer.account_id,
    flow,
    program,
    input: run.input,
    user: null,
    run: seenBy(run),
    trigger_data: run.trigger_data ?? undefined,
    user_id: run.user_id,
    reach: () => Promise.resolve(viewer),
    most_ms: MOST_MS,
    answer: answersOf(run.steps),
    unanswered: "null",
    note(step, _place, scope) {
      if (step.id === step_id) at = { ...scope };
      last = scope;
    },
  });
  // `user` and `run` are those of the test.
  const { user: _user, run: _run, ...names } = at ?? last;
  return names;
}

const inputOf = ({ input }: JsonObject): JsonObject =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};

/** Noted before the step is executed, whatever becomes of it. */
async function insertTest({ sql, viewer, call }: Context, flow: number, { id, type }: Step): Promise<void> {
  const { user_id, ...actor } = actorOf(call);
  await sql`
    insert into audit_entries (account_id, action, object, object_id, user_id, actor, after)
    values (${viewer.account_id}, 'test_step', 'flow', ${`${flow}`}, ${user_id}, ${JSON.stringify(actor)}::text::jsonb,
      ${JSON.stringify({ step: id, type })}::text::jsonb)
  `;
}
