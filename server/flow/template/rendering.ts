/**
 * Rendering with expressions. Templates are filled at once; the expressions that were met on the way are evaluated in a
 * confined process, and then the templates are filled again with their results. Without expressions there is no second
 * pass and no promise.
 */
import type { JsonValue } from "../../input/json_value.ts";
import { type Compared, type Condition, evaluate } from "./condition.ts";
import { type Evaluated, type Expressions, render, type Scope, type Warn } from "./template.ts";

/** What the templates of a step are filled with. */
export interface Rendering {
  readonly scope: Scope;
  readonly warn: Warn;
  /** Evaluates expressions over the names in scope. @throws {RunFault | Interrupted} */
  evaluate(expressions: readonly string[]): Promise<ReadonlyMap<string, Evaluated>>;
}

/** Fills the templates of a value. @throws {TemplateError} */
export const renderIn = (value: JsonValue, rendering: Rendering): JsonValue | Promise<JsonValue> =>
  withExpressions(rendering, (expressions) => render(value, rendering.scope, rendering.warn, expressions));

/** Whether a condition holds. Only expressions of sides that are compared are evaluated. @throws {TemplateError} */
export function holdsIn(
  condition: Condition,
  rendering: Rendering & { noteCompared(compared: Compared): void },
): boolean | Promise<boolean> {
  const pass = (expressions: Expressions) => {
    const warnings: string[] = [];
    const compared: Compared[] = [];
    const holds = evaluate(
      condition,
      rendering.scope,
      warnings.push.bind(warnings),
      compared.push.bind(compared),
      expressions,
    );
    return { holds, warnings, compared };
  };
  const finish = ({ holds, warnings, compared }: ReturnType<typeof pass>) => {
    warnings.forEach(rendering.warn);
    compared.forEach((one) => rendering.noteCompared(one));
    return holds;
  };
  return after(withExpressions(rendering, pass), finish);
}

/** @param work fills templates. It is repeated with more results as long as it meets further expressions */
export function withExpressions<T extends object | JsonValue>(
  rendering: Rendering,
  work: (expressions: Expressions) => T,
): T | Promise<T> {
  const expressions: Expressions = { results: undefined, missing: undefined };
  const value = work(expressions);
  return expressions.missing ? again(rendering, work, expressions.missing) : value;
}

async function again<T>(
  { evaluate }: Rendering,
  work: (expressions: Expressions) => T,
  first: ReadonlySet<string>,
): Promise<T> {
  const results = new Map<string, Evaluated>();
  for (let missing = first;;) {
    for (const [expression, result] of await evaluate([...missing])) results.set(expression, result);
    const expressions: Expressions = { results, missing: undefined };
    const value = work(expressions);
    if (!expressions.missing) return value;
    missing = expressions.missing;
  }
}

/** Continues with a value now, or when it is there. */
export const after = <T, R>(value: T | Promise<T>, work: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(work) : work(value);
