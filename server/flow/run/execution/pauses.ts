/** Execution of a step at which the run may wait: replayed from the journal, ended, or the run is suspended. */
import type { Step } from "../../steps/step.ts";
import type { Begun, StepType } from "../../steps/step_type.ts";
import { jsonLength } from "../../storage/storable.ts";
import type { Warn } from "../../template/template.ts";
import { isoOf, type StepRecord } from "../model.ts";
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
): Promise<void> {
  const { task, scope, journal, shared } = state;
  const { head, services, patience } = task;
  const { place } = record;
  const completed = journal.find(place);
  if (completed) return replay(state, completed, record);
  const input = await pause.input(step, { scope, warn, evaluate: evaluateAt(state, place) });
  const repeated = journal.findRepeated(place, input);
  if (repeated) return replay(state, repeated, record);
  if (countInput(state, jsonLength(input))) record.input = input;
  else warn("What this step was given is not kept: all steps together were given more than 1 MiB");
  const reach = await task.reach();
  const callNow = () => ({ services, head, place, reach, now: task.now() });
  if (task.rehearsed) return complete(record, await task.rehearsed.pause(step, pause, input, callNow()));
  let begun: Begun | undefined;
  const before = journal.findWaiting(place);
  if (before) {
    begun = begunOf(before);
    record.started_at = before.started_at;
  } else {
    if (shared.unkept_effect) await journal.keep();
    await journal.proveWanted();
    shared.unkept_effect = true;
    begun = await untilAvailable(patience, () => pause.begin(step, input, callNow()));
  }
  const { until, awaits } = begun;
  const ended = await untilAvailable(patience, () => pause.end(step, { until, awaits }, callNow()));
  record.ms = Math.max(0, task.now() - Date.parse(record.started_at));
  if (ended) return complete(record, ended);
  record.status = "waiting";
  record.output = { until, awaits };
  journal.append(record);
  throw new Suspended({ until: Date.parse(until), awaits: awaits === null ? [] : [awaits] });
}

/** Of a journal that an older server has kept, the wait is over. */
function begunOf({ output, started_at }: StepRecord): Begun {
  const { until, awaits } = Object(output);
  return {
    until: typeof until === "string" ? until : isoOf(Date.parse(started_at)),
    awaits: typeof awaits === "string" ? awaits : null,
  };
}
