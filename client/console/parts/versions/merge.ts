/** A three-way merge of texts by lines: what two people made of the same text. */
import { changedLines } from "./changed_lines.ts";

/** Lines `from` to `to` (exclusive) of the base become `lines`. */
interface Change {
  from: number;
  to: number;
  lines: string[];
}

export interface Merged {
  /** Both sides' changes; where they touch the same lines, mine. */
  text: string;
  /** How many places both have changed in different ways. */
  conflicts: number;
}

export function merge(base: string, mine: string, theirs: string): Merged {
  const lines = base.split("\n");
  const [own, other] = [changesOf(base, mine), changesOf(base, theirs)];
  // Changes of neighbouring lines belong together: which of them comes first is not known.
  const touches = (a: Change, b: Change) => a.from <= b.to && b.from <= a.to;
  const same = (a: Change, b: Change) =>
    a.from === b.from && a.to === b.to && a.lines.join("\n") === b.lines.join("\n");
  const free = other.filter((change) => !own.some((mine) => touches(mine, change)));
  const conflicts = other.filter((change) => own.some((mine) => touches(mine, change) && !same(mine, change))).length;
  for (const { from, to, lines: next } of [...own, ...free].toSorted((a, b) => b.from - a.from)) {
    lines.splice(from, to - from, ...next);
  }
  return { text: lines.join("\n"), conflicts };
}

function changesOf(before: string, after: string): Change[] {
  const changes: Change[] = [];
  let line = 0;
  let change: Change | undefined;
  for (const { kind, text } of changedLines(before, after)) {
    if (kind === "same") {
      change = undefined;
      line++;
      continue;
    }
    if (!change) changes.push(change = { from: line, to: line, lines: [] });
    if (kind === "added") change.lines.push(text);
    else change.to = ++line;
  }
  return changes;
}
