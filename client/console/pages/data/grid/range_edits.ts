/** Changes of whole ranges: paste, fill down, clear. Loaded with the first of them. */
import { isOwn } from "../tables.ts";
import { fromTsv, readText, type Value } from "./cells.ts";
import { inside, MOST_ROWS, valueAt } from "./range_values.ts";
import type { Rows } from "./rows.svelte.ts";
import type { Range } from "./selection.svelte.ts";
import type { Column } from "./view.svelte.ts";
import { type Change, type Data, newId } from "./writes.svelte.ts";

/** The change of one row that sets these fields, without those that stay; undefined where nothing changes. */
function setting(rows: Rows, row: number, after: Data): Change | undefined {
  const record = rows.at(row);
  if (!record || rows.gone.has(record.id)) return undefined;
  const changed = Object.entries(after).filter(([name, value]) => (record.data[name] ?? null) !== value);
  if (changed.length === 0) return undefined;
  const before = Object.fromEntries(changed.map(([name]) => [name, record.data[name] ?? null]));
  return { kind: "set", id: record.id, before, after: Object.fromEntries(changed) };
}

export interface Pasted {
  changes: Change[];
  /** The range that was written. */
  range: Range;
  /** Columns of the text beyond the last column. */
  left_out: number;
  too_long: boolean;
}

/**
 * Writes text from the top left corner on. Rows beyond the last one become records. One value fills the whole range.
 *
 * @param extra values that new records get, too
 */
export function paste(rows: Rows, columns: readonly Column[], range: Range, text: string, extra: Data = {}): Pasted {
  const read = fromTsv(text);
  const [[only = ""] = []] = read;
  const is_one = read.length === 1 && read[0]?.length === 1;
  const cells = is_one
    ? Array.from(
      { length: Math.min(MOST_ROWS + 1, range.bottom - range.top + 1) },
      () => Array.from({ length: range.right - range.left + 1 }, () => only),
    )
    : read;
  const width = Math.max(...cells.map(({ length }) => length));
  const targets = columns.slice(range.left, range.left + width);
  const changes: Change[] = [];
  const first_new = rows.total;
  for (const [i, line] of cells.slice(0, MOST_ROWS).entries()) {
    const data: Data = {};
    for (const [j, column] of targets.entries()) {
      if (!column.own) data[column.name] = readText(column.type, line[j] ?? "");
    }
    const row = range.top + i;
    if (row < first_new) {
      const change = setting(rows, row, data);
      if (change) changes.push(change);
    } else changes.push({ kind: "create", id: newId(), data: { ...extra, ...data }, position: row });
  }
  return {
    changes,
    range: {
      top: range.top,
      left: range.left,
      bottom: range.top + Math.min(cells.length, MOST_ROWS) - 1,
      right: range.left + targets.length - 1,
    },
    left_out: Math.max(0, width - targets.length),
    too_long: cells.length > MOST_ROWS,
  };
}

/** Copies the first row of the range into the others; of a single row, the row above it. */
export function fillDown(rows: Rows, columns: readonly Column[], range: Range): Change[] {
  const from = range.top === range.bottom ? range.top - 1 : range.top;
  if (from < 0) return [];
  const data: Data = {};
  for (const column of inside(columns, range)) {
    if (!column.own) data[column.name] = valueAt(rows, from, column) ?? null;
  }
  return ofRows(rows, from + 1, range.bottom, data);
}

export function clear(rows: Rows, columns: readonly Column[], range: Range): Change[] {
  const blank = Object.fromEntries(inside(columns, range).filter(({ own }) => !own).map(({ name }) => [name, null]));
  return ofRows(rows, range.top, range.bottom, blank);
}

function ofRows(rows: Rows, from: number, to: number, data: Data): Change[] {
  const changes: Change[] = [];
  for (let row = from; row <= Math.min(to, from + MOST_ROWS - 1); row++) {
    const change = setting(rows, row, data);
    if (change) changes.push(change);
  }
  return changes;
}

/** Sets one field of the records. */
export const settingAll = (rows: Rows, ids: readonly string[], name: string, value: Value): Change[] =>
  ids.flatMap((id): Change[] => {
    const record = rows.records.get(id);
    const before = record?.data[name] ?? null;
    return record && !isOwn(name) && before !== value
      ? [{ kind: "set", id, before: { [name]: before }, after: { [name]: value } }]
      : [];
  });

export const deletingAll = (rows: Rows, ids: readonly string[]): Change[] => {
  const positions = new Map(rows.ids.flatMap((id, i) => id === undefined ? [] : [[id, i] as const]));
  // From the last row on, so that the inverse puts each row where it was.
  return ids.flatMap((id): Change[] => {
    const record = rows.records.get(id);
    const position = positions.get(id) ?? 0;
    return record ? [{ kind: "delete", id, data: record.data, position, department_id: record.department_id }] : [];
  }).toSorted((one, other) => positionOf(other) - positionOf(one));
};

const positionOf = (change: Change): number => "position" in change ? change.position : 0;
