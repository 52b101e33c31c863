/** Which entries of a repeated run's journal its repetition may reuse. */
import { hasBranches, hasEffect } from "../../steps/registry.ts";
import type { Repetition, StepRecord } from "../model.ts";

type Entry = Pick<StepRecord, "place" | "type" | "status">;

export function reusable(before: readonly StepRecord[], repetition: Repetition | null): readonly StepRecord[] {
  if (repetition?.failed_items) {
    const isRepeated = failuresInLoops(before);
    return before.filter((entry) => !isRepeated(entry));
  }
  const until = before.findIndex(({ place }) => place === repetition?.from_step);
  return before.slice(0, Math.max(0, until));
}

/** Whether a step has failed inside of a loop. */
export const hasFailedItem = (entries: readonly Entry[]): boolean => entries.some(failuresInLoops(entries));

/**
 * What a repetition of the failed items executes again: steps with an effect that have failed inside of a loop, and all
 * steps of an item that another kind of step has ended. A `fail` or a `transform` ends the same way each time unless the
 * outputs before it are others.
 */
function failuresInLoops(entries: readonly Entry[]): (entry: Entry) => boolean {
  const failed = entries.filter(({ place, status }) => status === "error" && itemsAround(place).length > 0);
  // A step with branches fails with the step inside of it, and alone if its condition or list cannot be computed.
  const steps = failed.filter(({ type }) => !hasBranches(type));
  const explained = new Set<string | undefined>(steps.flatMap(({ place }) => itemsAround(place)));
  const items = new Set<string | undefined>();
  for (const { place, type } of failed) {
    const item = itemsAround(place).at(-1);
    if (hasBranches(type) ? !explained.has(item) : !hasEffect(type)) items.add(item);
  }
  const effects = new Set(steps.filter(({ type }) => hasEffect(type)));
  return (entry) => effects.has(entry) || itemsAround(entry.place).some((item) => items.has(item));
}

/** The items of loops around a place, the outermost first: `each.3.` and `each.3.inner.0.` of `each.3.inner.0.rates`. */
function itemsAround(place: string): string[] {
  const names = place.split(".");
  const items = [];
  for (let end = 2; end < names.length; end += 2) items.push(`${names.slice(0, end).join(".")}.`);
  return items;
}
