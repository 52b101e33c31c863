/** How a rehearsal executes effects. */
import type { JsonObject } from "../../../input/json_value.ts";
import type { Effect as Result } from "../../steps/fault.ts";
import type { Step } from "../../steps/step.ts";
import type { EffectCall, PauseCall, StepType } from "../../steps/step_type.ts";

type Effect = NonNullable<StepType["effect"]>;
type Pause = NonNullable<StepType["pause"]>;

export interface Rehearsed {
  /** In place of the attempts of an effect. @throws {StepFault} */
  perform(step: Step, effect: Effect, call: EffectCall & { input: JsonObject }): Promise<Result>;
  /** In place of a wait. @throws {StepFault} */
  pause(step: Step, pause: Pause, input: JsonObject, call: PauseCall): Promise<Result>;
  /** Called before each step with the names that its templates see. */
  note?: ((step: Step, place: string, scope: JsonObject) => void) | undefined;
  /** Called with the names that the keys `inside` of a step see. */
  noteInside?: ((id: string, scope: JsonObject) => void) | undefined;
}
