/**
 * Parser of template texts: `Price {json_object.rates.0.mid|default:0|round:2}`.
 *
 * A path consists of names and indexes, separated by dots. Its first name begins with a letter or `_`, followed by
 * letters, digits and `_`. Filters follow the path, as `filter_text.ts` reads them. `{=` begins an expression. `{{` and
 * `}}` are literal braces.
 */
import { type Expression, readExpression } from "./expression.ts";
import { type FilterCall, pathOf, readFilters } from "./filters/filter_text.ts";

export interface Placeholder {
  /** At least one name. */
  path: string[];
  /** Applied one after the other. */
  filters?: readonly FilterCall[];
}

/** Literal texts, which are not empty, placeholders and expressions. */
export type Template = readonly (string | Placeholder | Expression)[];

export type ReadTemplate = { template: Template } | { fault: string };

/** Characters of a faulty text that a message repeats. */
const MOST_SHOWN = 40;
const shown = (text: string) => text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN).toWellFormed()}…` : text;

/** Takes time in proportion to the length of the text. */
export function readTemplate(text: string): ReadTemplate {
  const template: (string | Placeholder | Expression)[] = [];
  const literal: string[] = [];
  const flush = () => {
    const joined = literal.splice(0).join("");
    if (joined) template.push(joined);
  };
  for (let at = 0; at < text.length;) {
    const brace = nextBrace(text, at);
    literal.push(text.slice(at, brace));
    if (brace === text.length) break;
    if (text[brace + 1] === text[brace]) {
      literal.push(text.charAt(brace));
      at = brace + 2;
      continue;
    }
    if (text[brace] === "}") return { fault: "has a } without a {; the sign itself is }}" };
    const read = readBraces(text, brace);
    if ("fault" in read) return read;
    flush();
    template.push(read.part);
    at = read.end;
  }
  flush();
  return { template };
}

const BRACE = /[{}]/g;

function nextBrace(text: string, from: number): number {
  BRACE.lastIndex = from;
  return BRACE.test(text) ? BRACE.lastIndex - 1 : text.length;
}

/**
 * Reads a placeholder or an expression.
 *
 * @param start the index of the opening brace
 * @returns `end`: the index after the closing brace
 */
export function readBraces(
  text: string,
  start: number,
): { part: Placeholder | Expression; end: number } | { fault: string } {
  if (text[start + 1] === "=") return readExpression(text, start);
  const closing = text.indexOf("}", start);
  if (closing === -1) return { fault: `has a { that is never closed; the sign itself is {{` };
  const whole = () => shown(text.slice(start, closing + 1));
  const bar = text.slice(start, closing).indexOf("|");
  const path = pathOf(text.slice(start + 1, bar === -1 ? closing : start + bar).trim());
  if (!path) {
    return { fault: `has ${whole()}, which is no placeholder such as {a.b.0}; the signs themselves are {{ and }}` };
  }
  if (bar === -1) return { part: { path }, end: closing + 1 };
  const read = readFilters(text, start + bar);
  if ("fault" in read) return { fault: `has ${whole()}, and at character ${read.at + 1} ${read.fault}` };
  return { part: { path, filters: read.filters }, end: read.end + 1 };
}
