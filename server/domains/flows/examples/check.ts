/** Rehearses a program with the answers of its examples, and compares what it does with what was recorded. */
import type { Context } from "../../../context.ts";
import { type Fields, invalid } from "../../../errors.ts";
import {
  type ComparedStep,
  conform,
  type Difference,
  differencesOf,
  parseProgram,
  type Performed,
  readSchema,
  sentenceOf as sentenceOfFaults,
  type Step,
} from "../../../flow/flow.ts";
import { readKnown } from "../checks/check.ts";
import { byPath } from "../warnings.ts";
import { type KnownExample, listRecorded, type Recorded } from "./queries.ts";
import type { CheckedExample, CheckedExamples, ExamplesToCheck } from "./schema.ts";

const MOST_MS = 10_000;
/** Of all examples together. */
const MOST_MS_OF_ALL = 30_000;

export interface RehearsedFlow {
  id: number;
  code: string;
  department_id: number | null;
  /** The JSON Schemas that the program declares; null where it declares none. */
  input: unknown;
  output: unknown;
  secret_inputs: readonly string[];
}

/** @throws {Refusal} 404; 422 if the program has faults */
export async function checkExamples(ctx: Context, { id, program }: ExamplesToCheck): Promise<CheckedExamples> {
  const flow = await readKnown(ctx, id);
  const read = parseProgram(program ?? flow.fields.program);
  if ("faults" in read) throw invalid(byPath(read.faults));
  return await checkAll(ctx, flow, read.steps);
}

async function checkAll(ctx: Context, flow: RehearsedFlow, program: readonly Step[]): Promise<CheckedExamples> {
  const known = await listRecorded(ctx.sql, ctx.viewer.account_id, flow.id);
  const until = performance.now() + MOST_MS_OF_ALL;
  const examples: CheckedExample[] = [];
  // One after the other: an account may rehearse two programs at once.
  for (const example of known) {
    examples.push(
      performance.now() < until ? await checkOne(ctx, flow, program, example) : {
        id: example.id,
        name: example.name,
        ok: false,
        differences: [{
          place: null,
          what: "error",
          before: null,
          after: `was not checked: the examples before it took ${MOST_MS_OF_ALL / 1000} s`,
          fails: true,
        }],
      },
    );
  }
  return { ok: examples.every(({ ok }) => ok), examples };
}

async function checkOne(
  ctx: Context,
  flow: RehearsedFlow,
  program: readonly Step[],
  { id, name, recorded }: KnownExample,
): Promise<CheckedExample> {
  const differences = differencesOf(recorded, await rehearseExample(ctx, flow, program, recorded));
  return { id, name, ok: !differences.some(({ fails }) => fails), differences };
}

/** Executes a program with the recorded input and answers. */
export async function rehearseExample(
  { viewer, flows }: Context,
  flow: RehearsedFlow,
  program: readonly Step[],
  { run, trigger_data, user, user_id, input, sealed, answers }: Omit<Recorded, "outcome" | "steps">,
): Promise<Performed & { steps: ComparedStep[] }> {
  const declared = readSchema(flow.input);
  // Secrets are not checked: their values are encrypted here.
  const conformed = declared && sealed === null ? conform(declared, input) : undefined;
  if (conformed && "faults" in conformed) {
    const error = `The input is not what the flow declares: ${sentenceOfFaults(conformed.faults, "input")}`;
    return { outcome: { status: "error", data: null, error }, steps: [] };
  }
  const given = new Map(Object.entries(answers));
  const { outcome, steps } = await flows.rehearse({
    account_id: viewer.account_id,
    flow,
    program,
    input,
    output: readSchema(flow.output),
    sealed: sealed === null ? undefined : { of: run.id, text: sealed },
    secret_inputs: flow.secret_inputs,
    user,
    run,
    trigger_data: trigger_data ?? undefined,
    user_id,
    reach: () => Promise.resolve(viewer),
    most_ms: MOST_MS,
    answer: (place) => given.get(place),
    unanswered: "fail",
  });
  return { outcome, steps };
}

/** @throws {Refusal} 422 that names the examples which fail, and how */
export async function proveExamples(ctx: Context, flow: RehearsedFlow, program: unknown): Promise<void> {
  const read = parseProgram(program);
  if ("faults" in read) return;
  const { examples } = await checkAll(ctx, flow, read.steps);
  const failed = examples.filter(({ ok }) => !ok);
  if (failed.length === 0) return;
  const fields: Fields = {};
  for (const { name, differences } of failed) {
    const told = differences.filter(({ fails }) => fails).slice(0, MOST_TOLD).map(sentenceOf).join("; ");
    (fields.examples ??= []).push(`“${name}” fails: ${told}`);
  }
  throw invalid(fields);
}

/** Differences of an example that a refusal names. */
const MOST_TOLD = 5;
/** Characters of a value in a refusal. */
const MOST_VALUE = 100;

function sentenceOf(
  { place, what, before, after }: Pick<Difference, "place" | "what"> & { before?: unknown; after?: unknown },
) {
  if (what === "missing") return `${place} is not executed`;
  if (what === "added") return `${place} is executed`;
  return `${place === null ? what : `${place}: ${what}`} was ${told(before)} and is ${told(after)}`;
}

function told(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return text.length > MOST_VALUE ? `${text.slice(0, MOST_VALUE).toWellFormed()}…` : text;
}
