/** The steps of a run as they are stored with its outcome, and shown: bounded in all. */
import type { StepRecord } from "../run/model.ts";
import { jsonLength } from "./storable.ts";

/** Characters of the outputs of all steps. */
export const MOST_OUTPUTS = 4 * 1024 * 1024;

/** Leaves out outputs that exceed the bound, and marks their steps. */
export function boundedSteps(steps: readonly StepRecord[]): StepRecord[] {
  let left = MOST_OUTPUTS;
  return steps.map((step) => {
    const length = jsonLength(step.output);
    if (length > left) return { ...step, output: null, truncated: true };
    left -= length;
    return step;
  });
}
