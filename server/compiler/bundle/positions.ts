/** Positions in the author's source, and how messages show them. */

/** Both count from 1. The column counts UTF-16 units, as editors do. */
export interface Position {
  line: number;
  column: number;
}

/** Characters of the source line that a message shows around the caret: a line may have 200,000 characters. */
const WIDTH = 100;

/** `line:column message`, then the source line, then a caret under the column. */
export function showMistake(source: string, message: string, position: Position | undefined): string {
  if (!position) return message;
  const { line, column } = position;
  const text = source.split("\n", line)[line - 1]?.replace(/\r$/, "");
  const headline = `${line}:${column} ${message}`;
  if (text === undefined) return headline;
  const start = Math.max(0, Math.min(column - 1 - WIDTH / 2, text.length - WIDTH));
  const shown = text.slice(start, start + WIDTH);
  // Tabs stay tabs, so that the caret is in its column for every tab width.
  const indent = shown.slice(0, column - 1 - start).replace(/[^\t]/g, " ");
  return `${headline}\n${shown}\n${indent}^`;
}

/** `line:column message`, on one line. */
export const showWarning = (message: string, { line, column }: Position) => `${line}:${column} ${message}`;

/** @param index counts from 0 */
export function positionAt(source: string, index: number): Position {
  const before = source.slice(0, index);
  return { line: before.split("\n").length, column: index - before.lastIndexOf("\n") };
}

/** @returns an index that counts from 0 */
export function indexAt(source: string, { line, column }: Position): number {
  const before = source.split("\n", line - 1);
  return before.reduce((sum, { length }) => sum + length + 1, 0) + column - 1;
}

/** The index of each line's first character. */
export function startsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

const SCRIPT_LINE_ENDS = /\r\n|[\r\n\u2028\u2029]/g;

/** The index of the first character of each line as JavaScript, esbuild, acorn and browsers count lines. */
export const scriptStartsOf = (text: string): number[] => [
  0,
  ...Array.from(text.matchAll(SCRIPT_LINE_ENDS), ({ 0: { length }, index }) => index + length),
];

/** Converts positions in JavaScript's lines. Editors do not end a line at U+2028 and U+2029. */
export function editorPlaces(text: string): (place: Position) => Position {
  if (!/[\u2028\u2029]/.test(text)) return (place) => place;
  const [script, editor] = [linesOf(text, scriptStartsOf(text)), linesOf(text)];
  return (place) => editor.positionAt(script.indexAt(place));
}

/** `positionAt` and `indexAt` for many places in one text. */
export function linesOf(text: string, starts = startsOf(text)) {
  return {
    positionAt(index: number): Position {
      let [low, high] = [0, starts.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((starts[middle] ?? 0) <= index) low = middle;
        else high = middle - 1;
      }
      return { line: low + 1, column: index - (starts[low] ?? 0) + 1 };
    },
    indexAt: ({ line, column }: Position): number => (starts[line - 1] ?? text.length) + column - 1,
  };
}

/** The start of the first match, or of its first group where the pattern has one and the `d` flag. */
export function positionOf(source: string, pattern: RegExp): Position | undefined {
  const match = pattern.exec(source);
  if (!match) return undefined;
  return positionAt(source, match.indices?.[1]?.[0] ?? match.index);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Converts esbuild's columns, which count bytes of UTF-8, to UTF-16 units. Both count from 0. */
export const columnOfByte = (line: string, byte: number): number =>
  decoder.decode(encoder.encode(line).subarray(0, byte)).length;
