/**
 * Parser of the short form of conditions:
 * `{json_object.price} > 100 and not ({name} starts_with "x" or {list} is empty)`.
 *
 * `not` binds tighter than `and`, and `and` tighter than `or`. Values are placeholders, quoted texts (which may contain
 * placeholders), numbers, `true`, `false`, `null` and lists of values in brackets. A recursive descent parser without
 * backtracking, so it takes time in proportion to the length of the text.
 */
import type { JsonValue } from "../../input/json_value.ts";
import { type Comparison, type Condition, CONDITION_DEPTH, ONE_SIDED, type Operator, OPERATORS } from "./condition.ts";
import { readBraces } from "./template_text.ts";

/** A `value` is an operand. A `word` is an operator or a connective in lower case, a `sign` is punctuation. */
export type Token =
  | { kind: "value"; value: JsonValue; text: string }
  | { kind: "word" | "sign"; text: string };

export type ReadCondition = { condition: Condition } | { fault: string };

/** A syntax error. `readTokens` returns its message as a fault. */
class SyntaxFault extends Error {}

const SIGNS: Record<string, Operator> = {
  "==": "eq",
  "=": "eq",
  "!=": "ne",
  ">": "gt",
  ">=": "gte",
  "<": "lt",
  "<=": "lte",
};

export function parseCondition(text: string): ReadCondition {
  return readTokens(tokensOf(text));
}

/** @param tokens each is read once */
export function readTokens(tokens: Iterator<Token>): ReadCondition {
  try {
    const reader = new Reader(tokens);
    const condition = reader.any(0);
    reader.end();
    return { condition };
  } catch (error) {
    if (error instanceof SyntaxFault) return { fault: error.message };
    throw error;
  }
}

class Reader {
  #next: Token | undefined;

  constructor(readonly tokens: Iterator<Token>) {
    this.#advance();
  }

