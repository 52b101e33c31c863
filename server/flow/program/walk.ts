/** Traversal of a program: every step once, with its path. */
import { stepTypeOf } from "../steps/registry.ts";
import type { Step } from "../steps/step.ts";
import type { Path } from "../steps/step_type.ts";

export interface StepAt {
  step: Step;
  /** From the program on. */
  path: Path;
  /** 1 for the program's own list. */
  depth: number;
  /** Whether the step, or one around it, is disabled. */
  disabled: boolean;
}

/** Every step in the order of the program: a step, then the steps of its branches. */
export function* walk(
  steps: readonly Step[],
  path: Path = [],
  depth = 1,
  around_disabled = false,
): Generator<StepAt> {
  for (const [index, step] of steps.entries()) {
    const here = [...path, index];
    const disabled = around_disabled || step.disabled === true;
    yield { step, path: here, depth, disabled };
    for (const [key, branch] of branchesOf(step)) yield* walk(branch, [...here, ...key], depth + 1, disabled);
  }
}

const branchesOf = (step: Step): (readonly [path: Path, steps: readonly Step[]])[] => [
  ...stepTypeOf(step).branches?.(step) ?? [],
  [["catch"], step.catch],
];
