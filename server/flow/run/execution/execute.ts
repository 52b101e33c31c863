/**
 * Executes a program. A process that takes over a run executes it from the beginning: effects are replayed from the
 * journal, and all other steps compute the same results again.
 */
import type { JsonValue } from "../../../input/json_value.ts";
import { conform, sentenceOf } from "../../declared/conform.ts";
import type { JsonSchema } from "../../declared/shape.ts";
import { Failed, StepFault, Stopped } from "../../steps/fault.ts";
import { stepTypeOf } from "../../steps/registry.ts";
import type { Step } from "../../steps/step.ts";
import type { Execution, Returned, StepState, StepType } from "../../steps/step_type.ts";
import { jsonLength } from "../../storage/storable.ts";
import { TemplateError, type Warn } from "../../template/template.ts";
import { runEffect } from "./effects.ts";
import { evaluateAt } from "./evaluate.ts";
import { Interrupted, RunFault, Suspended } from "./interruption.ts";
import { abandonPauses, runPause } from "./pauses.ts";
import { isoOf } from "../../../database/iso_time.ts";
import type { Outcome, StepRecord } from "../model.ts";
import {
  countName,
  countNote,
  countOutput,
  countStep,
  type ExecutionState,
  forkState,
  newState,
  NO_STEP,
  proveRoom,
  type Task,
} from "./execution_state.ts";

/** An execution yields to others after so long without an effect, so that it does not block the event loop. */
const YIELD_AFTER_MS = 20;
const MOST_WARNINGS = 20;
/** Comparisons that are kept of a step: the latest, because the last one decides. */
const MOST_COMPARED = 20;

/** @throws {Interrupted | Suspended} */
export async function execute(task: Task): Promise<Outcome> {
  const state = newState(task);
  try {
    await task.reach();
    const returned = await runSteps(state, task.program, "");
    return finishedWith(task.output, returned ? returned.data : state.last.body);
  } catch (error) {
    if (error instanceof Interrupted || error instanceof Suspended) throw error;
    if (error instanceof RunFault) return endedBy(error);
    if (error instanceof Stopped) return { status: "error", data: error.data, error: error.message };
    throw error;
  }
}

/** The data of a run, with the defaults that its flow declares. Data that does not match is an error. */
function finishedWith(declared: JsonSchema | undefined, data: JsonValue): Outcome {
  if (!declared) return { status: "finished", data, error: null };
  const conformed = conform(declared, data);
  if ("value" in conformed) return { status: "finished", data: conformed.value, error: null };
  const error = `The output is not what the flow declares: ${sentenceOf(conformed.faults, "data")}`;
  return { status: "error", data: null, error };
}

/** The outcome of a run that was ended before its last step. */
export const endedBy = ({ status, message }: RunFault): Outcome => ({ status, data: null, error: message });

/** @param prefix of the steps' places: the `for_each` iterations around them, each followed by a dot */
async function runSteps(state: ExecutionState, steps: readonly Step[], prefix: string): Promise<Returned | undefined> {
  for (const step of steps) {
    if (step.disabled) continue;
    const turn = yieldTurn(state);
    if (turn) await turn;
    const returned = await runStep(state, step, prefix);
    if (returned) return returned;
  }
}

function yieldTurn(state: ExecutionState): Promise<void> | undefined {
  if (performance.now() - state.yielded_at <= YIELD_AFTER_MS) return undefined;
  return new Promise((resolve) => setTimeout(resolve, 0)).then(() => {
    state.yielded_at = performance.now();
    state.task.patience.signal.throwIfAborted();
  });
}

