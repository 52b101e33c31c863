/** Rules of a program beyond the shape of its steps. */
import { stepTypeOf } from "../steps/registry.ts";
import type { Step } from "../steps/step.ts";
import type { Fault } from "../steps/step_type.ts";
import { type StepAt, walk } from "./walk.ts";

const MOST_STEPS = 1_000;
const MOST_DEPTH = 10;

/** @param steps as the shape parsed them: an id that was left out is "" */
export function faultsOfSteps(steps: readonly Step[]): Fault[] {
  const all = [...walk(steps)];
  if (all.length > MOST_STEPS) {
    return [{ path: [], message: `is too long (maximum is ${MOST_STEPS} steps)` }];
  }
  return [
    ...all.filter(({ depth }) => depth === MOST_DEPTH + 1).map(({ path }) => ({
      path,
      message: `is nested too deep (maximum is ${MOST_DEPTH} levels of steps)`,
    })),
    ...repeatedIds(all),
    ...all.flatMap(faultsOfCatch),
    ...all.flatMap(({ step, path }) =>
      (stepTypeOf(step).faults?.(step) ?? []).map((fault) => ({ ...fault, path: [...path, ...fault.path] }))
    ),
  ];
}

function repeatedIds(all: StepAt[]): Fault[] {
  const seen = new Set<string>();
  return all.flatMap(({ step: { id }, path }) => {
    if (!id) return [];
    if (seen.has(id)) return [{ path: [...path, "id"], message: "has already been taken" }];
    seen.add(id);
    return [];
  });
}

function faultsOfCatch({ step, path }: StepAt): Fault[] {
  if (step.on_error === "catch" || step.catch.length === 0) return [];
  return [{ path: [...path, "catch"], message: "is only used where on_error is catch" }];
}
