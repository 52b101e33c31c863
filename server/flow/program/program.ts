/**
 * A flow's program: the list of steps as its author wrote it in JSON, and as the engine executes it.
 *
 * The database stores the author's JSON. `parseProgram` derives the steps from it each time and fills in the defaults.
 * Documented in docs/flows.md.
 */
import { z } from "zod";
import { type KnownStep, StepShape } from "../steps/registry.ts";
import type { Step } from "../steps/step.ts";
import type { Fault } from "../steps/step_type.ts";
import { faultsOfSteps } from "./checks.ts";
import { faultsOfJson } from "./json_limits.ts";
import { walk } from "./walk.ts";
import { faultsOf } from "./zod_faults.ts";

/** The shape of a program, and the source of its JSON Schema (`GET /schemas/flow.json`). */
export const StepList = z.array(StepShape);

export type ReadProgram = { steps: KnownStep[] } | { faults: Fault[] };

/** Faults that are reported together. */
const MOST_FAULTS = 50;
const MOST_BYTES = 262_144;

/** Reads a program from any value. Never throws. */
export function parseProgram(json: unknown): ReadProgram {
  const no_json = faultsOfJson(json, MOST_FAULTS);
  if (no_json.length > 0) return { faults: no_json };
  const text = JSON.stringify(json);
  if (new TextEncoder().encode(text).length > MOST_BYTES) {
    return { faults: [{ path: [], message: `is too long (maximum is ${MOST_BYTES} bytes of JSON)` }] };
  }
  // A copy without shared objects: zod parses an object that occurs twice into one step.
  const parsed = StepList.safeParse(JSON.parse(text));
  if (!parsed.success) return { faults: faultsOf(parsed.error.issues).slice(0, MOST_FAULTS) };
  const faults = faultsOfSteps(parsed.data);
  if (faults.length > 0) return { faults: faults.slice(0, MOST_FAULTS) };
  nameSteps(parsed.data);
  return { steps: parsed.data };
}

/** A program in a request body. The output is the author's JSON, unchanged. */
export const Program = z.array(z.unknown()).superRefine((json, { addIssue }) => {
  const read = parseProgram(json);
  if ("steps" in read) return;
  for (const { path, message } of read.faults) addIssue({ code: "custom", path, message });
});

/** Names steps without an id `step_1`, `step_2`, … in the order of the program, and skips names that are taken. */
function nameSteps(steps: readonly Step[]): void {
  const all = [...walk(steps)].map(({ step }) => step);
  const taken = new Set(all.map(({ id }) => id));
  let count = 0;
  for (const step of all) {
    if (step.id) continue;
    do step.id = `step_${++count}`; while (taken.has(step.id));
  }
}
