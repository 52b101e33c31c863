/** What a named view keeps, between the words of the API and those of the grid. */
import type { api } from "../../../api.ts";
import { type Condition, filterOf, type Key, OPERATORS, readSort, sortText } from "../grid/query.ts";
import { type Column, FIRST_LAYOUT, HIDDEN, type Layout } from "../grid/view.svelte.ts";

export type SavedView = Awaited<ReturnType<typeof api.dbs.views.list.query>>[number];
type Settings = Pick<SavedView, "columns" | "filter" | "q" | "sort">;

/** What a grid shows, as its address and its columns say it. */
export interface Shown {
  conditions: readonly Condition[];
  keys: readonly Key[];
  q: string;
  /** In their order, hidden ones too. */
  columns: readonly Column[];
  layout: Layout;
}

export function settingsOf({ conditions, keys, q, columns, layout }: Shown): Settings {
  const { widths, hidden } = layout;
  const shown = columns.filter(({ name }) => !hidden.includes(name));
  const frozen = new Set(shown.slice(0, layout.frozen).map(({ name }) => name));
  return {
    columns: columns.map(({ name }) => ({
      field: name,
      ...widths[name] !== undefined && { width: widths[name] },
      hidden: hidden.includes(name),
      frozen: frozen.has(name),
    })),
    filter: filterOf(conditions) ?? {},
    q,
    sort: keys.length > 0 ? sortText(keys) : "",
  };
}

/** The conditions of a filter as the API has it. */
export function conditionsOf(filter: SavedView["filter"]): Condition[] {
  return Object.entries(filter).flatMap(([field, sent]) => {
    const operators = typeof sent === "object" && sent !== null && !Array.isArray(sent) ? sent : { eq: sent };
    return Object.entries(operators).flatMap(([name, value]): Condition[] => {
      const operator = OPERATORS.find((known) => known === name);
      if (!operator) return [];
      if (value === null && operator === "eq") return [{ field, operator: "blank", value: "" }];
      if (value === null && operator === "ne") return [{ field, operator: "filled", value: "" }];
      return [{ field, operator, value: Array.isArray(value) ? value.join(", ") : String(value ?? "") }];
    });
  });
}

export const keysOf = ({ sort }: Pick<SavedView, "sort">): Key[] => readSort(sort);

export function layoutOf({ columns }: Pick<SavedView, "columns">): Layout {
  if (columns.length === 0) return FIRST_LAYOUT;
  const named = new Set(columns.map(({ field }) => field));
  const shown = columns.filter(({ hidden }) => !hidden);
  const loose = shown.findIndex(({ frozen }) => !frozen);
  return {
    order: columns.map(({ field }) => field),
    widths: Object.fromEntries(columns.flatMap(({ field, width }) => width === undefined ? [] : [[field, width]])),
    hidden: [
      ...columns.filter(({ hidden }) => hidden).map(({ field }) => field),
      ...HIDDEN.filter((name) => !named.has(name)),
    ],
    frozen: loose < 0 ? shown.length : loose,
  };
}

const canonical = ({ columns, filter, q, sort }: Settings): string => {
  const conditions = conditionsOf(filter).map(({ field, operator, value }) => [field, operator, value].join("\0"));
  return JSON.stringify([columns, conditions.toSorted(), q, sort || sortText([])]);
};

/** Whether the grid shows anything else than the view says. */
export const differs = (view: SavedView, shown: Shown, of: (layout: Layout) => readonly Column[]): boolean => {
  const layout = layoutOf(view);
  const saved = settingsOf({
    conditions: conditionsOf(view.filter),
    keys: keysOf(view),
    q: view.q,
    columns: of(layout),
    layout,
  });
  return canonical(saved) !== canonical(settingsOf(shown));
};
