/**
 * Executes a program. Steps without an effect are computed again by whoever goes on with a run; what connector and
 * record steps gave stands in the journal and is taken from there, so that all the others come to the same again.
 */
import type { JsonValue } from "../../input/json_value.ts";
import { evaluate } from "../template/condition.ts";
import { type Effect, StepFault } from "../steps/effect.ts";
import type { JsonObject, RunUser } from "../flow.ts";
import { Interrupted, proveGoing, RunFault } from "./interruption.ts";
import type { ForEachStep, IfStep, MutationStep, Step } from "../program/program.ts";
import { hasEffect, isoOf, type Outcome, type StepRecord, storable } from "./run.ts";
import { render, TemplateError } from "../template/template.ts";
import { withRetry } from "./retry.ts";

/** Source: design, flows, "Limits". */
const MOST_STEPS = 1_000;
const MOST_CONTEXT = 1024 * 1024;
const TOO_MUCH = "the run's context is larger than 1 MiB";
/** Characters of what all steps were given, beyond which it is not kept. */
const MOST_INPUTS = 1024 * 1024;
/** Steps without an effect are executed in one go for so long; then others have their turn. */
const LONGEST_GO_MS = 20;

export interface Task {
  program: readonly Step[];
  input: JsonObject;
  user: RunUser | null;
  run: { id: string; date: string; started_at: string; trigger: string };
  journal: Journal;
  /** Aborted with a `RunFault` or an `Interrupted`. */
  signal: AbortSignal;
  now(): number;
  perform: Perform;
}

/** Does what a connector or record step says. @throws {StepFault} */
export type Perform = (
  step: Extract<Step, { type: "connector" | "record" }>,
  rendered: JsonObject,
  place: string,
  signal: AbortSignal,
) => Promise<Effect>;

export interface Journal {
  /** What was done there before, by whoever had the run then. */
  find(place: string): StepRecord | undefined;
  /** It goes on, for whoever looks meanwhile; it is appended once it has ended. */
  begin(record: StepRecord): void;
  append(record: StepRecord): void;
  /** Keeps what was appended for good, and proves that the run still is this process's. @throws {Interrupted} */
  keep(): Promise<void>;
  /** Reads whether somebody wants the end. @throws {RunFault} */
  proveWanted(): Promise<void>;
}

interface State {
  task: Task;
  /** What templates see. */
  scope: JsonObject;
  executed: number;
  characters: number;
  inputs: number;
  /** When this execution last let others go first, by `performance.now()`. */
  paused_at: number;
  last: JsonValue;
  /** The first mutation has given the starting parameters. */
  begun: boolean;
  /** Effects since the journal was kept. */
  unkept: boolean;
}

/** A `return` step was reached. */
interface Returned {
  data: JsonValue;
}

/** A step failed for good, and nothing caught it. */
class Stopped extends Error {
  override name = "Stopped";
}

/** @throws {Interrupted} */
export async function execute(task: Task): Promise<Outcome> {
  const scope: JsonObject = {
    input: task.input,
    user: task.user && { ...task.user },
    run: task.run,
    json_object: null,
    // By step, the latest.
    steps: {},
  };
  const state: State = {
    task,
    scope,
    executed: 0,
    characters: 0,
    inputs: 0,
    paused_at: performance.now(),
    last: null,
    begun: false,
    unkept: false,
  };
  try {
    const returned = await runSteps(state, task.program, "");
    return { status: "finished", data: returned ? returned.data : state.last, error: null };
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    if (error instanceof RunFault) return { status: error.status, data: null, error: error.message };
    if (error instanceof Stopped) return { status: "error", data: null, error: error.message };
    throw error;
  }
}

/** @param turn the place of the `for_each` turn around it, with a dot; "" outside */
async function runSteps(state: State, steps: readonly Step[], turn: string): Promise<Returned | undefined> {
  for (const step of steps) {
    if (performance.now() - state.paused_at > LONGEST_GO_MS) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      state.paused_at = performance.now();
    }
    const returned = await runStep(state, step, turn);
    if (returned) return returned;
  }
}