async function runStep(state: ExecutionState, step: Step, prefix: string): Promise<Returned | undefined> {
  const { task } = state;
  const type = stepTypeOf(step);
  const place = prefix + step.id;
  task.patience.signal.throwIfAborted();
  countStep(state, place);
  task.rehearsed?.note?.(step, place, state.scope);
  const began = task.now();
  const record = newRecord(step, place, began);
  // A step with branches precedes the steps of its branches in the journal.
  if (type.branches && !type.pause) state.journal.append(record);
  const warn = (message: string) => {
    if (record.warnings.length < MOST_WARNINGS && !record.warnings.includes(message)) record.warnings.push(message);
  };
  let failed: StepFault | Stopped | undefined;
  let returned: Returned | undefined;
  let characters = 0;
  try {
    if (type.effect) await runEffect(state, step, type.effect, record, warn);
    else if (type.pause) {
      returned = await runPause(state, step, type.pause, record, warn, (steps) => runSteps(state, steps, prefix));
    } else {
      const result = type.execute(step, executionOf(state, record, prefix, warn));
      // Most steps are synchronous, and an await of each would cost a turn of the microtask queue.
      returned = result instanceof Promise ? await result : result;
    }
    characters = jsonLength(record.output);
    proveRoom(state, step.id, characters);
    record.status = "finished";
  } catch (error) {
    // The next owner of the run executes the step again, so this attempt must not enter the journal.
    if (error instanceof Interrupted || error instanceof Suspended) throw error;
    if (error instanceof RunFault) {
      fail(record, error, error.status);
      finish(state, type, record, began, jsonLength(record.output), true);
      throw error;
    }
    failed = failureOf(error);
    fail(record, failed);
    // Of a step that failed for its output's size, and of one that failed with a large answer.
    if (!hasRoom(state, record)) record.output = null;
    characters = jsonLength(record.output);
  }
  finish(state, type, record, began, characters);
  const follow = type.pause?.follow;
  if (follow && !failed && !returned) return await runSteps(state, follow(step, record.output), prefix);
  if (!failed || step.on_error === "continue") return returned;
  if (step.on_error === "catch") return await runSteps(state, step.catch, prefix);
  if (failed instanceof Stopped) throw failed;
  throw failed instanceof Failed
    ? new Stopped(failed.message, failed.data)
    : new Stopped(`${place}: ${failed.message}`);
}

const newRecord = (step: Step, place: string, began: number): StepRecord => ({
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
});

const executionOf = (state: ExecutionState, record: StepRecord, prefix: string, warn: Warn): Execution => ({
  place: record.place,
  scope: state.scope,
  warn,
  evaluate: evaluateAt(state, record.place),
  noteInside: () => state.task.rehearsed?.noteInside?.(record.id, state.scope),
  noteCompared(compared) {
    if (!countNote(state, compared)) return;
    record.compared = [...record.compared ?? [], compared].slice(-MOST_COMPARED);
  },
  takeInput() {
    if (state.input_taken) return undefined;
    state.input_taken = true;
    return state.task.input;
  },
  proveRoom: (characters) => proveRoom(state, record.id, characters),
  countName: (name, characters) => countName(state, name, characters),
  yieldTurn: () => yieldTurn(state),
  setOutput(output) {
    record.output = output;
    state.last = { status: "finished", body: output, error: null };
  },
  abandon: (iteration) => abandonPauses(state, `${record.place}.${iteration}.`),
  run: (steps, iteration) => runSteps(state, steps, iteration === undefined ? prefix : `${record.place}.${iteration}.`),
  last: () => state.last,
  forgetLast: () => state.last = NO_STEP,
  fork: () => executionOf(forkState(state), record, prefix, warn),
});

function fail(record: StepRecord, { message }: Error, status: RunFault["status"] = "error"): void {
  record.status = status;
  record.error = message;
}

/** The fault of a step. Any other error is one of the engine. */
function failureOf(error: unknown): StepFault | Stopped {
  if (error instanceof StepFault || error instanceof Stopped) return error;
  if (error instanceof TemplateError) return new StepFault(error.message);
  throw error;
}

/**
 * Completes the record and lets templates see it.
 *
 * @param characters of its output
 * @param is_interrupted the run ends in this step
 */
function finish(
  state: ExecutionState,
  type: StepType,
  record: StepRecord,
  began: number,
  characters: number,
  is_interrupted = false,
): void {
  const { task, scope, journal } = state;
  record.ms ||= Math.max(0, task.now() - began);
  const { id, output, http_status, error, status } = record;
  // A new object each time: a value that a template took from the previous one must not change.
  const seen: StepState = { status: http_status ?? status, body: output, error };
  scope.steps = { ...Object(scope.steps), [id]: seen };
  if (type.sets_json_object && status === "finished") scope.json_object = output;
  // With branches the record is in the journal already, and the last output is that of the branch's last step.
  if (!type.branches || type.pause) {
    if (is_interrupted) journal.appendInterrupted(record);
    else journal.append(record);
    state.last = seen;
  }
  countOutput(state, id, characters, type.sets_json_object === true && status === "finished");
}

function hasRoom(state: ExecutionState, { id, output }: StepRecord): boolean {
  try {
    proveRoom(state, id, jsonLength(output));
    return true;
  } catch {
    return false;
  }
}
