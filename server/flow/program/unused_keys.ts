/** Warnings about keys that a step has and its type does not use. A program with them is valid. */
import { stepTypeOf } from "../steps/registry.ts";
import { DEFAULT_TIMEOUT_S, type Step } from "../steps/step.ts";
import type { Fault } from "../steps/step_type.ts";
import { walk } from "./walk.ts";

/** Only steps with an effect have attempts, which `timeout` and `retry` are about. */
export const unusedKeys = (steps: readonly Step[]): Fault[] =>
  [...walk(steps)].filter(({ step }) => !stepTypeOf(step).effect).flatMap(({ step, path }) => {
    const unused = [
      ...step.timeout === DEFAULT_TIMEOUT_S ? [] : ["timeout"],
      ...step.retry === undefined ? [] : ["retry"],
    ];
    return unused.map((key) => ({ path: [...path, key], message: `is not used by ${step.type}` }));
  });
