/** Splits the text of an ES module into statements, each with its effects. */
import { type AnyNode, parse } from "acorn";
import { effectsOf } from "./effects.ts";
import type { Effects } from "./recorder.ts";
import { lexicalNames, nameOf, namesOf, varNames } from "./scopes.ts";

export interface Statement extends Effects {
  /** A declaration with several declarators becomes several statements. Indices in `settings` refer to this text. */
  text: string;
  declares: readonly string[];
  /** True for function declarations, which have no effect in their place: the function exists from the start. */
  hoisted: boolean;
}

export interface FlatModule {
  statements: Statement[];
  /** Exported name → its name inside. */
  exports: Map<string, string>;
}

/**
 * Getters, iterators and conversions count as free of effects, as they do for bundlers that remove dead code.
 *
 * @param pure functions and classes of the module whose calls have no effects, beside calls after a `PURE` comment
 * @throws {Error} where the module imports something, exports other than by one list, or awaits
 */
export function readStatements(code: string, pure: ReadonlySet<string> = new Set()): FlatModule {
  const annotated = new Set<number>();
  const program = parse(code, {
    ecmaVersion: "latest",
    sourceType: "module",
    onComment: (_, text, __, end) =>
      /[@#]__PURE__/.test(text) && callsBehind(code, end).forEach((at) => annotated.add(at)),
  });
  const exports = new Map<string, string>();
  const parts: { node: AnyNode; text: string; start: number; declares: string[] }[] = [];
  for (const node of program.body) {
    const text = code.slice(node.start, node.end);
    if (node.type === "VariableDeclaration") {
      for (const declarator of node.declarations) {
        const head = `${node.kind} `;
        const text = `${head}${code.slice(declarator.start, declarator.end)};`;
        const start = declarator.start - head.length;
        parts.push({ node: { ...node, declarations: [declarator] }, text, start, declares: namesOf(declarator.id) });
      }
    } else if (node.type === "ExportNamedDeclaration" && !node.declaration && !node.source) {
      for (const { local, exported } of node.specifiers) exports.set(nameOf(exported), nameOf(local));
    } else if (/^(Import|Export)/.test(node.type)) {
      throw new Error(`a module that is split into layers has no ${node.type}: ${text.slice(0, 80)}`);
    } else {
      parts.push({ node, text, start: node.start, declares: [...lexicalNames([node]), ...varNames(node)] });
    }
  }
  const known = new Set(parts.flatMap(({ declares }) => declares));
  const statements = parts.map(({ node, text, start, declares }) => {
    const hoisted = node.type === "FunctionDeclaration";
    const effects = effectsOf(node, { code, known, pure, annotated });
    const settings = effects.settings.map((one) => ({
      ...one,
      start: one.start - start,
      value: one.value - start,
      end: one.end - start,
    }));
    return { text, declares, hoisted, ...effects, settings };
  });
  return { statements, exports };
}

/** Indices where a call after a comment may start: before and after the brackets around it. */
function callsBehind(code: string, end: number): number[] {
  const [, space = "", brackets = ""] = /^(\s*)((?:\(\s*)*)/.exec(code.slice(end, end + 100)) ?? [];
  return [end + space.length, end + space.length + brackets.length];
}
