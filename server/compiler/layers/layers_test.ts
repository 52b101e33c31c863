import assert from "node:assert/strict";
import fc from "../../../test/packages/fast_check.ts";
import { aProgram } from "../../../test/stage/random/programs.ts";
import { type Layers, splitModule } from "./layers.ts";

type Module = Record<string, unknown>;

const load = async (code: string): Promise<Module> => await import(addressOf(code));
const addressOf = (code: string) => `data:text/javascript,${encodeURIComponent(`${code}\n// ${crypto.randomUUID()}`)}`;

/** Loads the layers as an app that imports `names` would. @returns the imported names, as the app sees them */
async function loadLayers({ layers, places }: Layers, names: readonly string[]): Promise<Module> {
  const addresses: string[] = [];
  for (const { body, imports, exports } of layers) {
    const head = [...imports].map(([from, names]) => `import { ${names.join(", ")} } from "${addresses[from]}";`);
    addresses.push(addressOf(`${head.join("\n")}\n${body}\nexport { ${exports.join(", ")} };`));
  }
  const lines = names.map((name) => {
    const [layer = 0, local = ""] = places.get(name) ?? [];
    return `export { ${local} as ${name} } from "${addresses[layer]}";`;
  });
  return await load(lines.join("\n"));
}

/** The names that each layer declares, in order. */
const declared = ({ layers }: Layers) =>
  layers.map(({ body }) =>
    [...body.matchAll(/^(?:async )?(?:function|class|var|let|const)\*? \W*([\w$]+)/gm)].map(([, name = ""]) => name)
      .toSorted().join(" ")
  );

const ORDERS: Record<string, { code: string; layers: string[][]; expected: string[]; pure?: string[] }> = {
  "a name brings what it mentions, however deep": {
    code: `var a = 1, b = 2; function f() { return () => ({ [a]: g }); } function g() { return h; } var h = 3, i = 4;
      export { f, b, i };`,
    layers: [["f"], ["b"], []],
    expected: ["a f g h", "b", "i"],
  },
  "what no layer names is in the last": {
    code: `var a = 1; var b = 2; var c = 3; export { a, b as z };`,
    layers: [["a"], []],
    expected: ["a", "b"],
  },
  "locals, parameters, labels, keys and properties are no mentions": {
    code: `var a, b, c, d, e, g, h, i, j;
      function f(a, { x: b, c = 1 }, ...d) { var e; { let g; g; } a: for (const h of []) { h; continue a; }
        try {} catch (i) { i } return { a, j: x.j, c: b + d + e, j() {} }; class b2 { j = 1; #a; static g() { this.#a } } }
      export { f, a, b, c, d, e, g, h, i, j };`,
    layers: [["f"], []],
    expected: ["f", "a b c d e g h i j"],
  },
  "a default that stands before a local of the same name means the module's": {
    code:
      `var a = 1; var b = 2; function f(x = a) { var a = 2; return x; } function g() { { let b; } return b; } export { f, g };`,
    layers: [["f"], ["g"]],
    expected: ["a f", "b g"],
  },
  "an assignment does not bring the function that does it": {
    code:
      `let a = 0; function get() { return a; } function set(v) { a = v; a += 1; a ??= 2; return a++; } export { get, set };`,
    layers: [["get"], ["set"]],
    expected: ["a get set_0a set_3a", "set"],
  },
  "an assignment by a pattern does": {
    code: `let a = 0; function get() { return a; } function set(v) { [a] = v; } export { get, set };`,
    layers: [["get"], ["set"]],
    expected: ["a get set", ""],
  },
  "a class brings what it extends, and what its static parts and members mention": {
    code:
      `class A {} var k = "k", s = 1, m = 2, n = 3; class B extends A { static [k] = s; static { this.z = m; } x = n; }
      export { A, B };`,
    layers: [["A"], ["B"]],
    expected: ["A", "B k m n s"],
  },
  "a statement with effects comes with what it changes": {
    code: `var a = {}; var b = {}; var c = 1; a.x = c; b.y = 2; export { a, b };`,
    layers: [["b"], ["a"]],
    expected: ["b", "a c"],
  },
  "a call may change whatever is to be had from it, unless it is pure": {
    code:
      `var a = {}; function put() { a.x = 1; } var b = put(); var c = /* @__PURE__ */ put(); var d = put2(); function put2() {}
      export { a, b, c, d };`,
    layers: [["a"], ["b"], ["c"], ["d"]],
    expected: ["a b put", "", "c", "d put2"],
    pure: ["put2"],
  },
  "what reads a value before it changes stays in front of the change": {
    code: `var a = { x: 1 }; var before = a.x; a.x = 2; var after = a.x; export { a, before, after };`,
    layers: [["a"], ["before", "after"]],
    expected: ["a before", "after"],
  },
  "effects on nothing of the module are the lowest layer's": {
    code: `globalThis.x; sideEffect("x"); var a = 1; var b = 2; export { a, b };`,
    layers: [["a"], ["b"]],
    expected: ["a", "b"],
  },
};

