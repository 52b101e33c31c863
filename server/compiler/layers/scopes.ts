/** Which names the parts of an ES module declare (syntax trees are acorn's). */
import type { AnyNode, Pattern } from "acorn";

/** The names that are declared between a node and the top level of the module. */
export interface Scope {
  names: ReadonlySet<string>;
  outer: Scope | undefined;
}

/** A scope inside `outer`, or `outer` itself where there are no names. */
export const within = (outer: Scope | undefined, names: string[]): Scope | undefined =>
  names.length > 0 ? { names: new Set(names), outer } : outer;

export const isLocal = (name: string, scope: Scope | undefined): boolean =>
  scope !== undefined && (scope.names.has(name) || isLocal(name, scope.outer));

export const isNode = (value: unknown): value is AnyNode =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** The name of an identifier, or of an export that is named by a string literal. */
export const nameOf = (node: AnyNode): string =>
  node.type === "Identifier" ? node.name : node.type === "Literal" ? String(node.value) : "";

/** The names that a pattern binds. */
export function namesOf(pattern: Pattern): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        namesOf(property.type === "Property" ? property.value : property)
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => element ? namesOf(element) : []);
    case "AssignmentPattern":
      return namesOf(pattern.left);
    case "RestElement":
      return namesOf(pattern.argument);
    default:
      return [];
  }
}

/** Names that `let`, `const`, `class` and `function` (modules are strict) declare directly in a block. */
export const lexicalNames = (body: readonly AnyNode[]): string[] =>
  body.flatMap((node) => {
    if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") return node.id ? [node.id.name] : [];
    if (node.type !== "VariableDeclaration" || node.kind === "var") return [];
    return node.declarations.flatMap(({ id }) => namesOf(id));
  });

/** Names that `var` declares in a node, outside of functions and classes in it. */
export function varNames(node: AnyNode): string[] {
  if (/Function|^Class|^StaticBlock/.test(node.type)) return [];
  const own = node.type === "VariableDeclaration" && node.kind === "var"
    ? node.declarations.flatMap(({ id }) => namesOf(id))
    : [];
  return [...own, ...Object.values(node).flatMap((value) => [value].flat().filter(isNode).flatMap(varNames))];
}

/** Names that the body of a function or of a static block declares. */
export const bodyNames = (body: readonly AnyNode[]) => [...lexicalNames(body), ...body.flatMap(varNames)];
