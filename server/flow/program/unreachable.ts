/** Steps that no run comes to, and a `catch` that is none: a program goes through with them, so each is a warning. */
import type { Fault, Step } from "./program.ts";
import { walk } from "./walk.ts";

export function unreached(steps: readonly Step[]): Fault[] {
  const places = [...walk(steps)];
  /** By list of steps: where the first `return` stands in it. */
  const ends = new Map<string, number>();
  return places.flatMap(({ step, path }): Fault[] => {
    const list = path.slice(0, -1).join(".");
    const index = Number(path.at(-1));
    const faults: Fault[] = [];
    if (ends.get(list) === index - 1) faults.push({ path, message: "is never reached: a return stands before it" });
    if (step.type === "return" && !ends.has(list)) ends.set(list, index);
    if (step.on_error === "catch" && step.catch.length === 0) {
      faults.push({ path: [...path, "catch"], message: "has no steps: an error is passed over" });
    }
    return faults;
  });
}
