/** Warnings about steps that no run executes, and about a `catch` without steps. A program with them is valid. */
import { stepTypeOf } from "../steps/registry.ts";
import type { Step } from "../steps/step.ts";
import type { Fault } from "../steps/step_type.ts";
import { walk } from "./walk.ts";

export function unreached(steps: readonly Step[]): Fault[] {
  /** The index of the first step that ends the run, by the path of its list. */
  const ends = new Map<string, number>();
  return [...walk(steps)].flatMap(({ step, path }): Fault[] => {
    const list = path.slice(0, -1).join(".");
    const index = Number(path.at(-1));
    const faults: Fault[] = [];
    if (ends.get(list) === index - 1) faults.push({ path, message: "is never reached: a return stands before it" });
    if (stepTypeOf(step).ends_run && !step.disabled && !ends.has(list)) ends.set(list, index);
    if (step.on_error === "catch" && step.catch.length === 0) {
      faults.push({ path: [...path, "catch"], message: "has no steps: an error is passed over" });
    }
    return faults;
  });
}
