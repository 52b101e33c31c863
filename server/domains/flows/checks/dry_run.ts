/** Executes a flow without effects: calls are answered with what is given or recorded. */
import type { Context } from "../../../context.ts";
import { invalid, notFound } from "../../../errors.ts";
import { type Answer, asStored, parseProgram, proveInput, readSchema, seenRun, walk } from "../../../flow/flow.ts";
import { reachOfRun } from "../../../reach.ts";
import { commonReach } from "../../../visibility.ts";
import type { FlowRun, RunAnswer } from "../schema.ts";
import { byPath } from "../warnings.ts";
import { readKnown } from "./check.ts";
import { answersOf, findRecorded, userOf } from "./recorded.ts";

const MOST_MS = 20_000;

/** @throws {Refusal} 404; 422 if the stored program cannot be read, the input does not match, or an answer is of no step */
export async function dryRun(ctx: Context, { id, input, answers = {}, run_id }: FlowRun): Promise<RunAnswer> {
  const { sql, viewer, viewers, flows, clock } = ctx;
  const flow = await readKnown(ctx, id);
  const recorded = await findRecorded(sql, viewer, flow, run_id);
  if (run_id !== undefined && !recorded) throw notFound("Flow process");
  const read = parseProgram(flow.fields.program);
  if ("faults" in read) throw invalid(byPath(read.faults));
  const ids = new Set([...walk(read.steps)].map(({ step }) => step.id));
  for (const place of Object.keys(answers)) {
    if (!ids.has(place.slice(place.lastIndexOf(".") + 1))) {
      throw invalid({ [`answers.${place}`]: ["is neither the id nor the place of a step of the program"] });
    }
  }
  const given = new Map<string, Answer>(
    Object.entries(answers).map(([place, { body, status, error }]) => [
      place,
      { output: asStored(body), http_status: status, error },
    ]),
  );
  // Record steps are executed, because what they answered then may not be true now.
  const answerOf = answersOf((recorded?.steps ?? []).filter(({ type }) => type !== "record"));
  const run = seenRun(clock.now());
  const { outcome: { status, data, error }, steps } = await flows.rehearse({
    account_id: viewer.account_id,
    flow,
    program: read.steps,
    input: proveInput(readSchema(flow.input), input),
    output: readSchema(flow.output),
    secret_inputs: flow.secret_inputs,
    user: await userOf(ctx, viewer),
    run,
    user_id: viewer.user_id,
    // With answers of its own choice, the viewer decides which records the steps look for.
    reach: async () => commonReach(await reachOfRun(viewers.users, viewer, flow), viewer),
    most_ms: MOST_MS,
    answer: (place, step_id) => given.get(place) ?? given.get(step_id) ?? answerOf(place),
    unanswered: "records",
  });
  const has_data = status === "finished" || data !== null;
  return { flow_process_id: run.id, status, ...has_data && { data }, ...error && { error }, steps };
}