async function runStep(state: State, step: Step, turn: string): Promise<Returned | undefined> {
  const { task } = state;
  proveGoing(task.signal);
  if (++state.executed > MOST_STEPS) throw new RunFault(`${turn}${step.id}: the run has more than ${MOST_STEPS} steps`);
  const place = turn + step.id;
  const began = task.now();
  const record: StepRecord = {
    place,
    id: step.id,
    type: step.type,
    name: step.name ?? null,
    status: "running",
    input: null,
    output: null,
    http_status: null,
    warnings: [],
    error: null,
    attempts: 1,
    started_at: isoOf(began),
    ms: 0,
  };
  const warn = (message: string) => {
    if (record.warnings.length < 20 && !record.warnings.includes(message)) record.warnings.push(message);
  };
  let failed: StepFault | Stopped | undefined;
  let returned: Returned | undefined;
  try {
    if (step.type === "if" || step.type === "for_each") {
      // What contains others stands before them, so that they are read in order.
      task.journal.append(record);
      returned = step.type === "if"
        ? await runIf(state, step, turn, record, warn)
        : await runForEach(state, step, place, record, warn);
    } else if (step.type === "return") {
      returned = { data: record.output = render(step.data, state.scope, warn) };
    } else if (step.type === "mutation") {
      record.output = mutate(state, step, place, warn);
    } else {
      await runEffect(state, step, place, record, warn);
    }
    record.status = "finished";
  } catch (error) {
    // Whoever goes on with the run does the step: nothing of this attempt may stand in the journal.
    if (error instanceof Interrupted) throw error;
    if (error instanceof RunFault) {
      record.status = "error";
      record.error = error.message;
      finish(state, step, record, began);
      throw error;
    }
    failed = failureOf(error);
    record.status = "error";
    record.error = failed.message;
  }
  finish(state, step, record, began);
  if (state.characters > MOST_CONTEXT) throw new RunFault(`${place}: ${TOO_MUCH}`);
  if (!failed || step.on_error === "continue") return returned;
  if (step.on_error === "catch") return await runSteps(state, step.catch, turn);
  throw new Stopped(failed instanceof Stopped ? failed.message : `${place}: ${failed.message}`);
}

/** A step that failed, or a template that grew too large; everything else is a fault of the program around it. */
function failureOf(error: unknown): StepFault | Stopped {
  if (error instanceof StepFault || error instanceof Stopped) return error;
  if (error instanceof TemplateError) return new StepFault(error.message, undefined);
  throw error;
}

/** Writes the record, and lets templates see it. */
function finish(state: State, step: Step, record: StepRecord, began: number): void {
  const { task, scope } = state;
  record.ms ||= Math.max(0, task.now() - began);
  const contains = step.type === "if" || step.type === "for_each";
  if (!contains) task.journal.append(record);
  const { output, http_status, error, status } = record;
  // Another object each time: whoever has taken the one before, as a whole, keeps it as it was.
  scope.steps = { ...Object(scope.steps), [step.id]: { status: http_status ?? status, body: output, error } };
  if (status === "finished" && step.type === "connector") scope.json_object = output;
  if (!contains) state.last = output;
  state.characters += charactersOf(output);
}

const charactersOf = (value: JsonValue): number =>
  typeof value === "object" && value !== null ? storable(value).length : String(value).length;

/** Later entries of `set` see earlier ones. @returns what it has set */
function mutate(state: State, { set }: MutationStep, place: string, warn: (message: string) => void): JsonObject {
  const { scope, task: { input } } = state;
  const first = !state.begun;
  state.begun = true;
  const given: JsonObject = {};
  let characters = state.characters;
  for (const [name, value] of Object.entries(set)) {
    const overridden = first && Object.hasOwn(input, name);
    const made = given[name] = scope[name] = overridden ? input[name] ?? null : render(value, scope, warn);
    characters += charactersOf(made);
    // Before the next one: thousands of them, each within its own limit, would take the process along.
    if (characters > MOST_CONTEXT) throw new RunFault(`${place}: ${TOO_MUCH}`);
  }
  return given;
}

