/** Variables of an expression that nothing sets, such as a function whose name is misspelt. */

/** The functions of JSONata. `$eval` is refused. A test compares them with the package's own. */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  ("abs append assert average base64decode base64encode boolean ceil clone contains count decodeUrl " +
    "decodeUrlComponent distinct each encodeUrl encodeUrlComponent error eval exists filter floor formatBase " +
    "formatInteger formatNumber fromMillis join keys length lookup lowercase map match max merge millis min not now " +
    "number pad parseInteger power random reduce replace reverse round shuffle sift single sort split spread sqrt " +
    "string substring substringAfter substringBefore sum toMillis trim type uppercase zip").split(" "),
);

/** `$` and `$$`: the present item and the names that templates see. */
const ALWAYS = new Set(["", "$"]);

/** @returns their names without the sign. A name that is set anywhere in the expression counts as set everywhere */
export function unsetVariables(tree: unknown): string[] {
  const used = new Set<string>();
  const set = new Set<string>();
  collect(tree, used, set);
  return [...used].filter((name) => !ALWAYS.has(name) && !FUNCTIONS.has(name) && !set.has(name));
}

function collect(node: unknown, used: Set<string>, set: Set<string>): void {
  if (Array.isArray(node)) {
    for (const item of node) collect(item, used, set);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  const { type, value, lhs, focus, index, ...rest }: Record<string, unknown> = { ...node };
  if (type === "variable" && typeof value === "string") used.add(value);
  if (type === "bind") addVariable(lhs, set);
  if (type === "lambda" && Array.isArray(rest.arguments)) {
    for (const argument of rest.arguments) addVariable(argument, set);
  }
  // `items@$item` and `items#$place`
  for (const name of [focus, index]) if (typeof name === "string") set.add(name);
  for (const part of [lhs, ...Object.values(rest)]) collect(part, used, set);
}

function addVariable(node: unknown, set: Set<string>): void {
  const { type, value }: Record<string, unknown> = Object(node);
  if (type === "variable" && typeof value === "string") set.add(value);
}
