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
}

/** Every step in the order of the program: a step, then the steps of its branches. */
export function* walk(steps: readonly Step[], path: Path = [], depth = 1): Generator<StepAt> {
  for (const [index, step] of steps.entries()) {
    const here = [...path, index];
    yield { step, path: here, depth };
    for (const [key, branch] of branchesOf(step)) yield* walk(branch, [...here, ...key], depth + 1);
  }
}

const branchesOf = (step: Step): (readonly [path: Path, steps: readonly Step[]])[] => [
  ...stepTypeOf(step).branches?.(step) ?? [],
  [["catch"], step.catch],
];
