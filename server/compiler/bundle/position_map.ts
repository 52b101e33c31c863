/**
 * Where the parts of a bundled app are in the author's source, as the mappings of a source map (version 3) with one
 * source. Previews show the lines of messages with it. Builds for apps have none: it takes a tenth of a build's time.
 */
import { decodedMappings, encodedMappings, type SourceMapSegment, TraceMap } from "@jridgewell/trace-mapping";
import type { Compiled } from "../engines/engine.ts";
import type { Linked } from "./links.ts";
import { MODULE_MARK } from "./options.ts";
import { editorPlaces, type Position, scriptStartsOf } from "./positions.ts";

/** What esbuild wrote, and what became of it. */
export interface Written {
  /** esbuild's source map, as JSON. */
  map: string;
  /** esbuild's name for the author's module. */
  file: string;
  text: string;
  /** Characters that were put in front of the text before it was linked. */
  shown?: number;
  linked?: Linked;
}

/** Beyond this number positions are only of every second, fourth, … place. */
const MOST_SEGMENTS = 40_000;

/** Maps places that esbuild counts in its input to the author's source. */
export function sourcePlaces({ code, author, locate }: Compiled): (place: Position) => Position | undefined {
  const mark = author ? MODULE_MARK : "";
  const inEditor = editorPlaces(mark + (author?.code ?? code));
  return (place) => {
    const { line, column } = inEditor(place);
    const moved = line === 1 ? mark.length : 0;
    return column > moved ? locate({ line, column: column - moved }) : undefined;
  };
}

export function positionsOf(compiled: Compiled, { map, file, text, shown = 0, linked }: Written): string {
  const traced = new TraceMap(map);
  const inSource = sourcePlaces(compiled);
  // esbuild writes paths relative to its output, which is beside the source.
  const index = traced.sources.findIndex((name) => name?.endsWith(file));
  const starts = scriptStartsOf(text);
  const place = linked ? placesIn(linked, shown) : undefined;
  const lines: SourceMapSegment[][] = [];
  const all = decodedMappings(traced);
  const step = Math.ceil(all.reduce((sum, { length }) => sum + length, 0) / MOST_SEGMENTS);
  let count = 0;
  let last = "";
  for (const [row, segments] of all.entries()) {
    for (const segment of segments) {
      if (segment.length === 1 || segment[1] !== index || count++ % step !== 0) continue;
      const [unit, , line, column] = segment;
      const found = inSource({ line: line + 1, column: column + 1 });
      const there = place ? place((starts[row] ?? 0) + unit) : { row, unit };
      if (!found || !there || last === `${there.row} ${found.line}:${found.column}`) continue;
      last = `${there.row} ${found.line}:${found.column}`;
      (lines[there.row] ??= []).push([there.unit, 0, found.line - 1, found.column - 1]);
    }
  }
  const mappings = Array.from(lines, (line = []) => line);
  return encodedMappings(new TraceMap({ version: 3, names: [], sources: ["app"], mappings }));
}

/** Maps indices in esbuild's text to places in the linked text. They must be asked for in ascending order. */
function placesIn({ text, head, cuts }: Linked, shown: number) {
  const starts = scriptStartsOf(text);
  let [cut, removed, row] = [0, 0, 0];
  return (index: number): { row: number; unit: number } | undefined => {
    const before = index + shown;
    for (let next = cuts[cut]; next && next.end <= before; next = cuts[++cut]) removed += next.end - next.start;
    if ((cuts[cut]?.start ?? Infinity) <= before) return undefined;
    const after = before - removed + head;
    while ((starts[row + 1] ?? Infinity) <= after) row++;
    return { row, unit: after - (starts[row] ?? 0) };
  };
}
