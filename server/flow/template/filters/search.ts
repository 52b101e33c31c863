/**
 * Search of a text within another in linear time. The built-in search takes time in proportion to the product of both
 * lengths in the worst case.
 */
import type { TakeRoom } from "./filter.ts";

/** Up to this product of the two lengths the built-in search takes a few milliseconds at most, and is faster. */
const MOST_PRODUCT = 10_000_000;

const isSmall = (whole: string, part: string) => whole.length * part.length <= MOST_PRODUCT;

export function includes(whole: string, part: string): boolean {
  return isSmall(whole, part) ? whole.includes(part) : !matches(whole, part).next().done;
}

/** The starts of the part in the whole, without overlap. Knuth-Morris-Pratt. */
function* matches(whole: string, part: string): Generator<number> {
  if (part.length > whole.length) return;
  // borders[i]: the length of the longest prefix of `part` that ends at i and is not all of it.
  const borders = new Uint32Array(part.length);
  const grow = (border: number, code: number): number => {
    while (border > 0 && part.charCodeAt(border) !== code) border = borders[border - 1] ?? 0;
    return part.charCodeAt(border) === code ? border + 1 : 0;
  };
  for (let at = 1, border = 0; at < part.length; at++) {
    border = borders[at] = grow(border, part.charCodeAt(at));
  }
  for (let at = 0, found = 0; at < whole.length; at++) {
    found = grow(found, whole.charCodeAt(at));
    if (found < part.length) continue;
    yield at + 1 - part.length;
    found = 0;
  }
}

/** The parts between the separators. An empty separator splits into characters. */
export function splitAll(text: string, separator: string): string[] {
  if (separator === "") return Array.from(text);
  if (isSmall(text, separator)) return text.split(separator);
  const parts: string[] = [];
  let from = 0;
  for (const at of matches(text, separator)) {
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
  return [...parts, text.slice(from)];
}

/** @param take is told the length of the result before it is made */
export function replaceAll(text: string, sought: string, other: string, take: TakeRoom): string {
  if (sought === "") return text;
  const parts = splitAll(text, sought);
  take((parts.length - 1) * other.length);
  return parts.join(other);
}
