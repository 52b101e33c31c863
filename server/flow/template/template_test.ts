import assert from "node:assert/strict";
import fc from "../../../test/packages/fast_check.ts";
import type { JsonValue } from "../../input/json_value.ts";
import { render, RENDERED_LIMIT, type Scope, TemplateError, templateFaults } from "./template.ts";
import { readTemplate } from "./template_text.ts";

const SCOPE: Scope = {
  price: 4.5,
  name: "Ada",
  no: null,
  yes: true,
  list: [{ mid: 4.2 }, ["x", 0]],
  odd: { "ż-1": 1, "@id": 2, $x: 3, "0": "zero" },
  text: "{price}",
};

/** An expression without a result is null. */
const NO_RESULTS = () => ({ results: undefined, missing: undefined });

const rendered = (value: JsonValue, scope: Scope = SCOPE) => {
  const warnings: string[] = [];
  return { value: render(value, scope, (message) => warnings.push(message), NO_RESULTS()), warnings };
};

Deno.test("template: placeholders and their values", () => {
  const rows: [template: JsonValue, value: JsonValue][] = [
    ["{price}", 4.5],
    ["{ price }", 4.5],
    ["{yes}", true],
    ["{no}", null],
    ["{list}", SCOPE.list ?? null],
    ["{list.0.mid}", 4.2],
    ["{list.1.0}", "x"],
    ["{list.length}", 2],
    ["{odd.ż-1}{odd.@id}{odd.$x}{odd.0}", "123zero"],
    ["Price {price}, {yes}, {no}, {list}", 'Price 4.5, true, , [{"mid":4.2},["x",0]]'],
    [" {price}", " 4.5"],
    ["{price}{price}", "4.54.5"],
    ["{text}", "{price}"],
    ["{{price}}", "{price}"],
    ["{{{price}}}", "{4.5}"],
    ["{{", "{"],
    ["}}", "}"],
    ["", ""],
    [{ "{price}": ["{price}", { a: "{name}!" }], n: 1, z: null }, { "{price}": [4.5, { a: "Ada!" }], n: 1, z: null }],
    ["{gone|default:0}", 0],
    ["{no|default:0}", 0],
    ["{price|default:0}", 4.5],
    ["{gone | default: some text }", "some text"],
    ['{gone|default:"a}b"}', "a}b"],
    ['{gone|default:{"a":[1,"}"]}}', { a: [1, "}"] }],
    ["{gone|default:[]}", []],
    ["{gone|default:null}", null],
    ["{gone|default:}", ""],
    ["{gone|default:1e999}", "1e999"],
    ["{gone|default:-1}!", "-1!"],
  ];
  for (const [template, value] of rows) {
    assert.deepEqual(rendered(template), { value, warnings: [] }, JSON.stringify(template));
    assert.deepEqual(templateFaults(template), [], JSON.stringify(template));
  }
});

Deno.test("template: a missing name is null, or empty within a text, with a warning", () => {
  const missing = [
    "gone",
    "price.x",
    "list.2",
    "list.00",
    "list.-1",
    "list.0.mid.x",
    "name.length",
    "no.x",
    "list.map",
  ];
  for (const path of [...missing, "__proto__", "constructor", "list.__proto__", "odd.constructor", "toString.name"]) {
    const warnings = [`{${path}} is not there, so it is null`];
    assert.deepEqual(rendered(`{${path}}`), { value: null, warnings });
    assert.deepEqual(rendered(`<{${path}}>`), { value: "<>", warnings });
  }
});

Deno.test("template: a key of the name of the prototype is a key as any", () => {
  const scope: Scope = { body: JSON.parse('{"__proto__":{"x":1}}') };
  assert.equal(rendered("{body.__proto__.x}", scope).value, 1);
  const made = rendered(JSON.parse('{"__proto__":"{body.__proto__.x}"}'), scope).value;
  assert.equal(JSON.stringify(made), '{"__proto__":1}');
  assert.equal(Object.getPrototypeOf(made), Object.prototype);
});

Deno.test("template: faults by their place, one a text", () => {
  const faults = templateFaults({ a: ["{", "{x}", { b: "}", c: "{x|y:1}" }], d: "{a..b}{", "{": 1 });
  assert.deepEqual(faults.map(({ path }) => path.join(".")), ["a.0", "a.2.b", "a.2.c", "d"]);
  for (
    const text of ["{}", "{ }", "{1x}", "{a.}", "{.a}", "{a b}", "{a\nb}", "{a{b}}", '{"a":1}', "{a|}", "{a|default}"]
  ) {
    assert.equal(templateFaults(text).length, 1, text);
  }
  assert.deepEqual(rendered("{a b}").value, "{a b}", "one that was never proven keeps its text");
});

