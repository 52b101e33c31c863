/** What the parts of Vue's compiler throw, each in a way of its own, as messages with a place in the author's source. */
import type { CompilerError, SFCBlock } from "@vue/compiler-sfc";
import { CompileFailure } from "../../compiler.ts";
import { type Position, showMistake } from "../../bundle/positions.ts";
import { babelParse, FILENAME } from "./compiler.ts";

export interface Mistake {
  message: string;
  position: Position | undefined;
}

/** A source can have thousands. */
export const MOST = 20;

/** In the order of the source. */
export function failureOf(source: string, mistakes: readonly Mistake[]): CompileFailure {
  const distinct = new Map(mistakes.map((mistake) => [JSON.stringify(mistake), mistake]));
  const order = ({ position }: Mistake) => position ? position.line * 1_000_000 + position.column : Infinity;
  const first = [...distinct.values()].sort((a, b) => order(a) - order(b) || 0).slice(0, MOST);
  return new CompileFailure(first.map(({ message, position }) => showMistake(source, message, position)));
}

/** A script's mistake, which has its place in a drawing of the lines around it only. */
export function mistakeIn(text: string): Mistake {
  const [head = ""] = text.split(`\n\n${FILENAME}\n`);
  const message = head
    // deno-lint-ignore no-control-regex -- colours
    .replace(/\x1B\[\d+m/g, "")
    .replace(/^\s*\[@?vue\/compiler-sfc\]\s*/, "")
    .replace(PLACE, "");
  return { message: reword(oneLine(message)), position: framed(text) };
}

/** Whether Vue's compiler says this, as opposed to stumbling. */
export const isMistake = (error: unknown): error is Error =>
  error instanceof Error && (/^\[@?vue\/compiler-sfc\]/.test(error.message) || framed(error.message) !== undefined);

/** A template's mistake or warning. */
export function templateMistake(error: CompilerError | SyntaxError): Mistake {
  const start = "loc" in error ? error.loc?.start : undefined;
  const message = oneLine(error.message.replace(PLACE, ""));
  return { message, position: start && inExpression(error, { line: start.line, column: start.column }) };
}

/**
 * The mistake of an expression, where no part of the compiler tells it well.
 *
 * @param find its place in the source
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

/** @param script a block's text that the parser refuses */
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

/** The parser of expressions adds its own: lines from 1, columns from 0, and a parenthesis before the first one. */
const PLACE = /\s*\((\d+):(\d+)\)$/;

/** The place of something inside a text that starts at a place. */
const beyond = (start: Position, line: number, column: number): Position => ({
  line: start.line + line - 1,
  column: line === 1 ? start.column + column - 1 : column,
});

/** The place of something inside a block. */
export const within = ({ loc }: SFCBlock, line: number, column: number): Position => beyond(loc.start, line, column);

/** `12 |  the line` and below it a caret, which for the start of a line stands behind the one before. */
function framed(text: string): Position | undefined {
  const [, line, shown = "", indent = ""] = /^(\d+) *\| {2}([^\n]*)\n {3}\| {2}( *)\^/m.exec(text) ?? [];
  if (line === undefined) return undefined;
  return indent.length > shown.length
    ? { line: Number(line) + 1, column: 1 }
    : { line: Number(line), column: indent.length + 1 };
}

const oneLine = (message: string) => message.trim().replace(/\s*\n\s*/g, " ");

/** What a compiler says to those who configure it. */
function reword(message: string): string {
  if (/^(No fs option|Type import from non-relative)/.test(message)) {
    return "Types from other modules cannot be read here: declare what a macro needs in this file";
  }
  if (/parser plugin\(s\):.*"jsx"/.test(message)) return "JSX is not supported: write a <template>, or call h()";
  return message;
}
