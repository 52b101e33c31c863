/** The state of one execution: the names that templates see, and how much of the run's limits is used. */
import type { JsonObject, JsonValue } from "../../../input/json_value.ts";
import type { Step } from "../../steps/step.ts";
import type { Services } from "../../steps/step_type.ts";
import { RunFault } from "./interruption.ts";
import type { Journal } from "./journal.ts";
import type { RunHead, RunUser } from "../model.ts";
import type { Patience } from "./recovery.ts";

/** The limits of a run; docs/flows.md lists them. */
const MOST_STEPS = 1_000;
const MOST_CONTEXT = 1024 * 1024;
/** Characters of the inputs of all steps. Inputs beyond are not kept. */
const MOST_INPUTS = 1024 * 1024;

export interface Task {
  program: readonly Step[];
  head: RunHead;
  input: JsonObject;
  user: RunUser | null;
  /** What templates see as `run`. The same after a takeover. */
  run: { id: string; date: string; started_at: string; trigger: string };
  journal: Journal;
  services: Services;
  /** How the run waits for the server's own stores. Its signal ends the run. */
  patience: Patience;
  /** Milliseconds since 1970. */
  now(): number;
}

export interface ExecutionState {
  readonly task: Task;
  /** What templates see. */
  readonly scope: JsonObject;
  /** Steps so far. */
  executed: number;
  /** Characters of the outputs so far. */
  characters: number;
  /** Characters of the inputs of effects so far. */
  inputs: number;
  /** When this execution last yielded to others, by `performance.now()`. */
  yielded_at: number;
  /** The output of the last step, which is the run's data without a `return`. */
  last: JsonValue;
  /** The first mutation has taken the run's input. */
  input_taken: boolean;
  /** An effect has been executed since the journal was kept. */
  unkept_effect: boolean;
}

export const newState = (task: Task): ExecutionState => ({
  task,
  // `steps` has the latest execution of each step by its id.
  scope: { input: task.input, user: task.user && { ...task.user }, run: task.run, json_object: null, steps: {} },
  executed: 0,
  characters: 0,
  inputs: 0,
  yielded_at: performance.now(),
  last: null,
  input_taken: false,
  unkept_effect: false,
});

/** @throws {RunFault} after 1,000 steps */
export function countStep(state: ExecutionState, place: string): void {
  if (++state.executed > MOST_STEPS) throw new RunFault(`${place}: the run has more than ${MOST_STEPS} steps`);
}

/** @throws {RunFault} if the context with so many characters more is larger than 1 MiB */
export function proveRoom({ characters }: ExecutionState, place: string, more = 0): void {
  if (characters + more > MOST_CONTEXT) throw new RunFault(`${place}: the run's context is larger than 1 MiB`);
}

/** @returns false if the inputs of all steps are now too large to be kept */
export function countInput(state: ExecutionState, characters: number): boolean {
  state.inputs += characters;
  return state.inputs <= MOST_INPUTS;
}
