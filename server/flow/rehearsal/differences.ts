/** How two executions of a flow differ. */
import type { JsonValue } from "../../input/json_value.ts";
import type { Outcome, StepRecord } from "../run/model.ts";
import { asksOutside } from "../steps/registry.ts";
import { asStored } from "../storage/storable.ts";
import { equal } from "../template/compare.ts";
import { shortened } from "../template/shortened.ts";

/** What is kept of a step for a comparison. */
export type ComparedStep = Pick<
  StepRecord,
  "place" | "type" | "status" | "input" | "output" | "http_status" | "error" | "truncated"
>;

export interface Execution {
  outcome: Outcome;
  steps: readonly ComparedStep[];
}

export interface Difference {
  /** Null for the outcome. */
  place: string | null;
  what: "missing" | "added" | "type" | "status" | "input" | "output" | "error" | "data";
  before: JsonValue;
  after: JsonValue;
  /** It is one of the outcome, or of a step that calls something. Others may differ without a failure. */
  fails: boolean;
}

const MOST_DIFFERENCES = 50;
/** Characters of a value. */
const MOST_VALUE = 500;

/** By step, in the order of the execution before; the outcome last. Those that fail are kept if there are too many. */
export function differencesOf(before: Execution, after: Execution): Difference[] {
  const then = new Map(before.steps.map((step) => [step.place, step]));
  const now = new Map(after.steps.map((step) => [step.place, step]));
  const all = [
    ...before.steps.flatMap((step) => differencesOfStep(step, now.get(step.place))),
    ...after.steps.filter(({ place }) => !then.has(place)).map((step): Difference => ({
      place: step.place,
      what: "added",
      before: null,
      after: shown(step.output),
      fails: asksOutside(step.type),
    })),
    ...(["status", "data", "error"] as const)
      .filter((key) => !same(before.outcome[key], after.outcome[key]))
      .map((what): Difference => ({
        place: null,
        what,
        before: shown(before.outcome[what]),
        after: shown(after.outcome[what]),
        fails: true,
      })),
  ];
  return all.length <= MOST_DIFFERENCES
    ? all
    : [...all.filter(({ fails }) => fails), ...all.filter(({ fails }) => !fails)].slice(0, MOST_DIFFERENCES);
}

function differencesOfStep(before: ComparedStep, after: ComparedStep | undefined): Difference[] {
  const { place } = before;
  const fails = asksOutside(before.type);
  if (!after) return [{ place, what: "missing", before: shown(before.output), after: null, fails }];
  const keys = (["type", "status", "input", "output", "error"] as const).filter((key) => {
    if (key === "output" && (before.truncated || after.truncated)) return false;
    return !same(before[key], after[key]);
  });
  return keys.map((what) => ({ place, what, before: shown(before[what]), after: shown(after[what]), fails }));
}

const same = (before: JsonValue, after: JsonValue) => equal(asStored(before), asStored(after));
const shown = (value: JsonValue) => shortened(value, MOST_VALUE).value;
