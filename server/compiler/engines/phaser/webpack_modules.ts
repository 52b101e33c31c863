/**
 * Renumbers the modules of a webpack bundle by putting them into a list. Webpack numbers them with five random digits,
 * which brotli cannot compress: 4 % of Phaser's size.
 */
import {
  type AnyNode,
  type ArrowFunctionExpression,
  type Function,
  type FunctionExpression,
  type Literal,
  type ObjectExpression,
  parse,
  type Property,
  type SpreadElement,
} from "acorn";
import { bodyNames, isNode, namesOf } from "../../layers/scopes.ts";

/**
 * @param code a minified script with one chunk
 * @throws {Error} where its module table is not found
 */
export function listModules(code: string): string {
  const program = parse(code, { ecmaVersion: "latest" });
  const table = findTable(program);
  if (!table) throw new Error("no table of webpack's modules is found");
  const modules = table.properties.flatMap((property) => isModule(property) ? [property] : []);
  const places = new Map(modules.map(({ key }, place) => [key.value, place]));
  const edits = [
    { start: table.start, end: table.start + 1, text: "[" },
    { start: table.end - 1, end: table.end, text: "]" },
  ];
  for (const { key, value, method } of modules) {
    edits.push({ start: key.start, end: method ? key.end : value.start, text: method ? "function" : "" });
  }
  const refer = (number: Literal) => {
    const place = places.get(number.value);
    if (place !== undefined) edits.push({ start: number.start, end: number.end, text: String(place) });
  };
  // Outside of the table are only a few lines of webpack's, which load the first module.
  eachCall(program, undefined, refer, table);
  for (const { value } of modules) {
    const [, , require] = value.params;
    if (require?.type === "Identifier") eachCall(value.body, require.name, refer);
  }
  return apply(edits.sort((a, b) => a.start - b.start), code);
}

type AnyFunction = Extract<AnyNode, Function>;

type Module = Property & { key: Literal; value: FunctionExpression | ArrowFunctionExpression };

const isFunction = (node: AnyNode): node is AnyFunction => /Function/.test(node.type);

const isModule = (node: Property | SpreadElement): node is Module =>
  node.type === "Property" && !node.computed && node.key.type === "Literal" && typeof node.key.value === "number" &&
  isFunction(node.value);

function findTable(node: AnyNode): ObjectExpression | undefined {
  if (node.type === "ObjectExpression" && node.properties.length > 0 && node.properties.every(isModule)) return node;
  for (const child of children(node)) {
    const found = findTable(child);
    if (found) return found;
  }
  return undefined;
}

/**
 * Finds calls whose only argument is a number literal.
 *
 * @param callee the called identifier; undefined: any
 * @param skipped a subtree to leave out
 */
function eachCall(node: AnyNode, callee: string | undefined, found: (number: Literal) => void, skipped?: AnyNode) {
  if (node === skipped || callee !== undefined && isFunction(node) && declares(node, callee)) return;
  if (node.type === "CallExpression" && node.callee.type === "Identifier" && node.arguments.length === 1) {
    const [argument] = node.arguments;
    const isRight = callee === undefined || node.callee.name === callee;
    if (isRight && argument?.type === "Literal" && typeof argument.value === "number") found(argument);
  }
  for (const child of children(node)) eachCall(child, callee, found, skipped);
}

/** Whether the function declares the name, which shadows the outer one. */
function declares({ id, params, body }: AnyFunction, name: string): boolean {
  const inside = body.type === "BlockStatement" ? bodyNames(body.body) : [];
  return id?.name === name || [...params.flatMap(namesOf), ...inside].includes(name);
}

const children = (node: AnyNode): AnyNode[] => Object.values(node).flat().filter(isNode);

function apply(edits: { start: number; end: number; text: string }[], code: string): string {
  let text = "";
  let at = 0;
  for (const edit of edits) {
    text += code.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + code.slice(at);
}
