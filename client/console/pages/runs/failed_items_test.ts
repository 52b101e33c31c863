/** The dialog offers the failed items where the server repeats some. */
import { deepEqual } from "node:assert/strict";
import { describeSteps, hasFailedItem as asTheServer } from "../../../../server/flow/flow.ts";
import { hasFailedItem } from "./failed_items.ts";

const TYPES = new Map(describeSteps().map((type) => [type.type, type]));

function entry(place: string, type: string, status: "finished" | "error", output: unknown = null) {
  return { place, type, status, output: JSON.parse(JSON.stringify(output)), truncated: false };
}
const COUNT = { count: 1 };
const LOOP = entry("each", "for_each", "finished", COUNT);
const COLLECTING = entry("each", "for_each", "finished", [null]);
const FAILED = entry("each", "for_each", "error");

const RUNS: Record<string, ReturnType<typeof entry>[]> = {
  "no loop": [entry("a", "connector", "error")],
  "a call": [LOOP, entry("each.0.call", "connector", "error")],
  "a failure that was handled": [LOOP, entry("each.0.stop", "fail", "error")],
  "a failure that the loop collects": [COLLECTING, entry("each.0.stop", "fail", "error")],
  "a failure that the loop ends with": [FAILED, entry("each.0.stop", "fail", "error")],
  "a failure after which the item goes on": [
    COLLECTING,
    entry("each.0.stop", "fail", "error"),
    entry("each.0.note", "mutation", "finished"),
  ],
  "a condition that cannot be computed": [FAILED, entry("each.0.if", "if", "error")],
  "a loop inside of an item": [
    LOOP,
    entry("each.0.inner", "for_each", "finished", COUNT),
    entry("each.0.inner.1.stop", "fail", "error"),
  ],
  "a collecting loop inside of an item": [
    LOOP,
    entry("each.0.inner", "for_each", "finished", [null, null]),
    entry("each.0.inner.1.sum", "transform", "error"),
  ],
};

Deno.test("retry: only runs with a failed item offer to repeat the failed items", () => {
  const found = Object.entries(RUNS).map(([name, steps]) => [name, hasFailedItem(steps, TYPES)]);
  deepEqual(found, Object.entries(RUNS).map(([name, steps]) => [name, asTheServer(steps)]));
  deepEqual(found.filter(([, has]) => !has).map(([name]) => name), [
    "no loop",
    "a failure that was handled",
    "a failure after which the item goes on",
    "a loop inside of an item",
  ]);
});
