/** What a range of cells holds: as text for the clipboard, and its sum. */
import { plainText, toTsv, type Value } from "./cells.ts";
import type { Rec, Rows } from "./rows.svelte.ts";
import type { Range } from "./selection.svelte.ts";
import type { Column } from "./view.svelte.ts";

/** Rows of one paste or fill: the server takes as many operations at once, so that all or none are written. */
export const MOST_ROWS = 1_000;
/** Rows that are copied at once. */
export const MOST_COPIED = 10_000;

export const inside = (columns: readonly Column[], { left, right }: Range) => columns.slice(left, right + 1);

export const valueOf = (record: Rec, name: string): Value | undefined =>
  name === "id" || name === "created_at" || name === "updated_at" ? record[name] : record.data[name];

export const valueAt = (rows: Rows, row: number, { name }: Column): Value | undefined => {
  const record = rows.at(row);
  return record && valueOf(record, name);
};

export const textOf = (rows: Rows, columns: readonly Column[], range: Range): string => {
  const lines: string[][] = [];
  for (let row = range.top; row <= range.bottom; row++) {
    lines.push(inside(columns, range).map((column) => plainText(valueAt(rows, row, column))));
  }
  return toTsv(lines);
};

/** Sum and average of the numbers of a range; undefined where there are fewer than two. */
export function sumOf(rows: Rows, columns: readonly Column[], range: Range) {
  const numbers: number[] = [];
  for (let row = range.top; row <= Math.min(range.bottom, range.top + MOST_COPIED); row++) {
    for (const column of inside(columns, range)) {
      const value = column.type === "integer" || column.type === "number" ? valueAt(rows, row, column) : undefined;
      if (typeof value === "number") numbers.push(value);
    }
  }
  if (numbers.length < 2) return undefined;
  const sum = numbers.reduce((sum, number) => sum + number, 0);
  return { sum, average: sum / numbers.length, count: numbers.length };
}
