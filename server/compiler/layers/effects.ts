/** Finds the effects of a statement: a visitor of its syntax tree. */
import type { AnyNode, Class, Function, Pattern } from "acorn";
import { createRecorder, type Effects, type Module, type Place } from "./recorder.ts";
import { bodyNames, isNode, lexicalNames, namesOf, within } from "./scopes.ts";

/** @throws {Error} where the statement awaits eagerly */
export function effectsOf(statement: AnyNode, module: Module): Effects {
  const { code } = module;
  const { found, mention, set, change, call } = createRecorder(module);

  /** @param assigned false where the pattern declares its names */
  function visitPattern(pattern: Pattern, place: Place, assigned: boolean) {
    switch (pattern.type) {
      case "Identifier":
        if (assigned && mention(pattern.name, place)) found.assigns.add(pattern.name);
        return;
      case "MemberExpression":
        change(pattern.object, place);
        return visit(pattern, place);
      case "ArrayPattern":
        for (const element of pattern.elements) if (element) visitPattern(element, place, assigned);
        return;
      case "RestElement":
        return visitPattern(pattern.argument, place, assigned);
      case "AssignmentPattern":
        visitPattern(pattern.left, place, assigned);
        return visit(pattern.right, place);
      case "ObjectPattern":
        for (const property of pattern.properties) {
          if (property.type === "RestElement") visitPattern(property, place, assigned);
          else {
            if (property.computed) visit(property.key, place);
            visitPattern(property.value, place, assigned);
          }
        }
    }
  }

  function visitFunction(node: Function, { scope }: Place) {
    const own = node.type === "FunctionExpression" && node.id ? within(scope, [node.id.name]) : scope;
    const outer = { scope: within(own, node.params.flatMap(namesOf)), eager: false };
    for (const param of node.params) visitPattern(param, outer, false);
    if (node.body.type !== "BlockStatement") return visit(node.body, outer);
    visitAll(node.body.body, { ...outer, scope: within(outer.scope, bodyNames(node.body.body)) });
  }

  function visitClass(node: Class, place: Place) {
    const inner = { ...place, scope: node.id ? within(place.scope, [node.id.name]) : place.scope };
    if (node.superClass) visit(node.superClass, inner);
    for (const member of node.body.body) {
      if (member.type === "StaticBlock") {
        visitAll(member.body, { ...inner, scope: within(inner.scope, bodyNames(member.body)) });
        continue;
      }
      if (member.computed) visit(member.key, inner);
      if (member.value) visit(member.value, { ...inner, eager: inner.eager && member.static });
    }
  }

  function visitAll(nodes: readonly AnyNode[], place: Place) {
    for (const node of nodes) visit(node, place);
  }

  function visitChildren(node: AnyNode, place: Place) {
    for (const value of Object.values(node)) {
      if (Array.isArray(value)) visitAll(value.filter(isNode), place);
      else if (isNode(value)) visit(value, place);
    }
  }

  function visit(node: AnyNode, place: Place): void {
    const inBlock = (body: readonly AnyNode[]) => ({ ...place, scope: within(place.scope, lexicalNames(body)) });
    switch (node.type) {
      case "Identifier":
        return void mention(node.name, place);
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        return visitFunction(node, place);
      case "ClassDeclaration":
      case "ClassExpression":
        return visitClass(node, place);
      case "VariableDeclarator":
        // A `var` in a block outside of functions declares a name of the module.
        visitPattern(node.id, place, false);
        return node.init ? visit(node.init, place) : undefined;
      case "BlockStatement":
        return visitAll(node.body, inBlock(node.body));
      case "SwitchStatement":
        visit(node.discriminant, place);
        return visitAll(node.cases, inBlock(node.cases.flatMap(({ consequent }) => consequent)));
      case "ForStatement":
        return visitChildren(node, inBlock(node.init ? [node.init] : []));
      case "ForInStatement":
      case "ForOfStatement": {
        if (node.type === "ForOfStatement" && node.await) refuseAwait(place);
        const inner = inBlock([node.left]);
        if (node.left.type === "VariableDeclaration") visit(node.left, inner);
        else visitPattern(node.left, inner, true);
        visit(node.right, inner);
        return visit(node.body, inner);
      }
      case "CatchClause": {
        const inner = { ...place, scope: within(place.scope, node.param ? namesOf(node.param) : []) };
        if (node.param) visitPattern(node.param, inner, false);
        return visit(node.body, inner);
      }
      case "AssignmentExpression": {
        const { left, operator, start, end } = node;
        if (left.type !== "Identifier" || place.eager) visitPattern(left, place, true);
        else {
          if (operator !== "=") visit(left, place);
          set({ name: left.name, operator, prefix: false, start, value: behind(operator, code, left.end), end }, place);
        }
        return visit(node.right, place);
      }
      case "UpdateExpression": {
        const { argument, operator, prefix, start, end } = node;
        if (argument.type === "Identifier" && !place.eager) {
          set({ name: argument.name, operator, prefix, start, value: end, end }, place);
        } else if (argument.type === "Identifier" || argument.type === "MemberExpression") {
          visitPattern(argument, place, true);
        }
        return;
      }
      case "UnaryExpression":
        if (node.operator === "delete") change(node.argument, place);
        return visit(node.argument, place);
      case "CallExpression":
      case "NewExpression":
        call(node.callee, node.arguments, node.start, place);
        return visitChildren(node, place);
      case "TaggedTemplateExpression":
      case "ImportExpression":
      case "ThrowStatement":
        if (place.eager) found.calls = found.wild = true;
        return visitChildren(node, place);
      case "AwaitExpression":
        refuseAwait(place);
        return visitChildren(node, place);
      case "MemberExpression":
        visit(node.object, place);
        return node.computed ? visit(node.property, place) : undefined;
      case "Property":
        if (node.computed) visit(node.key, place);
        return visit(node.value, place);
      case "LabeledStatement":
        return visit(node.body, place);
      case "BreakStatement":
      case "ContinueStatement":
      case "MetaProperty":
        return;
      default:
        return visitChildren(node, place);
    }
  }

  visit(statement, { scope: undefined, eager: true });
  return found;
}

function refuseAwait({ eager }: Place) {
  if (eager) throw new Error("a module that is split into layers does not await");
}

/** The index after an operator, which only brackets, space or comments precede. */
function behind(operator: string, code: string, from: number): number {
  const gap = /(?:[\s)]|\/\*[^]*?\*\/|\/\/.*)*/y;
  gap.lastIndex = from;
  return from + (gap.exec(code)?.[0].length ?? 0) + operator.length;
}
