/** Assignments to names of another layer. Imports are read-only, so the layer that has the name exports a setter. */
import type { Setting } from "./recorder.ts";
import type { Statement } from "./statements.ts";

/** @returns the name of the setter of that kind */
export type SetterFor = (name: string, kind: Kind) => string;

/** What the setter does: assigns its argument, or increments or decrements. */
export type Kind = "=" | "++_" | "--_" | "_++" | "_--";

/** @param isForeign whether another layer declares the name */
export function writeThrough(statement: Statement, isForeign: (name: string) => boolean, setter: SetterFor): string {
  const edits = statement.settings.filter(({ name }) => isForeign(name)).flatMap((one) => editsOf(one, setter));
  let text = "";
  let done = 0;
  // At one index, ends precede starts, and inner assignments end before outer ones.
  for (const { from, to, put } of edits.toSorted((a, b) => a.from - b.from || a.order - b.order)) {
    text += statement.text.slice(done, from) + put;
    done = to;
  }
  return text + statement.text.slice(done);
}

interface Edit {
  from: number;
  to: number;
  put: string;
  order: number;
}

function editsOf({ name, operator, prefix, start, value, end }: Setting, setter: SetterFor): Edit[] {
  if (operator === "++" || operator === "--") {
    return [{ from: start, to: end, put: `${setter(name, prefix ? `${operator}_` : `_${operator}`)}()`, order: start }];
  }
  const set = setter(name, "=");
  const [open, close] = operator === "="
    ? [`${set}(`, ")"]
    : /^(&&|\|\||\?\?)=$/.test(operator)
    ? [`${name}${operator.slice(0, -1)}${set}(`, ")"]
    : [`${set}(${name}${operator.slice(0, -1)}(`, "))"];
  return [{ from: start, to: value, put: open, order: start }, { from: end, to: end, put: close, order: -start }];
}

export const writeSetter = (setter: string, name: string, kind: Kind): string =>
  kind === "="
    ? `function ${setter}(value) { return ${name} = value; }`
    : `function ${setter}() { return ${kind.replace("_", name)}; }`;
