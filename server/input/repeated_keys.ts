/** Finds keys that a JSON text repeats within one object. `JSON.parse` keeps only the last one. */

/** An object or array that is open at a place of the text. */
interface Open {
  /** Undefined for an array. */
  keys: Set<string> | undefined;
  /** The key or index of the value that is read. */
  at: string;
  index: number;
}

/**
 * @param text valid JSON
 * @returns the path of each repetition
 */
export function repeatedKeys(text: string): string[][] {
  const repeated: string[][] = [];
  const open: Open[] = [];
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]/g;
  let last = "";
  for (const [found] of text.matchAll(token)) {
    const inner = open.at(-1);
    switch (found) {
      case "{":
        open.push({ keys: new Set(), at: "", index: 0 });
        break;
      case "[":
        open.push({ keys: undefined, at: "0", index: 0 });
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        if (inner && !inner.keys) inner.at = String(++inner.index);
        break;
      case ":": {
        const key: unknown = JSON.parse(last);
        if (!inner?.keys || typeof key !== "string") break;
        inner.at = key;
        if (inner.keys.has(key)) repeated.push(open.map(({ at }) => at));
        inner.keys.add(key);
        break;
      }
      default:
        last = found;
    }
  }
  return repeated;
}
