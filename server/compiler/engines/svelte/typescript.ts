/**
 * TypeScript that is more than types: enums, namespaces, parameter properties, decorators. Svelte's compiler only removes
 * types, so a source with those is compiled to JavaScript first.
 */
import type * as esbuild from "esbuild";
import { transform } from "../../bundle/esbuild.ts";
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { parse } from "svelte/compiler";
import { linesOf, type Position, scriptStartsOf } from "../../bundle/positions.ts";

export interface Converted {
  source: string;
  /** Maps a position in `source` to the author's. */
  locate(place: Position): Position;
}

const OPTIONS = {
  loader: "ts",
  format: "esm",
  target: "es2022",
  charset: "utf8",
  logLevel: "silent",
  sourcemap: "external",
  sourcefile: "App.svelte",
  // An import may be in use in the markup only.
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, useDefineForClassFields: true } },
} as const satisfies esbuild.TransformOptions;

interface Part {
  /** Where the script stands in the author's source. */
  start: number;
  end: number;
  /** Where its JavaScript stands in the converted source. */
  at: number;
  code: Lines;
  /** Characters of its JavaScript. */
  length: number;
  /** The part of the author's source. */
  authors: Lines;
  map: TraceMap;
}

type Lines = ReturnType<typeof linesOf>;

/** Converts the scripts of a component. @throws {esbuild.TransformFailure} */
export async function toJavaScript(source: string): Promise<Converted> {
  const { instance, module } = parse(source, { modern: true });
  const scripts = [instance, module].flatMap((script) => script ? [script.content] : [])
    .map((content) => placeOf(content)).sort((a, b) => a.start - b.start);
  const parts: Part[] = [];
  let converted = "";
  let done = 0;
  for (const { start, end } of scripts) {
    const typed = source.slice(start, end);
    const { code, map } = await transform(typed, OPTIONS);
    converted += source.slice(done, start);
    parts.push({
      start,
      end,
      at: converted.length,
      code: linesOf(code, scriptStartsOf(code)),
      length: code.length,
      authors: linesOf(typed, scriptStartsOf(typed)),
      map: new TraceMap(map),
    });
    converted += code;
    done = end;
  }
  converted += source.slice(done);
  const [authors, lines] = [linesOf(source), linesOf(converted)];
  return {
    source: converted,
    locate: (place) => authors.positionAt(originOf(lines.indexAt(place), parts)),
  };
}

/** Svelte's nodes have indices in the source, which its types leave out. */
function placeOf(node: object): { start: number; end: number } {
  if ("start" in node && "end" in node && typeof node.start === "number" && typeof node.end === "number") {
    return { start: node.start, end: node.end };
  }
  throw new Error("a script of svelte's has no place");
}

/** The index in the author's source of an index in the converted one. */
function originOf(index: number, parts: readonly Part[]): number {
  let shift = 0;
  for (const { start, end, at, code, length, authors, map } of parts) {
    if (index < at) break;
    if (index < at + length) {
      const { line, column } = code.positionAt(index - at);
      const found = originalPositionFor(map, { line, column: column - 1 });
      return found.line === null ? start : start + authors.indexAt({ line: found.line, column: found.column + 1 });
    }
    shift = end - (at + length);
  }
  return index + shift;
}