Deno.test("layers: where statements go", () => {
  for (const [rule, { code, layers, expected, pure }] of Object.entries(ORDERS)) {
    assert.deepEqual(declared(splitModule(code, layers, new Set(pure))), expected, rule);
  }
});

Deno.test("layers: the little that a layer shares with a middle one is in the lowest", () => {
  const large = `function large() { return [${"1, ".repeat(300)}shared()]; }`;
  const code =
    `${large} function shared() { return few; } var few = 1; function a() {} function b() { return shared(); }
    export { a, large, b };`;
  assert.deepEqual(declared(splitModule(code, [["a"], ["large"], ["b"], []])), ["a few shared", "large", "b", ""]);
});

Deno.test("layers: side effects outside a module run whichever layer is loaded", () => {
  const { layers } = splitModule(`note("x"); var a = 1; var b = 2; export { a, b };`, [["a"], ["b"]]);
  assert.match(layers[0]?.body ?? "", /note/);
  assert.deepEqual(layers[1]?.imports, new Map([[0, []]]));
});

Deno.test("layers: no layer imports from a higher one, or imports names that it does not use", () => {
  const code = `var a = 1; function f() { return a; } function g() { return f() + h(); } function h() { return g; }
    export { f as default, g, h as "no word" };`;
  const { layers, places } = splitModule(code, [["default"], ["g"], ["no word"]]);
  assert.deepEqual(layers.map(({ imports }) => [...imports]), [[], [[0, ["f"]]], []]);
  assert.deepEqual(layers.map(({ exports }) => exports), [["f"], ["g", "h"], []]);
  assert.deepEqual([...places], [["default", [0, "f"]], ["g", [1, "g"]], ["no word", [1, "h"]]]);
});

Deno.test("layers: a module that cannot be split is reported", () => {
  for (
    const [code, message] of Object.entries({
      "import a from 'a'; export { a };": /no ImportDeclaration/,
      "export default 1;": /no ExportDefaultDeclaration/,
      "export * from 'a';": /no ExportAllDeclaration/,
      "var a = await 1; export { a };": /does not await/,
      "var b = 1; export { b };": /no such exports: a/,
    })
  ) assert.throws(() => splitModule(code, [["a"]]), message);
});

Deno.test("layers: bindings are live, and assignments through another layer have the value of assignments", async () => {
  const code = `let a = 0, b = null, c = 1, d = "";
    function read() { return [a, b, c, d]; }
    function assign(v) {
      const seen = [a = b = v, a += (1, 2), b ??= 9, c &&= a > 2 ? b : 0, c++, ++c, c--, --a];
      for (a = 0; a < 3; a++) d += "x";
      d = (d, d + "y");
      return seen;
    }
    export { read, assign, a as live };`;
  const whole = await load(code);
  const parts = await loadLayers(splitModule(code, [["read"], ["assign"], []]), ["assign", "read", "live"]);
  for (const given of [1, 5, null]) {
    assert.deepEqual(run(parts, "assign", given), run(whole, "assign", given));
    assert.deepEqual(run(parts, "read"), run(whole, "read"));
    assert.equal(parts.live, whole.live);
  }
});

Deno.test("layers: any loaded part of a program behaves like the whole", async () => {
  const property = fc.asyncProperty(aProgram, async ({ code, layers, app }) => {
    const names = [...new Set(app.map(({ name }) => name))];
    const split = splitModule(code, layers);
    const parts = await loadLayers(split, names);
    const whole = await load(code);
    const observe = (module: Module) => app.map(({ name, given }) => shown(run(module, name, given)));
    assert.deepEqual(observe(parts), observe(whole));
  });
  await fc.assert(property, { numRuns: 300 });
});

/** Limited in depth, because objects of these programs may refer to each other. */
function shown(value: unknown, depth = 4): unknown {
  if (typeof value === "function") return Object.entries(value).map(([key, part]) => [key, shown(part, depth - 1)]);
  if (typeof value !== "object" || value === null || depth === 0) return String(value);
  return Object.entries(value).map(([key, part]) => [key, shown(part, depth - 1)]);
}

function run(module: Module, name: string, ...given: unknown[]): unknown {
  const value = module[name];
  return typeof value === "function" ? value(...given) : value;
}
