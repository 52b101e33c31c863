/** Which entries of a repeated run's journal its repetition may reuse. */
import { hasBranches, hasEffect } from "../../steps/registry.ts";
import type { Repetition, StepRecord } from "../model.ts";

type Entry = Pick<StepRecord, "place" | "type" | "status" | "output" | "truncated">;

export function reusable(before: readonly StepRecord[], repetition: Repetition | null): readonly StepRecord[] {
  if (repetition?.failed_items) {
    const isRepeated = failuresInLoops(before);
    return before.filter((entry) => !isRepeated(entry));
  }
  const until = before.findIndex(({ place }) => place === repetition?.from_step);
  return before.slice(0, Math.max(0, until));
}

/** Whether there is something inside of a loop that a repetition of the failed items executes again. */
export const hasFailedItem = (entries: readonly Entry[]): boolean => entries.some(failuresInLoops(entries));

/**
 * What a repetition of the failed items executes again: steps with an effect that have failed inside of a loop, and all
 * steps of an item that another kind of step has ended. A `fail` or a `transform` ends the same way each time unless the
 * outputs before it are others. A failure that the program has handled ends no item.
 */
function failuresInLoops(entries: readonly Entry[]): (entry: Entry) => boolean {
  const last_of_item = new Map<string, Entry>();
  const at_place = new Map<string, Entry>();
  for (const entry of entries) {
    at_place.set(entry.place, entry);
    for (const item of itemsAround(entry.place)) last_of_item.set(item, entry);
  }
  const ended = new Set<string>();
  for (const [item, { type, status }] of last_of_item) {
    // A step with branches is the last one if it has failed by itself: its condition or list could not be computed.
    const ends_again = status === "error" && (hasBranches(type) || !hasEffect(type));
    if (ends_again && hasLostItems(at_place.get(loopOf(item)))) ended.add(item);
  }
  return (entry) => {
    const items = itemsAround(entry.place);
    if (items.some((item) => ended.has(item))) return true;
    return items.length > 0 && entry.status === "error" && hasEffect(entry.type);
  };
}

/** Whether a failure may have ended an item of the loop: it ends the loop, too, or the loop collects it. */
const hasLostItems = (loop: Entry | undefined): boolean =>
  loop !== undefined && (loop.status === "error" || Array.isArray(loop.output) || loop.truncated === true);

/** The items of loops around a place, the outermost first: `each.3.` and `each.3.inner.0.` of `each.3.inner.0.rates`. */
function itemsAround(place: string): string[] {
  const names = place.split(".");
  const items = [];
  for (let end = 2; end < names.length; end += 2) items.push(`${names.slice(0, end).join(".")}.`);
  return items;
}

/** `each.3.inner` of `each.3.inner.0.` */
const loopOf = (item: string): string => item.split(".").slice(0, -2).join(".");
