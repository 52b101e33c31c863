/** Whom the steps of a program ask. */
import { stepTypeOf } from "../steps/registry.ts";
import type { Step } from "../steps/step.ts";
import type { Audience, Path } from "../steps/step_type.ts";
import { walk } from "./walk.ts";

/** Each audience with the path of its step, in the order of the program. Disabled steps ask nobody. */
export const audiencesOf = (steps: readonly Step[]): { audience: Audience; path: Path }[] =>
  [...walk(steps)].flatMap(({ step, path, disabled }) => {
    const audience = disabled ? undefined : stepTypeOf(step).audience?.(step);
    return audience ? [{ audience, path }] : [];
  });
