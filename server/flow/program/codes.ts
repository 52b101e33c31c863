/** The sources in a program that are compiled. */
import { stepTypeOf } from "../steps/registry.ts";
import type { Step } from "../steps/step.ts";
import type { Path } from "../steps/step_type.ts";
import { walk } from "./walk.ts";

/** Each source with its path, in the order of the program. */
export const codesOf = (steps: readonly Step[]): { source: string; path: Path }[] =>
  [...walk(steps)].flatMap(({ step, path }) =>
    (stepTypeOf(step).code?.(step) ?? []).map(({ key, source }) => ({ source, path: [...path, key] }))
  );
