/** The way through a program: each step once, with its place. */
import type { Step } from "./program.ts";

export interface Place {
  step: Step;
  /** Keys and indexes from the program on. */
  path: (string | number)[];
  /** 1 for steps of the program itself. */
  depth: number;
}

/** Every step in the order in which it stands: a step, then those of its branches. */
export function* walk(steps: readonly Step[], path: (string | number)[] = [], depth = 1): Generator<Place> {
  for (const [index, step] of steps.entries()) {
    const here = [...path, index];
    yield { step, path: here, depth };
    for (const [key, branch] of branchesOf(step)) yield* walk(branch, [...here, key], depth + 1);
  }
}

function branchesOf(step: Step): [key: string, steps: Step[]][] {
  const own: [string, Step[]][] = step.type === "if"
    ? [["then", step.then], ["else", step.else]]
    : step.type === "for_each"
    ? [["steps", step.steps]]
    : [];
  return [...own, ["catch", step.catch]];
}
