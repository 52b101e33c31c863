/** Execution of a step with an effect: replayed from the journal, or performed with retries. */
import { type Effect as Result, StepFault } from "../../steps/fault.ts";
import type { Step } from "../../steps/step.ts";
import type { StepType } from "../../steps/step_type.ts";
import { jsonLength } from "../../storage/storable.ts";
import type { Warn } from "../../template/template.ts";
import type { StepRecord } from "../model.ts";
import { evaluateAt } from "./evaluate.ts";
import { pause } from "./interruption.ts";
import type { Rehearsed } from "./rehearsed.ts";
import { withRetry } from "./retry.ts";
import { recordCall } from "./call_record.ts";
import { countInput, countNote, type ExecutionState } from "./execution_state.ts";

type Effect = NonNullable<StepType["effect"]>;

/** Fills in the record. @throws {StepFault} if the last attempt failed; also the reason of the run's signal */
export async function runEffect(
  state: ExecutionState,
  step: Step,
  effect: Effect,
  record: StepRecord,
  warn: Warn,
): Promise<void> {
  const { task, scope, journal } = state;
  const { head, services } = task;
  const { place } = record;
  const completed = journal.find(place);
  if (completed) return replay(state, completed, record);
  const input = await effect.input(step, { scope, warn, evaluate: evaluateAt(state, place) });
  const shown = task.hiding ? await task.hiding.object(input) : input;
  const repeated = journal.findRepeated(place, shown);
  if (repeated) return replay(state, repeated, record);
  if (countInput(state, jsonLength(input))) record.input = shown;
  else warn("What this step was given is not kept: all steps together were given more than 1 MiB");
  // The previous effect is made durable before the next one begins: the next one may crash the process.
  if (state.shared.unkept_effect) await journal.keep();
  await journal.proveWanted();
  journal.begin(record);
  state.shared.unkept_effect = true;
  const call = recordCall(record, task.now);
  const attempts = {
    ...task.patience,
    ...call,
    wait: (ms: number) => task.patience.idle(() => pause(ms, task.patience.signal)),
    is_transaction: effect.isTransaction(step),
  };
  const { hiding, rehearsed } = task;
  /** What an effect answers, as this run keeps it. */
  const hide = (work: () => Promise<Result>) => hiding ? hiding.effect(work) : work();
  // Before a long address is cut, perhaps inside of a secret.
  const noteRequest = ({ method, url }: { method: string; url: string }) =>
    call.noteRequest({ method, url: hiding ? hiding.text(url) : url });
  const noteConsole = (lines: readonly string[]) => {
    record.console = hiding ? lines.map(hiding.text) : [...lines];
  };
  try {
    const rehearse = async ({ perform }: Rehearsed) => {
      const { reach, patience: { signal } } = task;
      return await perform(step, effect, {
        services,
        head,
        place,
        reach: await reach(),
        signal,
        startClock() {},
        stopClock() {},
        noteRequest() {},
        noteConsole,
        warn,
        input,
      });
    };
    const perform = () =>
      rehearsed ? hide(() => rehearse(rehearsed)) : withRetry(step, attempts, async (signal, clock) => {
        const reach = await task.reach();
        return await hide(() =>
          effect.perform(step, input, {
            services,
            head,
            place,
            reach,
            warn,
            noteRequest,
            noteConsole,
            signal,
            startClock() {
              call.startClock();
              clock.start();
            },
            stopClock: clock.stop,
          })
        );
      });
    complete(record, await (effect.waits_for_others ? task.patience.idle(perform) : perform()));
  } catch (error) {
    if (error instanceof StepFault) complete(record, error.effect);
    throw error;
  } finally {
    if (record.call && !countNote(state, record.call)) record.call = undefined;
    if (record.console && !countNote(state, record.console)) record.console = undefined;
    // Other executions ran during the wait.
    state.yielded_at = performance.now();
  }
}

export function complete(record: StepRecord, { output, http_status }: Result): void {
  record.output = output;
  record.http_status = http_status;
}

/** Takes over the result of an earlier execution. @throws {StepFault} if that one failed */
export function replay(state: ExecutionState, completed: StepRecord, record: StepRecord): void {
  const { input, output, http_status, attempts, warnings, error, status, started_at, ms, call, console } = completed;
  Object.assign(record, { input, output, http_status, attempts, warnings, started_at, ms });
  if (completed.begun) record.begun = completed.begun;
  if (call && countNote(state, call)) record.call = call;
  if (console && countNote(state, console)) record.console = console;
  if (status === "error") throw new StepFault(error ?? "failed", undefined, { output, http_status });
}
