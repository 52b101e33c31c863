/** Expressions within templates: `{= $sum(items.price) * 1.23 }`, in JSONata. Reading and checking only. */
import jsonata from "jsonata";
import { bounded } from "../../remembered.ts";
import { unsetVariables } from "./expression_variables.ts";

/** A part of a template. */
export interface Expression {
  expression: string;
  /** The index of its first character in the template. */
  at: number;
}

/** Characters of an expression. */
const MOST_CHARACTERS = 10_000;

const OPERAND_END = /[\p{L}\p{N}_$)\]}"'`]/u;

/**
 * The index of the brace that closes an expression. Braces in texts, comments, names in backticks and regular expressions
 * do not count.
 *
 * @param from the index after `{=`
 */
function endOfExpression(text: string, from: number): number | undefined {
  let depth = 0;
  let previous = "";
  for (let at = from; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === "/" && text[at + 1] === "*") {
      const end = text.indexOf("*/", at + 2);
      if (end === -1) return undefined;
      at = end + 1;
      continue;
    }
    if (sign === "}" && depth-- === 0) return at;
    if (sign === "{") depth++;
    const is_quoted = `"'\``.includes(sign) || sign === "/" && !OPERAND_END.test(previous);
    if (is_quoted) at = closingOf(text, at);
    if (!/\s/.test(sign)) previous = sign;
  }
}

/** The index of the same sign again. A backslash escapes the sign after it. */
function closingOf(text: string, start: number): number {
  const sign = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\" && sign !== "`") at++;
    else if (text[at] === sign) return at;
  }
  return text.length;
}

/** @param start the index of `{=` */
export function readExpression(text: string, start: number): { part: Expression; end: number } | { fault: string } {
  const end = endOfExpression(text, start + 2);
  if (end === undefined) return { fault: "has a {= that is never closed" };
  const written = text.slice(start + 2, end);
  const expression = written.trim();
  return { part: { expression, at: start + 2 + written.length - written.trimStart().length }, end: end + 1 };
}

/** A node of JSONata's tree, as far as this file reads it. */
interface Node {
  type?: string;
  value?: unknown;
  [key: string]: unknown;
}

interface Checked {
  fault?: string;
  /** The paths that begin with a name that templates see, such as `steps.fx`. */
  paths: string[][];
  /** Variables that nothing sets. */
  unset: string[];
}

/** Not state of a request: the result depends on the text alone. */
const CHECKED = bounded<string, Checked>(2_000);

function check(expression: string): Checked {
  const known = CHECKED.get(expression);
  if (known) return known;
  const checked = checkAnew(expression);
  CHECKED.set(expression, checked);
  return checked;
}

function checkAnew(expression: string): Checked {
  if (expression === "") return faulty("is blank");
  if (expression.length > MOST_CHARACTERS) return faulty(`has more than ${MOST_CHARACTERS} characters`);
  try {
    const found: Found = { paths: [], uses_eval: undefined };
    const tree = jsonata(expression).ast();
    visit(tree, found, true);
    if (found.uses_eval === undefined) return { paths: found.paths, unset: unsetVariables(tree) };
    return faulty(`uses $eval, which is not available, at character ${found.uses_eval}`);
  } catch (error) {
    // JSONata throws plain objects.
    const { message, position }: Record<string, unknown> = Object(error);
    if (error instanceof RangeError) return faulty("is nested too deeply");
    const where = typeof position === "number" ? `, at character ${position}` : "";
    return faulty(`is no JSONata: ${String(message).slice(0, 300)}${where}`);
  }
}

const faulty = (fault: string): Checked => ({ fault, paths: [], unset: [] });

interface Found {
  paths: string[][];
  uses_eval: number | undefined;
}

/** @param is_root the node is evaluated on the names that templates see, not on an item */
function visit(node: unknown, found: Found, is_root: boolean): void {
  if (Array.isArray(node)) {
    for (const item of node) visit(item, found, is_root);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  const { type, value, position, ...rest }: Node = { ...node };
  if (type === "variable" && value === "eval") found.uses_eval = Number(position);
  if (type === "path" && Array.isArray(rest.steps)) return visitPath(rest.steps, rest, found, is_root);
  const inner = is_root && type !== "lambda" && type !== "transform" && type !== "apply";
  for (const part of Object.values(rest)) visit(part, found, inner);
}

function visitPath(steps: Node[], { steps: _, ...rest }: Node, found: Found, is_root: boolean): void {
  if (is_root) {
    const end = steps.findIndex(({ type }) => type !== "name");
    const names = steps.slice(0, end === -1 ? undefined : end).map(({ value }) => String(value));
    if (names.length > 0) found.paths.push(names);
  }
  for (const [index, step] of steps.entries()) {
    if (index === 0 && step.type !== "name") visit(step, found, is_root);
    else for (const part of Object.values(step)) visit(part, found, false);
  }
  for (const part of Object.values(rest)) visit(part, found, false);
}

/** What is wrong with an expression, for its author. */
export function expressionFault({ expression, at }: Expression): string | undefined {
  const { fault } = check(expression);
  return fault && `has an expression at character ${at + 1} that ${fault}`;
}

export const pathsOfExpression = ({ expression }: Expression): string[][] => check(expression).paths;

export const unsetInExpression = ({ expression }: Expression): string[] => check(expression).unset;
