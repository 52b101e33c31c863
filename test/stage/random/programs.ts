/** Random programs for the test of layers.ts. They terminate, never throw, and share state in many ways. */
import fc from "../../packages/fast_check.ts";

export interface Program {
  code: string;
  /** Exported names. */
  layers: string[][];
  /** What an app does in order: it reads an export, or calls it where it is a function. */
  app: { name: string; given: number }[];
}

const VALUES = ["v0", "v1", "v2", "v3"];
const OBJECTS = ["o0", "o1", "o2"];
/** Functions with effects, then functions that only read. Each calls only those before it, so none recurses. */
const FUNCTIONS = ["f0", "f1", "f2", "f3"];
const READERS = ["g0", "g1", "g2"];
const CLASSES = ["C0", "C1"];
const NAMES = [...VALUES, ...OBJECTS, ...FUNCTIONS, ...READERS, ...CLASSES, "w0", "w1"];

const one = (names: readonly string[]) => fc.constantFrom(...names);
const joined = (parts: fc.Arbitrary<string>[], join: (...parts: string[]) => string) =>
  fc.tuple(...parts).map((all) => join(...all));
const several = (part: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(part, { maxLength }).map((parts) => parts.join(" "));

/** @param called functions that the expression may call */
function expression(called: readonly string[], depth = 2): fc.Arbitrary<string> {
  const leaves = [
    fc.nat(9).map(String),
    one(VALUES),
    one(["w0", "w1"]),
    joined([one(OBJECTS), one(["p", "q?.p"])], (object, path) => `${object}?.${path}`),
    one(CLASSES).map((name) => `${name}?.s`),
  ];
  if (depth === 0) return fc.oneof(...leaves);
  const inner = expression(called, depth - 1);
  return fc.oneof(
    ...leaves,
    joined([inner, inner], (a, b) => `(${a} + ${b})`),
    joined([inner, inner], (a, b) => `((x) => { let v1 = x; return v1 - ${b}; })(${a})`),
    ...called.length > 0 ? [joined([one(called), inner], (name, given) => `${name}(${given})`)] : [],
  );
}

/** A statement that changes something. */
function change(called: readonly string[]): fc.Arbitrary<string> {
  const value = expression(called);
  return fc.oneof(
    joined([one(VALUES), value], (name, e) => `${name} = ${e};`),
    joined([one(VALUES), one(["+", "??", "&&"]), value], (name, operator, e) => `${name} ${operator}= ${e};`),
    joined([one(VALUES), one(VALUES), value], (a, b, e) => `${a} = ${b} = ${e};`),
    joined([one(VALUES), one(VALUES)], (a, b) => `${a}++; --${b};`),
    joined([one(VALUES), one(VALUES), value], (a, b, e) => `[${a}, { x: ${b} = 1 }] = [${e}, {}];`),
    joined(
      [one(VALUES), value],
      (name, e) => `for (const t of [1, ${e}]) { let v3 = t; ${name === "v3" ? "v2" : name} += v3; }`,
    ),
    joined([one(OBJECTS), value], (object, e) => `if (Object(${object}) === ${object}) ${object}.p = ${e};`),
    joined([one(OBJECTS), value], (object, e) => `if (Object(${object}?.q) === ${object}?.q) ${object}.q.p = ${e};`),
    joined([one(OBJECTS), one(OBJECTS)], (a, b) => `if (Object(${a}) === ${a}) ${a}.q = ${b};`),
    joined([one(OBJECTS), value], (object, e) => `${object} = { p: ${e} };`),
    joined(
      [value, one(VALUES), value],
      (e, name, f) => `if (${e} > 5) { const t = ${f}; { let v1 = t; ${name} = v1; } }`,
    ),
    joined([one(CLASSES), value], (name, e) => `if (${name}) ${name}.s = ${e};`),
    ...called.length > 0 ? [joined([one(called), value], (name, e) => `${name}(${e});`)] : [],
  );
}

const functionNamed = (name: string, index: number) => {
  const called = [...FUNCTIONS.slice(0, index), ...READERS];
  return joined(
    [one(["x", "v0", "o1", "x = v2"]), several(change(called), 3), expression(called)],
    (parameter, body, result) => `function ${name}(${parameter}) { ${body} return ${result}; }`,
  );
};

const readerNamed = (name: string, index: number) =>
  expression(READERS.slice(0, index)).map((result) => `function ${name}(x) { return ${result}; }`);

const EAGER = [...FUNCTIONS, ...READERS];
const initial = fc.oneof(
  expression([]),
  expression(EAGER),
  joined([one(READERS), expression([])], (name, e) => `/* @__PURE__ */ ${name}(${e})`),
);

const valueNamed = (name: string) =>
  fc.oneof(
    initial.map((e) => `var ${name} = ${e};`),
    fc.constant(`var ${name};`),
    joined([one(OBJECTS), initial], (object, e) => `var { p: ${name} = ${e} } = ${object} ?? {};`),
    initial.map((e) => `var [, ${name}] = [0, ${e}];`),
  );

const objectNamed = (name: string) =>
  fc.oneof(
    initial.map((e) => `var ${name} = { p: ${e}, get r() { return v0; } };`),
    joined([one(OBJECTS), initial], (other, e) => `var ${name} = { p: ${e}, q: ${other} };`),
    one(OBJECTS).map((other) => `var ${name} = ${other};`),
  );

const classNamed = (name: string, index: number) =>
  joined(
    [
      one(index === 0 ? ["Object"] : ["Object", "(C0 ?? Object)"]),
      initial,
      several(change(EAGER), 1),
      change(READERS),
      expression(READERS),
    ],
    (parent, e, eager, lazy, result) =>
      `var ${name} = class extends ${parent} { static s = ${e}; static { ${eager} } static m() { ${lazy} return ${result}; } };`,
  );

const statements = fc.tuple(
  ...VALUES.map(valueNamed),
  ...OBJECTS.map(objectNamed),
  ...FUNCTIONS.map(functionNamed),
  ...READERS.map(readerNamed),
  ...CLASSES.map(classNamed),
  several(change(EAGER), 1),
  several(change(EAGER), 1),
  several(change(EAGER), 2),
).chain((all) => fc.shuffledSubarray(all, { minLength: all.length }));

export const aProgram: fc.Arbitrary<Program> = fc.record({
  code: statements.map((all) =>
    // First, because reading a `let` before its declaration throws.
    [`let w0 = 1, w1 = w0 + 1;`, ...all, `export { ${NAMES.join(", ")} };`].join("\n")
  ),
  // The lowest layer is often small, so that the others share many statements.
  layers: fc.shuffledSubarray(NAMES).chain((names) =>
    fc.tuple(fc.nat(2), fc.nat(names.length), fc.nat(names.length)).map((ends) => {
      const [a = 0, b = 0, c = 0] = ends.toSorted((x, y) => x - y);
      return [names.slice(0, a), names.slice(a, b), names.slice(b, c), names.slice(c)];
    })
  ),
  app: fc.array(fc.record({ name: fc.constantFrom(...NAMES.filter((name) => !/^C/.test(name))), given: fc.nat(9) }), {
    minLength: 1,
    maxLength: 6,
  }),
});
