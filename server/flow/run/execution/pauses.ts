/** Execution of a step at which the run may wait: replayed from the journal, ended, or the run is suspended. */
import { type Effect as Result, StepFault, Stopped } from "../../steps/fault.ts";
import { stepTypeNamed } from "../../steps/registry.ts";
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

/** Nothing wakes the run for it. */
const ABANDONED = { until: Infinity, awaits: [] };

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
  const abandoned = journal.findAbandoned(place);
  if (abandoned) {
    const { status, input, error, begun, started_at, ms } = abandoned;
    Object.assign(record, { status, input, error, begun, started_at, ms });
    journal.append(record);
    throw new Suspended(ABANDONED);
  }
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
  const leave = () => completed ? undefined : leavePause(state, pause, begun);
  if (pause.ask) {
    const { steps, names, hidden } = pause.ask(step, begun, services);
    if (hidden !== null) hiding?.hide(hidden);
    const returned = await withNames(scope, Object.keys(names), () => {
      Object.assign(scope, names);
      return run(steps);
    }).catch(async (error) => {
      // What this step has begun is found again when the run goes on.
      if (error instanceof Suspended) appendWaiting();
      if (error instanceof StepFault || error instanceof Stopped) await leave();
      throw error;
    });
    if (returned) {
      await leave();
      return returned;
    }
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

/**
 * The loop around an iteration is decided, and goes on without what the iteration waits for.
 *
 * @param prefix of the places of the iteration's steps
 */
export async function abandonPauses(state: ExecutionState, prefix: string): Promise<void> {
  const { journal, task } = state;
  const left = journal.abandon(prefix, task.now());
  if (left.length === 0) return;
  // A takeover must not execute the steps after them.
  await journal.keep();
  for (const { type, begun } of left) {
    const { pause } = stepTypeNamed(type);
    if (pause && begun) await leavePause(state, pause, begun);
  }
}

async function leavePause({ task: { services, head, patience } }: ExecutionState, pause: Pause, begun: Begun) {
  await untilAvailable(patience, async () => await pause.leave?.(begun, { services, head }));
}