Deno.test("template: a result has at most 1 MiB and 64 levels", () => {
  const scope: Scope = { half: "x".repeat(RENDERED_LIMIT / 2 - 1), list: Array(1000).fill("x".repeat(1000)) };
  // Two pairs of quotes, the brackets, and a comma for each item.
  const fits = RENDERED_LIMIT / 2 + 1 - 8;
  assert.equal(String(rendered("{half}{half}", scope).value).length, RENDERED_LIMIT - 2);
  assert.ok(rendered(["{half}", "x".repeat(fits)], scope));
  assert.throws(() => rendered(["{half}", "x".repeat(fits + 1)], scope), TemplateError);
  for (
    const value of ["{half}{half}x", ["{list}", "{list}"], "{list}{list}", Array(600_000).fill(1), {
      a: "{half}",
      b: "{half}",
    }]
  ) {
    assert.throws(() => rendered(value, scope), TemplateError);
  }
  const nested = (levels: number): JsonValue => levels === 0 ? 1 : [nested(levels - 1)];
  assert.ok(rendered("{deep}", { deep: nested(64) }));
  assert.ok(rendered([["{deep}"]], { deep: nested(62) }));
  assert.throws(() => rendered([["{deep}"]], { deep: nested(63) }), TemplateError);
  let deepest: JsonValue = 1;
  for (let level = 0; level < 200_000; level++) deepest = [deepest];
  assert.throws(() => rendered("{deep}", { deep: deepest }), TemplateError);
  assert.throws(() => rendered("x{deep}", { deep: deepest }), TemplateError);
});

const json = fc.jsonValue({ maxDepth: 4 }).map((value): JsonValue => JSON.parse(JSON.stringify(value)));
const name = fc.oneof(
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,5}$/),
  fc.constantFrom("__proto__", "constructor", "length", "toString", "a", "b"),
);
const scope = fc.array(fc.tuple(name, json)).map((entries): Scope => Object.fromEntries(entries));
const hostile = fc.array(
  fc.oneof(
    fc.constantFrom("{", "}", "{{", "}}", "{a", "|default:", "[", '"', "\\", ".", " ", "a.b", "__proto__"),
    fc.string(),
  ),
).map((parts) => parts.join(""));

Deno.test("template: property: it never throws and never changes its input", () => {
  fc.assert(
    fc.property(hostile, scope, (text, scope) => {
      const before = JSON.stringify(scope);
      const { value } = rendered([text, { text }], scope);
      assert.equal(JSON.stringify(JSON.parse(JSON.stringify(value))), JSON.stringify(value), "it is JSON");
      assert.equal(JSON.stringify(scope), before);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("template: property: a text without braces is itself, and doubled braces are single ones", () => {
  fc.assert(fc.property(fc.string(), scope, (text, scope) => {
    const plain = text.replace(/[{}]/g, "");
    assert.deepEqual(rendered(plain, scope), { value: plain, warnings: [] });
    assert.deepEqual(rendered(text.replace(/[{}]/g, "$&$&"), scope), { value: text, warnings: [] });
  }));
});

Deno.test("template: property: a placeholder alone is the very value, within text its text", () => {
  fc.assert(fc.property(name, json, (name, value) => {
    const scope: Scope = Object.fromEntries([[name, value]]);
    assert.deepEqual(rendered(`{${name}}`, scope), { value, warnings: [] });
    const text = value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    assert.equal(rendered(`<{${name}}>`, scope).value, `<${text}>`);
  }));
});

Deno.test("template: property: only own keys are ever found", () => {
  const path = fc.array(name, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(path, scope, (path, scope) => {
      let found: unknown = scope;
      for (const key of path) {
        const own = typeof found === "object" && found !== null && Object.hasOwn(found, key);
        found = own ? Object.getOwnPropertyDescriptor(found, key)?.value : undefined;
      }
      assert.deepEqual(rendered(`{${path.join(".")}}`, scope).value, found ?? null);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("template: property: a text is taken apart without a rest", () => {
  const part = fc.oneof(
    fc.string({ minLength: 1 }).map((text) => text.replace(/[{}]/g, "$&$&")),
    fc.array(name, { minLength: 1, maxLength: 3 }).map((path) => `{${path.join(".")}}`),
  );
  fc.assert(fc.property(fc.array(part), (parts) => {
    const read = readTemplate(parts.join(""));
    assert.ok("template" in read);
    const again = read.template.map((part) =>
      typeof part === "string" ? part.replace(/[{}]/g, "$&$&") : "path" in part ? `{${part.path.join(".")}}` : ""
    );
    assert.equal(again.join(""), parts.join(""));
  }));
});

Deno.test("template: every sign of a long text is looked at a bounded number of times", () => {
  const long = 20_000;
  const texts = [
    "{".repeat(long),
    "}".repeat(long),
    "{a}".repeat(long),
    "{a|default:[".repeat(long),
    `{${"a.".repeat(long)}`,
  ];
  for (
    const text of [
      ...texts,
      `{a|default:${"[".repeat(long)}`,
      `{a|default:"${"\\".repeat(long)}`,
      "{a|default:x}".repeat(long),
    ]
  ) {
    const looks = looksAt(() => readTemplate(text));
    assert.ok(looks <= 8 * text.length + 100, `${text.slice(0, 20)}: ${looks} looks at ${text.length} signs`);
  }
});

/** How many characters `slice` and `indexOf` read while `work` runs. */
function looksAt(work: () => unknown): number {
  const { slice, indexOf } = String.prototype;
  let looks = 0;
  String.prototype.slice = function (this: string, start?: number, end?: number) {
    const cut = slice.call(this, start, end);
    looks += cut.length;
    return cut;
  };
  String.prototype.indexOf = function (this: string, sought: string, from = 0) {
    const found = indexOf.call(this, sought, from);
    looks += (found === -1 ? this.length : found) - from + 1;
    return found;
  };
  try {
    work();
  } finally {
    Object.assign(String.prototype, { slice, indexOf });
  }
  return looks;
}
