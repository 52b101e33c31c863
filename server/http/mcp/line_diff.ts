/** The difference of two texts, line by line, for the answer to a rehearsed change. */

/** Lines of a text that are shown around a change. */
const CONTEXT = 2;
/** Cells of the table of common lines. A larger change is shown as a whole. */
const MOST_CELLS = 1_000_000;
/** Characters of a difference. */
const LONGEST = 20_000;

type Line = [mark: " " | "-" | "+", text: string];

/** Empty where the texts are equal. Lines of the form ` same`, `-before`, `+after`; `…` follows a part where lines are left out. */
export function lineDiff(before: string, after: string): string {
  if (before === after) return "";
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const lines: Line[] = [
    ...a.slice(0, start).map((text): Line => [" ", text]),
    ...changedLines(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map((text): Line => [" ", text]),
  ];
  const text = shown(lines).join("\n");
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n… and ${text.length - LONGEST} more characters`;
}

/** The longest common subsequence, by a table of lengths. */
function changedLines(a: readonly string[], b: readonly string[]): Line[] {
  const removed = (texts: readonly string[]) => texts.map((text): Line => ["-", text]);
  const added = (texts: readonly string[]) => texts.map((text): Line => ["+", text]);
  if (a.length * b.length > MOST_CELLS) return [...removed(a), ...added(b)];
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push([" ", a[i] ?? ""]);
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push(["-", a[i++] ?? ""]);
    else lines.push(["+", b[j++] ?? ""]);
  }
  return [...lines, ...removed(a.slice(i)), ...added(b.slice(j))];
}

function shown(lines: readonly Line[]): string[] {
  const near = new Uint8Array(lines.length);
  lines.forEach(([mark], index) => {
    if (mark !== " ") near.fill(1, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
  });
  return lines.flatMap(([mark, text], index) => near[index] ? [mark + text] : near[index - 1] ? ["…"] : []);
}
