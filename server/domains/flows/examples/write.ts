/** Keeping, renaming and deleting examples. */
import type { Context } from "../../../context.ts";
import type { Json } from "../../../database/json.ts";
import { invalid, notFound } from "../../../errors.ts";
import { parseProgram, storable } from "../../../flow/flow.ts";
import { findVersion } from "../../flow_processes/queries.ts";
import { readKnown } from "../checks/check.ts";
import { answersByPlace, findRecorded, type RecordedRun, seenBy, userOf } from "../checks/recorded.ts";
import { lockFlow } from "../queries.ts";
import { type RehearsedFlow, rehearseExample } from "./check.ts";
import { deleteExample, insertExample, listExamples, MOST_EXAMPLES, type Recorded, renameExample } from "./queries.ts";
import type { ByFlowExample, FlowExample, NewFlowExample, RenamedFlowExample } from "./schema.ts";

/** Characters of what an example keeps. */
const MOST_RECORDED = 256 * 1024;

/** @throws {Refusal} 404 */
export async function readExamples(ctx: Context, id: number): Promise<Json<FlowExample[]>> {
  await readKnown(ctx, id);
  return await listExamples(ctx.sql, ctx.viewer.account_id, id);
}

/** Keeps a run as an example. @throws {Refusal} 404; 422 */
export async function createExample(
  ctx: Context,
  { id, run_id, name = run_id }: NewFlowExample,
): Promise<Json<FlowExample>> {
  const { sql, viewer } = ctx;
  const flow = await readKnown(ctx, id);
  const run = await findRecorded(sql, viewer, flow, run_id);
  if (!run) throw invalid({ run_id: ["is not the id of a run of this flow that has ended"] });
  const { sealed, ...recorded } = await recordedOf(ctx, flow, run);
  const text = storable(recorded);
  if (text.length > MOST_RECORDED) {
    throw invalid({
      run_id: [`has more input, answers and outputs than an example keeps (${MOST_RECORDED} characters)`],
    });
  }
  return await sql.begin(async (tx) => {
    if (!await lockFlow(tx, viewer, id)) throw notFound("Flow");
    const created = await insertExample(tx, viewer, id, name, text, sealed);
    if (!created) throw invalid({ base: [`A flow has at most ${MOST_EXAMPLES} examples`] });
    return created;
  });
}

/**
 * What the example keeps of the run. Its outcome and steps are those of a rehearsal on the program that the run used: what the run
 * alone knew, such as the millisecond of its start, is no difference later.
 *
 * @throws {Refusal} 422 if a rehearsal of the run ends otherwise than the run
 */
async function recordedOf(
  ctx: Context,
  flow: RehearsedFlow,
  run: RecordedRun,
): Promise<Recorded> {
  const { sql, viewer } = ctx;
  const { flow_version, status, error, trigger_data, user_id, input, sealed } = run;
  if (status === "cancelled") throw invalid({ run_id: ["was cancelled"] });
  const used = (await findVersion(sql, { account_id: viewer.account_id, flow_id: flow.id, flow_version }))?.parse();
  const read = parseProgram(used?.program);
  if ("faults" in read) throw invalid({ run_id: ["has a program that cannot be read any more"] });
  const kept = {
    run: seenBy(run),
    trigger_data,
    user: /\buser\b/.test(JSON.stringify(used?.program)) ? await userOf(ctx, run) : null,
    user_id,
    input,
    sealed,
    answers: Object.fromEntries(answersByPlace(run.steps)),
  };
  const declared = { input: used?.input, output: used?.output, secret_inputs: used?.secret_inputs ?? [] };
  const { outcome, steps } = await rehearseExample(ctx, { ...flow, ...declared }, read.steps, kept);
  if (outcome.status !== status || outcome.error !== error) {
    const ended = outcome.error === null ? "finishes" : `ends with: ${outcome.error}`;
    throw invalid({ run_id: [`cannot be repeated from what is kept of it: a rehearsal ${ended}`] });
  }
  return { ...kept, outcome, steps };
}

/** @throws {Refusal} 404; 422 */
export async function changeExample(
  ctx: Context,
  { id, example_id, name }: RenamedFlowExample,
): Promise<Json<FlowExample>> {
  await readKnown(ctx, id);
  const renamed = await renameExample(ctx.sql, ctx.viewer.account_id, id, example_id, name);
  if (!renamed) throw notFound("Example");
  return renamed;
}

/** @throws {Refusal} 404 */
export async function removeExample(ctx: Context, { id, example_id }: ByFlowExample): Promise<void> {
  await readKnown(ctx, id);
  if (!await deleteExample(ctx.sql, ctx.viewer.account_id, id, example_id)) throw notFound("Example");
}
