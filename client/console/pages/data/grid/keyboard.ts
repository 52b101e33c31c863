/** What the keys of the grid mean. */
import type { Cell } from "./selection.svelte.ts";

export type Command =
  | { kind: "move"; rows: number; columns: number; by: "one" | "page" | "end" }
  | { kind: "edit"; seed?: string | undefined }
  | { kind: "all" | "open" | "check" | "clear" | "fill" | "undo" | "redo" | "leave" };

const ARROWS: Record<string, [rows: number, columns: number]> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};

const WITH_CONTROL: Record<string, "all" | "fill" | "redo"> = { a: "all", d: "fill", y: "redo" };

export function commandOf(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
): Command | undefined {
  const { key, altKey, shiftKey } = event;
  const control = event.ctrlKey || event.metaKey;
  const [rows, columns] = ARROWS[key] ?? [];
  if (altKey) return undefined;
  if (rows !== undefined && columns !== undefined) return { kind: "move", rows, columns, by: control ? "end" : "one" };
  if (key === "PageDown" || key === "PageUp") {
    return { kind: "move", rows: key === "PageDown" ? 1 : -1, columns: 0, by: "page" };
  }
  if (key === "Home" || key === "End") {
    const way = key === "End" ? 1 : -1;
    return { kind: "move", rows: control ? way : 0, columns: way, by: "end" };
  }
  if (control) {
    const letter = key.toLowerCase();
    if (letter === "z") return { kind: shiftKey ? "redo" : "undo" };
    const kind = WITH_CONTROL[letter];
    return kind && { kind };
  }
  switch (key) {
    case "Enter":
    case "F2":
      return { kind: "edit" };
    case "Escape":
      return { kind: "leave" };
    case "Delete":
    case "Backspace":
      return { kind: "clear" };
    case " ":
      return { kind: shiftKey ? "check" : "open" };
  }
  return key.length === 1 ? { kind: "edit", seed: key } : undefined;
}

/** The cell that a move leads to; it may lie outside of the grid. */
export function stepOf(
  move: Command & { kind: "move" },
  { row, column }: Cell,
  grid: { rows: number; columns: number; page: number },
): Cell {
  const far = (way: number, at: number, count: number) => way === 0 ? at : way > 0 ? count - 1 : 0;
  if (move.by === "end") {
    return { row: far(move.rows, row, grid.rows), column: far(move.columns, column, grid.columns) };
  }
  return { row: row + move.rows * (move.by === "page" ? grid.page : 1), column: column + move.columns };
}
