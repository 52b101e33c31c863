/** Reads the compiler's messages: `line:column text`, then the source line and a caret. */
import type { Mistake } from "./editor.ts";

const POSITION = /^(\d+):(\d+) (.*)$/s;

export function readMistake(message: string): Mistake {
  const [first = ""] = message.split("\n");
  const [, line, column, text] = POSITION.exec(first) ?? [];
  return { line: Number(line ?? 1), column: Number(column ?? 1), text: text ?? first };
}
