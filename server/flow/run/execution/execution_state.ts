/** The state of one execution: the names that templates see, and how much of the run's limits is used. */
import type { JsonObject } from "../../../input/json_value.ts";
import type { Restriction } from "../../../visibility.ts";
import type { JsonSchema } from "../../declared/shape.ts";
import type { Step } from "../../steps/step.ts";
import type { Hiding } from "../../secret/hiding.ts";
import type { Services, StepState } from "../../steps/step_type.ts";
import { StepFault } from "../../steps/fault.ts";
import { RunFault } from "./interruption.ts";
import type { Journal } from "./journal.ts";
import type { RunHead, RunUser } from "../model.ts";
import type { Patience } from "./recovery.ts";
import type { Rehearsed } from "./rehearsed.ts";

/** The limits of a run; docs/flows.md lists them. */
const MOST_STEPS = 1_000;
const MOST_CONTEXT = 1024 * 1024;
/** Characters of the outputs of all steps, which the journal keeps in memory until the run ends. */
const MOST_OUTPUTS = 16 * 1024 * 1024;
/** Characters of what all steps compared and called. What is beyond is not kept. */
const MOST_NOTES = 1024 * 1024;
/** Characters of the inputs of all steps. Inputs beyond are not kept. */
const MOST_INPUTS = 1024 * 1024;

export interface Task {
  program: readonly Step[];
  head: RunHead;
  input: JsonObject;
  user: RunUser | null;
  /** Of a run, and of a rehearsal with secret inputs. */
  hiding?: Hiding | undefined;
  /** What the run's data must match. */
  output?: JsonSchema | undefined;
  /** What templates see as `run`. The same after a takeover. */
  run: { id: string; date: string; started_at: string; trigger: string };
  journal: Journal;
  services: Services;
  /** What the run may see now. @throws {RunFault | Interrupted} */
  reach(): Promise<Restriction>;
  /** How the run waits for the server's own stores. Its signal ends the run. */
  patience: Patience;
  /** Milliseconds since 1970. */
  now(): number;
  /** Of a rehearsal, which is no run. */
  rehearsed?: Rehearsed | undefined;
  /** Of a test of one step: further names that templates see, and whether a mutation takes the input. */
  values?: { scope: JsonObject; takes_input: boolean } | undefined;
}

/** What executions of one run at the same time count together. */
interface Shared {
  /** Steps so far. */
  executed: number;
  /** Characters of all outputs so far. */
  outputs: number;
  /** Characters of the inputs of effects so far. */
  inputs: number;
  /** Characters of what steps compared and called so far. */
  notes: number;
  /** An effect has been executed since the journal was kept. */
  unkept_effect: boolean;
}

export interface ExecutionState {
  readonly task: Task;
  readonly journal: Journal;
  readonly shared: Shared;
  /** What templates see. */
  readonly scope: JsonObject;
  /** Characters of the outputs in scope, and by step: templates see the latest output of each, and `json_object`. */
  characters: number;
  readonly sizes: Map<string, number>;
  /** The step whose latest output is also `json_object`. */
  json_step: string | undefined;
  /** When this execution last yielded to others, by `performance.now()`. */
  yielded_at: number;
  /** The last step. Its output is the run's data without a `return`. */
  last: StepState;
  /** The first mutation has taken the run's input. */
  input_taken: boolean;
}

/** Before the first step. */
export const NO_STEP: StepState = { status: "finished", body: null, error: null };

export const newState = (task: Task): ExecutionState => ({
  task,
  journal: task.journal,
  shared: { executed: 0, outputs: 0, inputs: 0, notes: 0, unkept_effect: false },
  // `steps` has the latest execution of each step by its id.
  scope: {
    input: task.input,
    user: task.user && { ...task.user },
    run: task.run,
    trigger: task.head.trigger_data ?? null,
    json_object: null,
    steps: {},
    ...task.values?.scope,
  },
  characters: 0,
  sizes: new Map(),
  json_step: undefined,
  yielded_at: performance.now(),
  last: NO_STEP,
  input_taken: task.values?.takes_input === false,
});

/** The state of an iteration that is executed at the same time as others. Values are never changed, so they are shared. */
export const forkState = (state: ExecutionState): ExecutionState => ({
  ...state,
  journal: state.journal.fork(),
  scope: { ...state.scope },
  sizes: new Map(state.sizes),
});

/** @throws {RunFault} after 1,000 steps */
export function countStep(state: ExecutionState, place: string): void {
  if (++state.shared.executed > MOST_STEPS) throw new RunFault(`${place}: the run has more than ${MOST_STEPS} steps`);
}

/**
 * Proves that an output of so many characters has room in place of the step's previous one.
 *
 * @throws {StepFault} if the values in scope would be larger than 1 MiB, or the outputs of all steps than 16 MiB
 */
export function proveRoom({ characters, sizes, shared }: ExecutionState, id: string, length: number): void {
  if (characters - (sizes.get(id) ?? 0) + length > MOST_CONTEXT) throw new StepFault(TOO_LARGE);
  if (shared.outputs + length > MOST_OUTPUTS) throw new StepFault("the outputs of all steps are larger than 16 MiB");
}

const TOO_LARGE = "the run's context is larger than 1 MiB";

/** The answer of the step before, which templates see as `json_object` although the step has another output now. */
const FORMER_JSON = "";

/** @returns what was counted for the name before. @throws {StepFault} as `proveRoom` */
export function countName(state: ExecutionState, name: string, length: number): number {
  // No step has such an id.
  const key = `=${name}`;
  const before = state.sizes.get(key) ?? 0;
  if (length > before) proveRoom(state, key, length);
  state.characters += length - before;
  if (length > 0) state.sizes.set(key, length);
  else state.sizes.delete(key);
  return before;
}

/** Counts an output that templates now see. @param is_json it is `json_object`, too */
export function countOutput(state: ExecutionState, id: string, length: number, is_json: boolean): void {
  const { sizes } = state;
  const set = (key: string, size: number) => {
    state.characters += size - (sizes.get(key) ?? 0);
    sizes.set(key, size);
  };
  if (is_json) set(FORMER_JSON, 0);
  else if (state.json_step === id) set(FORMER_JSON, sizes.get(id) ?? 0);
  if (is_json || state.json_step === id) state.json_step = is_json ? id : undefined;
  set(id, length);
  state.shared.outputs += length;
}

/** @returns false if the inputs of all steps are now too large to be kept */
export function countInput(state: ExecutionState, characters: number): boolean {
  state.shared.inputs += characters;
  return state.shared.inputs <= MOST_INPUTS;
}

/** @returns false if what all steps compared and called is now too much to be kept */
export function countNote(state: ExecutionState, note: object): boolean {
  state.shared.notes += JSON.stringify(note).length;
  return state.shared.notes <= MOST_NOTES;
}
