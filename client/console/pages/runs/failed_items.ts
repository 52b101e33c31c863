/** Whether the server repeats anything of a run when it is asked for the failed items only. */
import type { Step } from "./runs.ts";

type Entry = Pick<Step, "place" | "type" | "status" | "output" | "truncated">;
type Types = ReadonlyMap<string, { fields: readonly { key: string; kind: string }[] }>;

/** The rule of `server/flow/run/execution/reuse.ts`, which the test compares. */
export function hasFailedItem(steps: readonly Entry[], types: Types): boolean {
  const fieldsOf = (type: string) => types.get(type)?.fields;
  // Steps with an effect have attempts. A type that is not known has one.
  const hasEffect = (type: string) => fieldsOf(type)?.some(({ key }) => key === "retry") ?? true;
  const hasBranches = (type: string) =>
    fieldsOf(type)?.some(({ key, kind }) => key !== "catch" && (kind === "steps" || kind === "cases")) ?? false;
  const last_of_item = new Map<string, Entry>();
  for (const step of steps) for (const item of itemsAround(step.place)) last_of_item.set(item, step);
  const at_place = new Map(steps.map((step) => [step.place, step]));
  const mayEnd = (loop: Entry | undefined) =>
    loop !== undefined && (loop.status === "error" || Array.isArray(loop.output) || loop.truncated === true);
  const has_ended = [...last_of_item].some(([item, { type, status }]) =>
    status === "error" && (hasBranches(type) || !hasEffect(type)) && mayEnd(at_place.get(loopOf(item)))
  );
  return has_ended ||
    steps.some(({ place, type, status }) => status === "error" && place.includes(".") && hasEffect(type));
}

/** `each.3` and `each.3.inner.0` of `each.3.inner.0.rates`. */
function itemsAround(place: string): string[] {
  const names = place.split(".");
  return Array.from({ length: Math.floor((names.length - 1) / 2) }, (_, i) => names.slice(0, 2 * i + 2).join("."));
}

/** `each.3.inner` of `each.3.inner.0`. */
const loopOf = (item: string): string => item.split(".").slice(0, -1).join(".");
