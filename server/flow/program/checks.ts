/** What must hold of a program beyond the shape of its steps. */
import type { JsonValue } from "../../input/json_value.ts";
import type { Fault, Step, Templates } from "./program.ts";
import { type Place, walk } from "./walk.ts";
import { pathsOfTexts } from "../template/template.ts";

const MOST_STEPS = 1_000;
const DEEPEST = 10;

/** Ids that were not given are "". */
export function faultsOfSteps(steps: Step[]): Fault[] {
  const places = [...walk(steps)];
  if (places.length > MOST_STEPS) {
    return [{ path: [], message: `is too long (maximum is ${MOST_STEPS} steps)` }];
  }
  return [
    ...places.filter(({ depth }) => depth === DEEPEST + 1).map(({ path }) => ({
      path,
      message: `is nested too deep (maximum is ${DEEPEST} levels of steps)`,
    })),
    ...repeatedIds(places),
    ...places.flatMap(faultsOfCatch),
    ...places.flatMap(faultsOfNames),
  ];
}

function repeatedIds(places: Place[]): Fault[] {
  const seen = new Set<string>();
  return places.flatMap(({ step: { id }, path }) => {
    if (!id) return [];
    if (seen.has(id)) return [{ path: [...path, "id"], message: "has already been taken" }];
    seen.add(id);
    return [];
  });
}

function faultsOfCatch({ step, path }: Place): Fault[] {
  if (step.on_error === "catch" || step.catch.length === 0) return [];
  return [{ path: [...path, "catch"], message: "is only used where on_error is catch" }];
}

function faultsOfNames({ step, path }: Place): Fault[] {
  if (step.type !== "mutation") return [];
  const circle = circleIn(step.set);
  if (!circle) return [];
  const shown = [...circle.slice(0, 10), ...circle.length > 10 ? ["…"] : [], circle[0]].join(" → ");
  return [{ path: [...path, "set", circle[0] ?? ""], message: `needs itself in a circle: ${shown}` }];
}

/**
 * Names of one mutation that need each other. One that needs only itself goes on from what it was before.
 *
 * @returns the first such circle from its first name in order, each name once
 */
function circleIn(set: Templates): string[] | undefined {
  const needs = new Map(Object.entries(set).map(([name, value]) => [name, neededBy(name, value, set)]));
  const needed = new Map<string, string[]>([...needs.keys()].map((name) => [name, []]));
  for (const [name, others] of needs) {
    for (const other of others) needed.get(other)?.push(name);
  }
  // Whoever needs nobody is left out, then whoever needed only those: what stays is in a circle, or needs one.
  const open = new Map([...needs].map(([name, others]) => [name, others.size]));
  const done = [...open].filter(([, count]) => count === 0).map(([name]) => name);
  for (let name = done.pop(); name !== undefined; name = done.pop()) {
    open.delete(name);
    for (const other of needed.get(name) ?? []) {
      const left = (open.get(other) ?? 0) - 1;
      open.set(other, left);
      if (left === 0) done.push(other);
    }
  }
  const [start] = open.keys();
  if (start === undefined) return undefined;
  const way = new Set<string>();
  let at = start;
  while (!way.has(at)) {
    way.add(at);
    at = [...needs.get(at) ?? []].find((name) => open.has(name)) ?? at;
  }
  const circle = [...way].slice([...way].indexOf(at));
  const inCircle = new Set(circle);
  const first = circle.indexOf(Object.keys(set).find((name) => inCircle.has(name)) ?? at);
  return [...circle.slice(first), ...circle.slice(0, first)];
}

const neededBy = (name: string, value: JsonValue, set: Templates): Set<string> =>
  new Set(
    pathsOfTexts(value).flatMap(({ placeholder: [head] }) =>
      head !== undefined && head !== name && Object.hasOwn(set, head) ? [head] : []
    ),
  );
