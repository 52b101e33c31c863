/** What each statement of an ES module declares, mentions, and does while the module loads. */
import { type AnyNode, type Class, type Function, parse, type Pattern } from "acorn";
import { bodyNames, isLocal, isNode, lexicalNames, nameOf, namesOf, type Scope, varNames, within } from "./scopes.ts";

export interface Statement {
  /** One declarator where a declaration had several; `settings` say where their names are in it. */
  text: string;
  declares: readonly string[];
  /** Whether it does nothing in its turn: a function is there from the start. */
  hoisted: boolean;
  /** Names of the module, wherever in the statement they stand. */
  mentions: ReadonlySet<string>;
  /** Those that it does more with than to set them. */
  uses: ReadonlySet<string>;
  /** Those that it assigns in a way that only their own module can. */
  assigns: ReadonlySet<string>;
  /** Assignments in functions that may as well go through a function of the name's own module, in order. */
  settings: readonly Setting[];
  /** Those that it reads or assigns while the module loads. */
  eager: ReadonlySet<string>;
  /** Those whose objects it changes while the module loads. */
  changes: ReadonlySet<string>;
  /** Something is called while the module loads, so that all that it mentions may be read. */
  calls: boolean;
  /** A call may do anything to whatever the statement mentions. */
  wild: boolean;
}

/** `name = …`, `name ??= …`, `name++`: places in its statement's text. */
export interface Setting {
  name: string;
  operator: string;
  /** Of `++` and `--`. */
  prefix: boolean;
  start: number;
  /** Behind the operator. */
  value: number;
  end: number;
}

export interface FlatModule {
  statements: Statement[];
  /** Exported name → its name inside. */
  exports: Map<string, string>;
}

/**
 * Getters, iterators and conversions are taken to have no effects; the same holds for bundlers that leave code out.
 *
 * @param pure functions and classes of the module whose calls have no effects; a call behind a `PURE` comment has none
 * @throws {Error} where the module imports something, exports otherwise than by a list, or awaits
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
      throw new Error(`a flat module has no ${node.type}: ${text.slice(0, 80)}`);
    } else {
      parts.push({ node, text, start: node.start, declares: [...lexicalNames([node]), ...varNames(node)] });
    }
  }
  const known = new Set(parts.flatMap(({ declares }) => declares));
  const statements = parts.map(({ node, text, start, declares }) => {
    const hoisted = node.type === "FunctionDeclaration";
    const found = readStatement(node, { code, known, pure, annotated });
    const settings = found.settings.map((one) => ({
      ...one,
      start: one.start - start,
      value: one.value - start,
      end: one.end - start,
    }));
    return { text, declares, hoisted, ...found, settings };
  });
  return { statements, exports };
}

/** The place behind an operator that only a bracket, space or comments stand before. */
function behind(operator: string, code: string, from: number): number {
  const gap = /(?:[\s)]|\/\*[^]*?\*\/|\/\/.*)*/y;
  gap.lastIndex = from;
  return from + (gap.exec(code)?.[0].length ?? 0) + operator.length;
}

/** Where a call may begin that a comment stands before: with or without the brackets around it. */
function callsBehind(code: string, end: number): number[] {
  const [, space = "", brackets = ""] = /^(\s*)((?:\(\s*)*)/.exec(code.slice(end, end + 100)) ?? [];
  return [end + space.length, end + space.length + brackets.length];
}

interface Module {
  code: string;
  /** Names that the module declares. */
  known: ReadonlySet<string>;
  pure: ReadonlySet<string>;
  /** Where calls begin that a comment calls pure. */
  annotated: ReadonlySet<number>;
}

/** Where a node stands: in which scope, and whether it is evaluated while the module loads. */
interface Place {
  scope: Scope | undefined;
  eager: boolean;
}

function readStatement(statement: AnyNode, { code, known, pure, annotated }: Module) {
  const settings: Setting[] = [];
  const found = {
    settings,
    mentions: new Set<string>(),
    uses: new Set<string>(),
    assigns: new Set<string>(),
    eager: new Set<string>(),
    changes: new Set<string>(),
    calls: false,
    wild: false,
  };

  const isOurs = (name: string, { scope }: Place) => known.has(name) && !isLocal(name, scope);

  function mention(name: string, place: Place): boolean {
    if (!isOurs(name, place)) return false;
    found.mentions.add(name);
    found.uses.add(name);
    if (place.eager) found.eager.add(name);
    return true;
  }

  function set(setting: Setting, place: Place) {
    if (!isOurs(setting.name, place)) return;
    found.mentions.add(setting.name);
    settings.push(setting);
  }

  /** A property of this is assigned. Without a name to begin at it might be anything's. */
  function change(object: AnyNode, place: Place) {
    if (!place.eager) return;
    let root = object;
    while (root.type === "MemberExpression") root = root.object;
    // In static parts `this` is the class, and whoever has that mentions this statement.
    if (root.type === "ThisExpression" || root.type === "Super") return;
    if (root.type !== "Identifier") found.wild = true;
    else if (mention(root.name, place)) found.changes.add(root.name);
  }

  function call(callee: AnyNode, given: readonly AnyNode[], start: number, { scope, eager }: Place) {
    if (!eager) return;
    const name = callee.type === "Identifier" ? callee.name : "";
    const isBuiltIn = BUILT_IN.has(name) && !known.has(name) && !isLocal(name, scope);
    if (isBuiltIn && given.every(({ type }) => PLAIN.has(type))) return;
    found.calls = true;
    if (!annotated.has(start) && !(pure.has(name) && !isLocal(name, scope))) found.wild = true;
  }

  /** @param assigned false where its names are declared here */
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
        // A `var` in a block of the module's own level declares a name of the module.
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
        if (node.type === "ForOfStatement" && node.await) refuseWaiting(place);
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
        refuseWaiting(place);
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

function refuseWaiting({ eager }: Place) {
  if (eager) throw new Error("a flat module does not await");
}

/** Of these a call without other objects reads and changes nothing. */
const BUILT_IN = new Set(["Map", "Set", "WeakMap", "WeakSet", "Symbol"]);
const PLAIN = new Set(["Literal", "TemplateLiteral", "ArrayExpression", "ObjectExpression"]);