async function runIf(
  state: State,
  { condition, then, else: otherwise }: IfStep,
  turn: string,
  record: StepRecord,
  warn: (message: string) => void,
): Promise<Returned | undefined> {
  const holds = evaluate(condition, state.scope, warn);
  state.last = record.output = holds;
  return await runSteps(state, holds ? then : otherwise, turn);
}

async function runForEach(
  state: State,
  { items, as, steps }: ForEachStep,
  place: string,
  record: StepRecord,
  warn: (message: string) => void,
): Promise<Returned | undefined> {
  const { scope } = state;
  const list = render(items, scope, warn);
  if (list !== null && !Array.isArray(list)) throw new StepFault("items is no list", undefined);
  const before = { [as]: scope[as], index: scope.index };
  state.last = record.output = { count: list?.length ?? 0 };
  try {
    for (const [index, item] of (list ?? []).entries()) {
      Object.assign(scope, { [as]: item, index });
      const returned = await runSteps(state, steps, `${place}.${index}.`);
      if (returned) return returned;
    }
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete scope[name];
      else scope[name] = value;
    }
  }
}

async function runEffect(
  state: State,
  step: Extract<Step, { type: "connector" | "record" }>,
  place: string,
  record: StepRecord,
  warn: (message: string) => void,
): Promise<void> {
  const { task } = state;
  const done = task.journal.find(place);
  if (done && hasEffect(done.type)) {
    const { input, output, http_status, attempts, warnings, error, status, started_at, ms } = done;
    Object.assign(record, { input, output, http_status, attempts, warnings, started_at, ms });
    if (status === "error") throw new StepFault(error ?? "failed", undefined, { output, http_status });
    return;
  }
  const rendered = renderEffect(step, state.scope, warn);
  state.inputs += charactersOf(rendered);
  if (state.inputs <= MOST_INPUTS) record.input = rendered;
  else warn("What this step was given is not kept: all steps together were given more than 1 MiB");
  // What was done must not be done again because this one takes the process along.
  if (state.unkept) await task.journal.keep();
  await task.journal.proveWanted();
  task.journal.begin(record);
  state.unkept = true;
  try {
    Object.assign(
      record,
      await withRetry(step, task.signal, record, (signal) => task.perform(step, rendered, place, signal)),
    );
  } catch (error) {
    if (error instanceof StepFault) Object.assign(record, error.effect);
    throw error;
  } finally {
    // While it was on its way others had their turn.
    state.paused_at = performance.now();
  }
}

/** What a step says, with its templates filled. What is no template stays. */
function renderEffect(
  step: Extract<Step, { type: "connector" | "record" }>,
  scope: JsonObject,
  warn: (message: string) => void,
): JsonObject {
  const filled: readonly string[] = step.type === "connector"
    ? ["params", "query", "headers", "body"]
    : ["record_id", "match", "data", "filter", "sort"];
  const rendered: JsonObject = {};
  for (const name of filled) {
    const value: JsonValue | undefined = Reflect.get(step, name);
    // A blank that nobody wrote would find records that have nothing to do with it.
    const missing = name === "match" || name === "record_id"
      ? (message: string) => {
        throw new StepFault(`${name}: ${message}`, undefined);
      }
      : warn;
    if (value !== undefined) rendered[name] = render(value, scope, missing);
  }
  if (step.type === "record") proveFilter(step.filter, rendered.filter);
  const kept: JsonObject = step.type === "connector" ? { connector_code: step.connector_code, method: step.method } : {
    action: step.action,
    db_code: step.db_code,
    ...step.table_name !== undefined && { table_name: step.table_name },
  };
  return { ...kept, ...rendered };
}

/**
 * Which operators a filter has stands in the program: a value from outside is a value.
 *
 * @throws {StepFault}
 */
function proveFilter(written: JsonValue | undefined, filled: JsonValue | undefined): void {
  if (typeof written !== "object" || written === null) return;
  for (const [field, value] of Object.entries(Object(filled))) {
    const template: unknown = Reflect.get(written, field);
    if (typeof template === "string" && typeof value === "object" && value !== null) {
      throw new StepFault(`filter: ${field} is no single value`, undefined);
    }
  }
}
