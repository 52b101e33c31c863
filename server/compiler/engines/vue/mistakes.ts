/** Turns the errors of Vue's compiler, which differ from part to part, into messages with positions in the source. */
import type { CompilerError, SFCBlock } from "@vue/compiler-sfc";
import { CompileFailure } from "../../compiler.ts";
import { type Position, showMistake } from "../../bundle/positions.ts";
import { reword } from "../../bundle/reword.ts";
import { babelParse, FILENAME } from "./compiler.ts";
import { REWORDED } from "./messages.ts";

export interface Mistake {
  message: string;
  position: Position | undefined;
}

/** Messages per source: a source can have thousands of mistakes. */
export const MOST = 20;

/** Sorts the mistakes by position and drops duplicates. */
export function failureOf(source: string, mistakes: readonly Mistake[]): CompileFailure {
  const distinct = new Map(mistakes.map((mistake) => [JSON.stringify(mistake), mistake]));
  const order = ({ position }: Mistake) => position ? position.line * 1_000_000 + position.column : Infinity;
  const first = [...distinct.values()].sort((a, b) => order(a) - order(b) || 0).slice(0, MOST);
  return new CompileFailure(first.map(({ message, position }) => showMistake(source, message, position)));
}

/** A mistake of a script. Vue reports its position only in an excerpt of the lines around it. */
export function mistakeIn(text: string): Mistake {
  const [head = ""] = text.split(`\n\n${FILENAME}\n`);
  const message = head
    // deno-lint-ignore no-control-regex -- colours
    .replace(/\x1B\[\d+m/g, "")
    .replace(/^\s*\[@?vue\/compiler-sfc\]\s*/, "")
    .replace(PLACE, "");
  return { message: reword(oneLine(message), REWORDED), position: framed(text) };
}

/** Whether this is an author's mistake as opposed to an internal error of the compiler. */
export const isMistake = (error: unknown): error is Error =>
  error instanceof Error && (/^\[@?vue\/compiler-sfc\]/.test(error.message) || framed(error.message) !== undefined);

/** A mistake or a warning of a template. */
export function templateMistake(error: CompilerError | SyntaxError): Mistake {
  const start = "loc" in error ? error.loc?.start : undefined;
  const message = oneLine(error.message.replace(PLACE, ""));
  return { message, position: start && inExpression(error, { line: start.line, column: start.column }) };
}

/**
 * The syntax error of an expression in `v-bind()`, which Vue's style compiler does not report.
 *
 * @param find finds the expression in the source
 */
export function expressionMistake(expression: string, find: () => Position | undefined): Mistake | undefined {
  try {
    babelParse(`(${expression})`);
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const start = find();
    return { message: error.message.replace(PLACE, ""), position: start && inExpression(error, start) };
  }
}

/** @param script the text of a block that does not parse */
export function needsTypes(script: string): boolean {
  const reads = (plugins: "typescript"[]) => {
    try {
      return Boolean(babelParse(script, { sourceType: "module", plugins }));
    } catch {
      return false;
    }
  };
  return !reads([]) && reads(["typescript"]);
}

function inExpression({ message }: Error, start: Position): Position {
  const [, line, column] = PLACE.exec(message) ?? [];
  return line === undefined ? start : beyond(start, Number(line), Number(column) - (line === "1" ? 1 : 0) + 1);
}

/** The position that Babel's parser appends: lines from 1, columns from 0, shifted by the parenthesis added before. */
const PLACE = /\s*\((\d+):(\d+)\)$/;

/** Maps a position inside a text to the source, where the text starts at `start`. */
const beyond = (start: Position, line: number, column: number): Position => ({
  line: start.line + line - 1,
  column: line === 1 ? start.column + column - 1 : column,
});

/** Maps a position inside a block to the source. */
export const within = ({ loc }: SFCBlock, line: number, column: number): Position => beyond(loc.start, line, column);

/** Reads the excerpt `12 |  the line` with a caret below. A caret beyond the line means the start of the next line. */
function framed(text: string): Position | undefined {
  const [, line, shown = "", indent = ""] = /^(\d+) *\| {2}([^\n]*)\n {3}\| {2}( *)\^/m.exec(text) ?? [];
  if (line === undefined) return undefined;
  return indent.length > shown.length
    ? { line: Number(line) + 1, column: 1 }
    : { line: Number(line), column: indent.length + 1 };
}

const oneLine = (message: string) => message.trim().replace(/\s*\n\s*/g, " ");
