/** Cyclic references between templates that are defined together. */
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import { pathsOfTexts } from "./template.ts";

/**
 * Finds names that need each other: `a` needs `b`, and `b` needs `a`. A name that needs only itself is no cycle: it
 * reads its previous value.
 *
 * @param templates by the name that each one defines
 * @returns the names of the first cycle, starting with the one defined first
 */
export function dependencyCycle(templates: JsonObject): string[] | undefined {
  const needs = new Map(
    Object.entries(templates).map(([name, value]) => [name, namesNeeded(name, value, templates)]),
  );
  const in_or_before_cycle = withoutResolvable(needs);
  const [start] = in_or_before_cycle;
  if (start === undefined) return undefined;
  const visited = new Set<string>();
  let at = start;
  while (!visited.has(at)) {
    visited.add(at);
    at = [...needs.get(at) ?? []].find((name) => in_or_before_cycle.has(name)) ?? at;
  }
  const path = [...visited];
  const cycle = path.slice(path.indexOf(at));
  const members = new Set(cycle);
  const first = cycle.indexOf(Object.keys(templates).find((name) => members.has(name)) ?? at);
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}

/** Removes names repeatedly that need no remaining name. Every name that is left is part of a cycle, or needs one. */
function withoutResolvable(needs: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const needed_by = new Map<string, string[]>([...needs.keys()].map((name) => [name, []]));
  for (const [name, others] of needs) {
    for (const other of others) needed_by.get(other)?.push(name);
  }
  const unresolved = new Map([...needs].map(([name, others]) => [name, others.size]));
  const resolvable = [...unresolved].filter(([, count]) => count === 0).map(([name]) => name);
  for (let name = resolvable.pop(); name !== undefined; name = resolvable.pop()) {
    unresolved.delete(name);
    for (const other of needed_by.get(name) ?? []) {
      const left = (unresolved.get(other) ?? 0) - 1;
      unresolved.set(other, left);
      if (left === 0) resolvable.push(other);
    }
  }
  return new Set(unresolved.keys());
}

const namesNeeded = (name: string, value: JsonValue, templates: JsonObject): Set<string> =>
  new Set(
    pathsOfTexts(value).flatMap(({ placeholder: [head] }) =>
      head !== undefined && head !== name && Object.hasOwn(templates, head) ? [head] : []
    ),
  );
