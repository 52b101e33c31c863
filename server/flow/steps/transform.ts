/** `transform`: filters, changes, sorts and summarizes a list. */
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import { jsonLength } from "../storage/storable.ts";
import { timeOf } from "../template/compare.ts";
import { exact, sumOf } from "../template/filters/filters.ts";
import { FilterFault, numberOf, readNumber } from "../template/filters/filter.ts";
import { holdsIn, renderIn } from "../template/rendering.ts";
import { lookUp } from "../template/template.ts";
import { INDEX } from "./control/for_each.ts";
import { withNames } from "./control/loop_names.ts";
import { StepFault } from "./fault.ts";
import type { Execution, StepType } from "./step_type.ts";
import { shape, type TransformStep } from "./transform_shape.ts";

const MOST_ITEMS = 50_000;

export const transform = {
  type: "transform",
  about: {
    title: "Transform a list",
    summary: "filters, changes, sorts, groups and sums a list",
    icon: "list-checks",
    group: "values",
    line: "Transform {from}[ where {where}][ by {group}]",
    blank: { from: "{input.items}" },
  },
  shape,
  templates: ["from", "where", "map"],
  inside: ["where", "map"],
  names: ({ as }) => [as, INDEX],
  async execute(step, execution) {
    const from = await renderIn(step.from, execution);
    if (from !== null && !Array.isArray(from)) throw new StepFault("from is no list");
    if (from && from.length > MOST_ITEMS) throw new StepFault(`from has more than ${MOST_ITEMS} items`);
    const { as } = step;
    const mapped = await withNames(execution.scope, [as, INDEX], () => chosen(step, from ?? [], execution));
    const sorted = step.sort === undefined ? mapped : sortedBy(mapped, [step.sort].flat());
    const unique = step.unique === undefined ? sorted : uniqueBy(sorted, step.unique);
    const items = unique.slice(0, step.limit);
    execution.setOutput(summary(step, items));
    return undefined;
  },
} satisfies StepType<TransformStep>;

/** The items for which `where` holds, as `map` makes them. */
async function chosen({ as, where, map }: TransformStep, from: JsonValue[], execution: Execution) {
  const { scope, proveRoom, noteInside } = execution;
  // A comparison for each item would be too much to be kept.
  const rendering = { ...execution, noteCompared() {} };
  const items: JsonValue[] = [];
  let characters = 0;
  for (const [index, item] of from.entries()) {
    const turn = execution.yieldTurn();
    if (turn) await turn;
    Object.assign(scope, { [as]: item, [INDEX]: index });
    noteInside();
    if (where !== undefined) {
      const holds = holdsIn(where, rendering);
      if (!(holds instanceof Promise ? await holds : holds)) continue;
    }
    if (map === undefined) {
      items.push(item);
      continue;
    }
    const rendered = renderIn(map, rendering);
    const value = rendered instanceof Promise ? await rendered : rendered;
    characters += jsonLength(value);
    proveRoom(characters);
    items.push(value);
  }
  return items;
}

/** The value at a path that begins with the item's name. */
const valueAt = (item: JsonValue, path: string): JsonValue => lookUp(path.split(".").slice(1), item) ?? null;

/**
 * Numbers and texts that are numbers come first, then texts, then everything else. Dates and timestamps are compared as
 * points in time, as in conditions.
 */
type SortKey = [rank: number, value: number | string];

function sortKeyOf(value: JsonValue): SortKey {
  if (typeof value === "boolean") return [0, Number(value)];
  const number = readNumber(value);
  if (number !== undefined) return [0, number];
  return typeof value === "string" ? [1, timeOf(value) ?? value] : [2, 0];
}

/** Missing values stay at the end in both directions. */
function compareKeys([rank, value]: SortKey, [other_rank, other]: SortKey, direction: number): number {
  if (rank !== other_rank) return rank === 2 || other_rank === 2 ? rank - other_rank : direction * (rank - other_rank);
  return value < other ? -direction : value > other ? direction : 0;
}

function sortedBy(items: readonly JsonValue[], paths: readonly string[]): JsonValue[] {
  const directions = paths.map((path) => path.startsWith("-") ? -1 : 1);
  const keyed = items.map((item) => ({
    item,
    keys: paths.map((path) => sortKeyOf(valueAt(item, path.replace(/^-/, "")))),
  }));
  const missing: SortKey = [2, 0];
  return keyed.sort((a, b) => {
    for (const [index, direction] of directions.entries()) {
      const order = compareKeys(a.keys[index] ?? missing, b.keys[index] ?? missing, direction);
      if (order !== 0) return order;
    }
    return 0;
  }).map(({ item }) => item);
}

/** Groups have the order of their first items. Values that are the same JSON are the same. */
function groupsBy(items: readonly JsonValue[], path: string): { key: JsonValue; items: JsonValue[] }[] {
  const groups = new Map<string, { key: JsonValue; items: JsonValue[] }>();
  for (const item of items) {
    const key = valueAt(item, path);
    const text = JSON.stringify(key);
    const group = groups.get(text) ?? { key, items: [] };
    if (group.items.push(item) === 1) groups.set(text, group);
  }
  return [...groups.values()];
}

const uniqueBy = (items: readonly JsonValue[], path: string): JsonValue[] =>
  groupsBy(items, path).flatMap(({ items }) => items.slice(0, 1));

function summary({ group, reduce }: TransformStep, items: JsonValue[]): JsonValue {
  if (group === undefined) return reduce ? reduced(reduce, items) : items;
  return groupsBy(items, group).map(({ key, items }): JsonObject => ({
    key,
    ...reduce ? reduced(reduce, items) : { items },
  }));
}

const reduced = (reduce: NonNullable<TransformStep["reduce"]>, items: readonly JsonValue[]): JsonObject =>
  Object.fromEntries(
    Object.entries(reduce).map(([name, reduction]) => {
      const [[operation = "", path = ""] = []] = Object.entries(reduction);
      const values = items.map((item) => valueAt(item, path)).filter((value) => value !== null);
      try {
        return [name, reduceValues(operation, values)];
      } catch (error) {
        if (!(error instanceof FilterFault)) throw error;
        throw new StepFault(`reduce: ${name}: ${operation} of ${path} ${error.message}`);
      }
    }),
  );

/** @param values without null */
function reduceValues(operation: string, values: JsonValue[]): JsonValue {
  const sum = () => values.reduce<number>((all, value) => sumOf(all, numberOf(value)), 0);
  const extreme = (direction: 1 | -1) =>
    values.map((value) => ({ value, key: sortKeyOf(value) }))
      .reduce<{ value: JsonValue; key: SortKey } | undefined>(
        (best, one) => !best || compareKeys(one.key, best.key, direction) < 0 ? one : best,
        undefined,
      )?.value ?? null;
  switch (operation) {
    case "count":
      return values.length;
    case "sum":
      return sum();
    case "average":
      return values.length === 0 ? null : exact(sum() / values.length);
    case "min":
      return extreme(1);
    case "max":
      return extreme(-1);
    case "first":
      return values[0] ?? null;
    case "last":
      return values.at(-1) ?? null;
    default:
      return values;
  }
}
