/** Where rows and columns of a grid stand, in pixels. */
import type { Column } from "./view.svelte.ts";

export const ROW = 32;
export const HEAD = 32;
/** The column of check boxes. */
export const GUTTER = 56;
/** Browsers draw no element that is much higher. Beyond it, scrolling is scaled. */
const MOST_HEIGHT = 8_000_000;
/** Rows that are drawn outside of what is seen. */
const SPARE = 6;

export interface Span {
  first: number;
  /** Excluded. */
  end: number;
  /** Of the first drawn row in the scrolled content. */
  top: number;
  /** Height of the scrolled content. */
  height: number;
  /** Rows move by this times the scrolled pixels. */
  scale: number;
}

/** @param view height of what is seen, without the head */
export function rowsIn(total: number, scroll_top: number, view: number): Span {
  const whole = total * ROW;
  const height = Math.min(whole, MOST_HEIGHT);
  const scale = whole > height && height > view ? (whole - view) / (height - view) : 1;
  const offset = scroll_top * scale;
  const first = Math.max(0, Math.floor(offset / ROW) - SPARE);
  const end = Math.min(total, Math.ceil((offset + view) / ROW) + SPARE);
  return { first, end, top: scroll_top + first * ROW - offset, height, scale };
}

/** The scroll position that shows a row, if the present one does not. */
export function scrollTo(row: number, { scale }: Span, scroll_top: number, view: number): number | undefined {
  const offset = scroll_top * scale;
  if (row * ROW < offset) return Math.floor(row * ROW / scale);
  if ((row + 1) * ROW > offset + view) return Math.ceil(((row + 1) * ROW - view) / scale);
}

export interface Placed extends Column {
  index: number;
  /** In the scrolled content, behind the check boxes. */
  x: number;
}

export const placed = (columns: readonly Column[]): Placed[] => {
  let x = GUTTER;
  return columns.map((column, index) => {
    const one = { ...column, index, x };
    x += column.width;
    return one;
  });
};

/** The columns that are drawn: the frozen ones, and those that are seen. */
export const columnsIn = (columns: readonly Placed[], scroll_left: number, width: number): Placed[] =>
  columns.filter(({ frozen, x, width: own }) => frozen || x + own > scroll_left - 200 && x < scroll_left + width + 200);

/** The cell that an event happened in. */
export function cellAt(target: EventTarget | null): { row: number; column: number } | undefined {
  const found = target instanceof Element ? target.closest<HTMLElement>("[data-row]") : null;
  return found ? { row: Number(found.dataset.row), column: Number(found.dataset.column) } : undefined;
}