  any(depth: number): Condition {
    const parts = [this.#all(depth)];
    while (this.#takes("or", "||")) parts.push(this.#all(depth));
    return only(parts) ?? { any: parts };
  }

  end(): void {
    if (this.#next) throw new SyntaxFault(`has ${this.#next.text} where and, or or the end is expected`);
  }

  #all(depth: number): Condition {
    const parts = [this.#one(depth)];
    while (this.#takes("and", "&&")) parts.push(this.#one(depth));
    return only(parts) ?? { all: parts };
  }

  #one(depth: number): Condition {
    if (depth > CONDITION_DEPTH) throw new SyntaxFault(`is nested deeper than ${CONDITION_DEPTH} levels`);
    if (this.#takes("not", "!")) return { not: this.#one(depth + 1) };
    if (!this.#takes("(")) return this.#comparison();
    const inner = this.any(depth + 1);
    if (!this.#takes(")")) throw new SyntaxFault(`has ${this.#found()} where a ) is expected`);
    return inner;
  }

  #comparison(): Comparison {
    const expression = this.#expression();
    const left = this.#value();
    // An expression says itself whether it holds.
    if (expression && (!this.#next || ["and", "&&", "or", "||", ")"].includes(this.#next.text))) {
      return { left, operator: "eq", right: true };
    }
    const operator = this.#operator();
    if (ONE_SIDED.some((known) => known === operator)) return { left, operator };
    return { left, operator, right: this.#value() };
  }

  #expression(): boolean {
    return this.#next?.kind === "value" && this.#next.text.startsWith("{=");
  }

  #value(): JsonValue {
    if (this.#takes("[")) return this.#list();
    const token = this.#next;
    if (token?.kind !== "value") {
      const hint = token?.kind === "word" ? "; texts stand in quotes" : "";
      throw new SyntaxFault(`has ${this.#found()} where a value is expected${hint}`);
    }
    this.#advance();
    return token.value;
  }

  /** A list of values that are no lists. */
  #list(): JsonValue[] {
    const items: JsonValue[] = [];
    if (this.#takes("]")) return items;
    do {
      if (this.#next?.text === "[") throw new SyntaxFault("has a list within a list");
      items.push(this.#value());
    } while (this.#takes(","));
    if (!this.#takes("]")) throw new SyntaxFault(`has ${this.#found()} where , or ] is expected`);
    return items;
  }

  #operator(): Operator {
    const is = this.#takes("is");
    const not = this.#takes("not");
    const token = this.#next;
    const name = `${not ? "not_" : ""}${token?.text ?? ""}`;
    const operator = token?.kind === "value"
      ? undefined
      : !is && !not && Object.hasOwn(SIGNS, name)
      ? SIGNS[name]
      : OPERATORS.find((known) => known === name);
    if (!operator || is && !ONE_SIDED.some((known) => known === operator)) {
      throw new SyntaxFault(`has ${this.#found()} where an operator is expected, such as ==, > or contains`);
    }
    this.#advance();
    return operator;
  }

  #takes(...texts: string[]): boolean {
    if (!this.#next || this.#next.kind === "value" || !texts.includes(this.#next.text)) return false;
    this.#advance();
    return true;
  }

  #found(): string {
    if (!this.#next) return "its end";
    return this.#next.text.length > 40 ? `${this.#next.text.slice(0, 40).toWellFormed()}…` : this.#next.text;
  }

  #advance(): void {
    const { done, value } = this.tokens.next();
    this.#next = done ? undefined : value;
  }
}

const only = (parts: Condition[]): Condition | undefined => parts.length === 1 ? parts[0] : undefined;

const SPACE = /\s*/y;
const WORD = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SIGN = /&&|\|\||==|!=|>=|<=|[=<>!()[\],]/y;
const CONSTANTS: Record<string, JsonValue> = { true: true, false: false, null: null };

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

export function* tokensOf(text: string): Generator<Token> {
  for (let at = 0;;) {
    at += match(SPACE, text, at)?.length ?? 0;
    if (at >= text.length) return;
    const { token, end } = tokenAt(text, at);
    yield token;
    at = end;
  }
}

function tokenAt(text: string, at: number): { token: Token; end: number } {
  const sign = text[at] ?? "";
  if (sign === "{") {
    const read = readBraces(text, at);
    if ("fault" in read) throw new SyntaxFault(read.fault);
    const written = text.slice(at, read.end);
    return { token: { kind: "value", value: written, text: written }, end: read.end };
  }
  if (sign === '"' || sign === "'") return quotedAt(text, at);
  const word = match(WORD, text, at);
  if (word !== undefined) {
    const lower = word.toLowerCase();
    const token: Token = Object.hasOwn(CONSTANTS, lower)
      ? { kind: "value", value: CONSTANTS[lower] ?? null, text: word }
      : { kind: "word", text: lower };
    return { token, end: at + word.length };
  }
  const number = match(NUMBER, text, at);
  if (number !== undefined) {
    const value = Number(number);
    if (!Number.isFinite(value)) throw new SyntaxFault(`has a number that is too large`);
    // As everywhere in programs, an integer that a number cannot hold is the text of its digits.
    const is_rounded = /^-?\d{16,}$/.test(number) && String(value) !== number;
    return { token: { kind: "value", value: is_rounded ? number : value, text: number }, end: at + number.length };
  }
  const known = match(SIGN, text, at);
  if (known === undefined) {
    throw new SyntaxFault(`has ${String.fromCodePoint(text.codePointAt(at) ?? 0)}, which means nothing here`);
  }
  return { token: { kind: "sign", text: known }, end: at + known.length };
}

/** A quoted text. A backslash escapes the character after it. */
function quotedAt(text: string, start: number): { token: Token; end: number } {
  const quote = text[start];
  const parts: string[] = [];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === quote) {
      const value = parts.join("");
      return { token: { kind: "value", value, text: text.slice(start, at + 1) }, end: at + 1 };
    }
    if (text[at] === "\\") at++;
    parts.push(text.charAt(at));
  }
  throw new SyntaxFault(`has a ${quote} that is never closed`);
}
