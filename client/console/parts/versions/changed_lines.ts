/** The difference of two texts by lines. */
export interface Line {
  kind: "same" | "added" | "removed";
  text: string;
}

/** Beyond this product of lengths the middle is shown as removed and added as a whole. */
const MOST_CELLS = 4_000_000;

export function changedLines(before: string, after: string): Line[] {
  const [from, to] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start++;
  let end = 0;
  while (end < from.length - start && end < to.length - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  const same = (text: string): Line => ({ kind: "same", text });
  return [
    ...from.slice(0, start).map(same),
    ...changedMiddle(from.slice(start, from.length - end), to.slice(start, to.length - end)),
    ...from.slice(from.length - end).map(same),
  ];
}

/** Keeps the longest common subsequence. */
function changedMiddle(from: string[], to: string[]): Line[] {
  const removed = (text: string): Line => ({ kind: "removed", text });
  const added = (text: string): Line => ({ kind: "added", text });
  if (from.length * to.length > MOST_CELLS) return [...from.map(removed), ...to.map(added)];
  const width = to.length + 1;
  /** Lengths of the longest common subsequences of the rests, by row and column. */
  const lengths = new Uint32Array((from.length + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = from.length - 1; row >= 0; row--) {
    for (let column = to.length - 1; column >= 0; column--) {
      lengths[row * width + column] = from[row] === to[column]
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < from.length || column < to.length) {
    const [old, now] = [from[row], to[column]];
    if (old !== undefined && old === now) {
      lines.push({ kind: "same", text: old });
      row++;
      column++;
    } else if (now === undefined || old !== undefined && at(row + 1, column) >= at(row, column + 1)) {
      lines.push(removed(old ?? ""));
      row++;
    } else {
      lines.push(added(now));
      column++;
    }
  }
  return lines;
}
