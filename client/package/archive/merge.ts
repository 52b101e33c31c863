/** Three-way merges by lines, as Git makes them. */

export interface Merged {
  /** Where both sides differ from the base and from each other, it has both, between markers. */
  text: string;
  conflicts: number;
}

/** Beyond so many pairs of lines, a differing region is compared as a whole. */
const MOST_PAIRS = 16_000_000;

/** @param host names the server's side in markers */
export function merge(base: string, yours: string, server: string, host: string): Merged {
  const [old, mine, theirs] = [linesOf(base), linesOf(yours), linesOf(server)];
  const [in_mine, in_theirs] = [matches(old, mine), matches(old, theirs)];
  const merged: string[] = [];
  let conflicts = 0;
  let [o, m, t] = [0, 0, 0];
  for (;;) {
    // Lines that are the same on all sides.
    while (o < old.length && in_mine[o] === m && in_theirs[o] === t) {
      merged.push(old[o] ?? "");
      [o, m, t] = [o + 1, m + 1, t + 1];
    }
    if (o === old.length && m === mine.length && t === theirs.length) break;
    // The next line of the base that both sides have kept.
    let next = o;
    while (next < old.length && (in_mine[next] === undefined || in_theirs[next] === undefined)) next++;
    const [m_end, t_end] = [in_mine[next] ?? mine.length, in_theirs[next] ?? theirs.length];
    const [was, my, their] = [old.slice(o, next), mine.slice(m, m_end), theirs.slice(t, t_end)];
    if (equal(my, their) || equal(their, was)) merged.push(...my);
    else if (equal(my, was)) merged.push(...their);
    else {
      conflicts++;
      merged.push("<<<<<<< yours", ...my, "||||||| base", ...was, "=======", ...their, `>>>>>>> server ${host}`);
    }
    [o, m, t] = [next, m_end, t_end];
  }
  const is_ended = ends(yours) === ends(base) ? ends(server) : ends(yours);
  const end = merged.length > 0 && (is_ended || conflicts > 0) ? "\n" : "";
  return { text: merged.join("\n") + end, conflicts };
}

/** The last line may have no end: that is compared by itself, not as a change of the line. */
const linesOf = (text: string): string[] => text === "" ? [] : text.replace(/\n$/, "").split("\n");
const ends = (text: string): boolean => text === "" || text.endsWith("\n");

const equal = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, i) => line === other[i]);

/** For each line of `old`, the index of the same line in `now`; undefined where it is gone. A longest common subsequence. */
function matches(old: readonly string[], now: readonly string[]): (number | undefined)[] {
  const found: (number | undefined)[] = Array(old.length).fill(undefined);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) found[start] = start++;
  let [old_end, now_end] = [old.length, now.length];
  while (old_end > start && now_end > start && old[old_end - 1] === now[now_end - 1]) found[--old_end] = --now_end;
  const [rows, columns] = [old_end - start, now_end - start];
  if (rows * columns > MOST_PAIRS) return found;
  // lengths[i][j]: of the longest common subsequence from old line i and new line j on.
  const lengths = new Uint32Array((rows + 1) * (columns + 1));
  const at = (i: number, j: number) => lengths[i * (columns + 1) + j] ?? 0;
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      lengths[i * (columns + 1) + j] = old[start + i] === now[start + j]
        ? at(i + 1, j + 1) + 1
        : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (old[start + i] === now[start + j]) found[start + i++] = start + j++;
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return found;
}
