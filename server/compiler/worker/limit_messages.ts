/** How compilers report that a source exceeds what they can hold, alone or inside a mistake: error text → message. */
import { reword, type Rewording } from "../bundle/reword.ts";

export const LIMIT_MESSAGES: Rewording = [
  [
    /(?:Error parsing JavaScript expression: )?Maximum call stack size exceeded|Not enough stack space to parse input|nesting depth exceeds .*/,
    "is nested too deeply to compile",
  ],
  [
    /Invalid (?:string|array) length|(?:Map|Set) maximum size exceeded|allocation failed/,
    "compile needs too much memory",
  ],
];

export const inPlainWords = (mistake: string): string => reword(mistake, LIMIT_MESSAGES);
