/** The connectors and databases that a program names. */
import { stepTypeOf } from "../steps/registry.ts";
import type { Step } from "../steps/step.ts";
import type { Path, Reference } from "../steps/step_type.ts";
import { walk } from "./walk.ts";

/** Each reference with the path of its step, in the order of the program. */
export const referencesOf = (steps: readonly Step[]): { reference: Reference; path: Path }[] =>
  [...walk(steps)].flatMap(({ step, path }) =>
    (stepTypeOf(step).references?.(step) ?? []).map((reference) => ({ reference, path }))
  );
