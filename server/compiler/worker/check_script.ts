/** Checks js sources, which are served unchanged as classic scripts. */
import { type Options, parse } from "acorn";
import { CompileFailure } from "../compiler.ts";
import { positionAt, showMistake } from "../bundle/positions.ts";

const SCRIPT = { ecmaVersion: "latest", sourceType: "script", allowHashBang: true } as const satisfies Options;
const MODULE = { ...SCRIPT, sourceType: "module" } as const satisfies Options;

const MESSAGES = {
  no_import: "import and export are not possible: a js app is a classic script. Other engines have them",
  no_await: "await is possible in async functions only: a js app is a classic script",
} as const;

/** @throws {CompileFailure} with the first syntax error */
export function checkScript(source: string): void {
  const mistake = mistakeIn(source, SCRIPT);
  if (!mistake) return;
  const { message, pos } = mistake;
  const text = /'sourceType: module'/.test(message)
    ? MESSAGES.no_import
    : /\bawait\b/.test(source) && !mistakeIn(source, MODULE)
    ? MESSAGES.no_await
    : message.replace(/ \(\d+:\d+\)$/, "");
  throw new CompileFailure([showMistake(source, text, positionAt(source, pos))]);
}

interface Mistake extends SyntaxError {
  /** An index. acorn's own lines also end at U+2028 and U+2029, those of editors do not. */
  pos: number;
}

const isMistake = (error: unknown): error is Mistake => error instanceof SyntaxError && "pos" in error;

function mistakeIn(source: string, options: Options): Mistake | undefined {
  try {
    parse(source, options);
    return undefined;
  } catch (error) {
    if (isMistake(error)) return error;
    throw error;
  }
}
