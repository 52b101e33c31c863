/** Execution of a step at which the run may wait: replayed from the journal, ended, or the run is suspended. */
import { type Effect as Result, StepFault } from "../../steps/fault.ts";
import type { Step } from "../../steps/step.ts";
import type { Returned, StepType } from "../../steps/step_type.ts";
import { jsonLength } from "../../storage/storable.ts";
import type { Warn } from "../../template/template.ts";
import { withNames } from "../../steps/control/loop_names.ts";
import type { Begun, StepRecord } from "../model.ts";
import { complete, replay } from "./effects.ts";
import { evaluateAt } from "./evaluate.ts";
import { countInput, type ExecutionState } from "./execution_state.ts";
import { Suspended } from "./interruption.ts";
import { untilAvailable } from "./recovery.ts";

type Pause = NonNullable<StepType["pause"]>;

/** Fills in the record. @throws {Suspended} if the run waits; {StepFault} */
export async function runPause(
  state: ExecutionState,
  step: Step,
  pause: Pause,
  record: StepRecord,
  warn: Warn,
  run: (steps: readonly Step[]) => Promise<Returned | undefined>,
): Promise<Returned | undefined> {
  const { task, scope, journal, shared } = state;
  const { head, services, patience } = task;
  const { place } = record;
  const appendWaiting = () => {
    record.status = "waiting";
    journal.append(record);
  };
  const input = await pause.input(step, { scope, warn, evaluate: evaluateAt(state, place) });
  const { hiding } = task;
  const shown = hiding ? await hiding.object(input) : input;
  const repeated = journal.findRepeated(place, shown);
  if (repeated) {
    replay(state, repeated, record);
    return undefined;
  }
  if (countInput(state, jsonLength(input))) record.input = shown;
  else warn("What this step was given is not kept: all steps together were given more than 1 MiB");
  const reach = await task.reach();
  const secrets = hiding?.textsFor(input) ?? [];
  const callNow = () => ({ services, head, place, reach, secrets, now: task.now() });
  /** What an effect answers, as this run keeps it. */
  const hide = async <T extends Result | undefined>(work: () => Promise<T>): Promise<T | Result> =>
    hiding ? await hiding.effect(work) : await work();
  if (task.rehearsed) {
    const { rehearsed } = task;
    complete(record, await hide(() => rehearsed.pause(step, pause, input, callNow())));
    return undefined;
  }
  let begun: Begun | undefined;
  const completed = journal.find(place);
  const before = completed ?? journal.findWaiting(place);
  if (before) {
    begun = before.begun;
    record.started_at = before.started_at;
  }
  if (!begun) {
    if (shared.unkept_effect) await journal.keep();
    await journal.proveWanted();
    shared.unkept_effect = true;
    begun = await untilAvailable(patience, () => pause.begin(step, pause.shows_input ? shown : input, callNow()));
  }
  const { until, awaits } = record.begun = begun;
  if (pause.ask) {
    const { steps, names, hidden } = pause.ask(step, begun, services);
    if (hidden !== null) hiding?.hide(hidden);
    const returned = await withNames(scope, Object.keys(names), () => {
      Object.assign(scope, names);
      return run(steps);
    }).catch((error) => {
      // What this step has begun is found again when the run goes on.
      if (error instanceof Suspended) appendWaiting();
      throw error;
    });
    if (returned) return returned;
  }
  if (completed) {
    replay(state, completed, record);
    return undefined;
  }
  const ended = await untilAvailable(
    patience,
    () => hide(() => pause.end(step, { until, awaits }, callNow())),
  ).catch((error) => {
    if (error instanceof StepFault) complete(record, error.effect);
    throw error;
  });
  record.ms = Math.max(0, task.now() - Date.parse(record.started_at));
  if (ended) {
    complete(record, ended);
    return undefined;
  }
  appendWaiting();
  throw new Suspended({ until: Date.parse(until), awaits: awaits === null ? [] : [awaits] });
}
