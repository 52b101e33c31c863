import assert from "node:assert/strict";
import { contains } from "./compare.ts";
import fc from "../../../test/packages/fast_check.ts";
import type { JsonValue } from "../../input/json_value.ts";
import { type Condition, evaluate, type Operator, OPERATORS, TWO_SIDED } from "./condition.ts";
import { parseCondition, readTokens, type Token, tokensOf } from "./condition_text.ts";
import type { Scope } from "./template.ts";

const held = (condition: Condition, scope: Scope = {}) => {
  const warnings: string[] = [];
  return { holds: evaluate(condition, scope, (message) => warnings.push(message)), warnings };
};

/** @throws if the text is no condition */
function parsed(text: string): Condition {
  const read = parseCondition(text);
  if ("fault" in read) throw new Error(`${text} ${read.fault}`);
  return read.condition;
}

Deno.test("condition: conditions that hold", () => {
  const rows: [left: JsonValue, operator: Operator, right: JsonValue, holds: boolean][] = [
    [1, "eq", 1, true],
    [1, "eq", "1.0", true],
    ["10", "gt", "9", true],
    ["1e3", "eq", 1000, true],
    ["007", "eq", "7", false],
    ["007", "lt", "7", true],
    ["12345678901234567890", "eq", "12345678901234567891", false],
    ["12345678901234567890", "lt", "12345678901234567891", true],
    ["9007199254740993", "gt", 9007199254740992, true],
    [9007199254740992, "eq", "9007199254740993", false],
    [9007199254740992, "eq", "9007199254740992", true],
    ["", "eq", 0, false],
    [null, "eq", null, true],
    [null, "eq", 0, false],
    [null, "eq", "", false],
    [true, "eq", "true", false],
    [true, "ne", false, true],
    ["a", "lt", "b", true],
    ["a", "gte", "a", true],
    ["Z", "lt", "a", true],
    [[1, { a: "x" }], "eq", [1, { a: "x" }], true],
    [[1], "eq", ["1"], false],
    [{ a: 1, b: 2 }, "eq", { b: 2, a: 1 }, true],
    [{ a: 1 }, "eq", { a: 1, b: null }, false],
    [[], "eq", {}, false],
    ["2026-11-21", "lt", "2026-11-22", true],
    ["2026-11-21", "eq", "2026-11-21T00:00:00Z", true],
    ["2026-11-21T10:00:00+02:00", "lt", "2026-11-21T08:30:00Z", true],
    ["2026-11-21T10:30:00+02:00", "eq", "2026-11-21T08:30:00.000+00:00", true],
    ["2026-11-21T08:30:00.5Z", "gt", "2026-11-21T08:30:00Z", true],
    ["2024-02-30", "eq", "2024-03-01", false],
    ["Hello", "contains", "ell", true],
    ["Hello", "contains", "ELL", false],
    ["n 15", "contains", 15, true],
    [["a", 1], "contains", "1", true],
    [["a", 1], "not_contains", "b", true],
    [{ a: null }, "contains", "a", true],
    [{}, "contains", "constructor", false],
    [[[1]], "contains", [1], true],
    ["Hello", "starts_with", "He", true],
    ["Hello", "ends_with", "lo", true],
    [404, "starts_with", "4", true],
    ["b", "in", ["a", "b"], true],
    [2, "in", ["1", "2"], true],
    ["b", "not_in", ["a"], true],
    ["el", "in", "hello", true],
    [null, "in", [null], true],
  ];
  for (const [left, operator, right, holds] of rows) {
    assert.deepEqual(held({ left, operator, right }), { holds, warnings: [] }, JSON.stringify([left, operator, right]));
  }
});

Deno.test("condition: existing and empty values, without a warning", () => {
  const scope: Scope = { no: null, zero: 0, text: "", list: [], object: {}, full: [null], off: false };
  const there = { no: false, zero: true, text: true, list: true, object: true, full: true, off: true, gone: false };
  const empty = { no: true, zero: false, text: true, list: true, object: true, full: false, off: false, gone: true };
  const ask = (name: string, operator: Operator) => held({ left: `{${name}}`, operator }, scope);
  for (const [name, holds] of Object.entries(there)) {
    assert.deepEqual(ask(name, "exists"), { holds, warnings: [] }, name);
    assert.deepEqual(ask(name, "not_exists"), { holds: !holds, warnings: [] }, name);
  }
  for (const [name, holds] of Object.entries(empty)) {
    assert.deepEqual(ask(name, "empty"), { holds, warnings: [] }, name);
    assert.deepEqual(ask(name, "not_empty"), { holds: !holds, warnings: [] }, name);
  }
});

Deno.test("condition: an ordering of values without an order is false with a warning, in both directions", () => {
  const rows: [left: JsonValue, right: JsonValue, warning: string][] = [
    [null, 1, "null gt 1"],
    [1, null, "1 gt null"],
    ["x", 1, '"x" gt 1'],
    [true, false, "true gt false"],
    [[1], 0, "a list gt 0"],
    [{}, "a", 'an object gt "a"'],
  ];
  for (const [left, right, warning] of rows) {
    assert.deepEqual(held({ left, operator: "gt", right }), {
      holds: false,
      warnings: [`${warning} cannot be told, so it is false`],
    });
    assert.equal(held({ left, operator: "lte", right }).holds, false);
  }
  assert.deepEqual(held({ left: "{gone}", operator: "gte", right: 0 }).warnings, [
    "{gone} is not there, so it is null",
    "null gte 0 cannot be told, so it is false",
  ]);
});

Deno.test("condition: the short form is the same tree", () => {
  const price = { left: "{json_object.price}", operator: "gt" as const, right: 100 };
  const a = { left: "{a}", operator: "eq" as const, right: 1 };
  const b = { left: "{b}", operator: "exists" as const };
  const rows: [text: string, tree: Condition][] = [
    ["{json_object.price} > 100", price],
    [" {json_object.price}>100 ", price],
    ["{json_object.price} gt 1e2", price],
    ["{a} == 1 and {b} exists", { all: [a, b] }],
    ["{a} = 1 && {b} EXISTS", { all: [a, b] }],
    ["{a} == 1 or {b} exists and {a} eq 1", { any: [a, { all: [b, a] }] }],
    ["({a} == 1 || {b} exists) AND {a} == 1", { all: [{ any: [a, b] }, a] }],
    ["not {a} == 1 and {b} exists", { all: [{ not: a }, b] }],
    ["!({a} == 1 and {b} exists)", { not: { all: [a, b] } }],
    ["(({b} exists))", b],
    ["{a} != 'it\\'s' ", { left: "{a}", operator: "ne", right: "it's" }],
    ['{a} <= "{b} x"', { left: "{a}", operator: "lte", right: "{b} x" }],
    ["{a} in ['x', 1, null, {b}]", { left: "{a}", operator: "in", right: ["x", 1, null, "{b}"] }],
    ["{a} not in []", { left: "{a}", operator: "not_in", right: [] }],
    ["{a} not contains 'x'", { left: "{a}", operator: "not_contains", right: "x" }],
    ["{a} is not empty", { left: "{a}", operator: "not_empty" }],
    ["{a} is empty", { left: "{a}", operator: "empty" }],
    ["{a} not_exists", { left: "{a}", operator: "not_exists" }],
    ["-1.5 < {a|default:0}", { left: -1.5, operator: "lt", right: "{a|default:0}" }],
    ["{a} starts_with 'x' or {a} ends_with 'y'", {
      any: [{ left: "{a}", operator: "starts_with", right: "x" }, { left: "{a}", operator: "ends_with", right: "y" }],
    }],
    ["{a} == 9007199254740993", { left: "{a}", operator: "eq", right: "9007199254740993" }],
    ["{a} == TRUE", { left: "{a}", operator: "eq", right: true }],
  ];
  for (const [text, tree] of rows) assert.deepEqual(parseCondition(text), { condition: tree }, text);
});

Deno.test("condition: an invalid short form is reported with its position", () => {
  const rows: [text: string, fault: RegExp][] = [
    ["", /^has its end where a value is expected$/],
    ["and", /^has and where a value is expected; texts stand in quotes$/],
    ["{a}", /^has its end where an operator is expected/],
    ["{a} > ", /^has its end where a value is expected$/],
    ["{a} > 1 2", /^has 2 where and, or or the end is expected$/],
    ["{a} > 1 and", /^has its end where a value is expected$/],
    ["{a} === 1", /^has = where a value is expected$/],
    ["{a} is > 1", /^has > where an operator is expected/],
    ["{a} not > 1", /^has > where an operator is expected/],
    ["{a} constructor 1", /^has constructor where an operator is expected/],
    ["({a} > 1", /^has its end where a \) is expected$/],
    ["{a} > 1)", /^has \) where and, or or the end is expected$/],
    ["{a} in [1, [2]]", /^has a list within a list$/],
    ["{a} in [1 2]", /^has 2 where , or \] is expected$/],
    ["{a} == 'x", /^has a ' that is never closed$/],
    ["{a b} == 1", /^has \{a b\}, which is no placeholder/],
    ["{a == 1", /^has a \{ that is never closed/],
    ["{a} == 1; drop", /^has ;, which means nothing here$/],
    ["{a} > 1e999", /^has a number that is too large$/],
    ["not ".repeat(12) + "{a} exists", /^is nested deeper than 10 levels$/],
  ];
  for (const [text, fault] of rows) {
    const read = parseCondition(text);
    assert.match("fault" in read ? read.fault : "none", fault, text);
  }
});

const value = fc.oneof(
  fc.constantFrom<JsonValue>("{a}", "{b}", "{a.x}", "{gone}", "{a|default:1}", null, true, "x", "2026-11-21", "007"),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => Object.is(number, -0) ? 0 : number),
  fc.string().map((text) => text.replace(/[{}]/g, "")),
);
const comparison = fc.oneof(
  fc.record({ left: value, operator: fc.constantFrom(...TWO_SIDED), right: fc.oneof(value, fc.array(value)) }),
  fc.record({ left: value, operator: fc.constantFrom<Operator>("exists", "not_exists", "empty", "not_empty") }),
);
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    comparison,
    fc.array(tie("condition"), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie("condition"), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
    tie("condition").map((not) => ({ not })),
  ),
}));
const json = fc.jsonValue({ maxDepth: 3 }).map((value): JsonValue => JSON.parse(JSON.stringify(value)));
const scope = fc.record({ a: json, b: json });

Deno.test("condition: property: it never throws, `not` inverts, `all` and `any` are dual", () => {
  fc.assert(
    fc.property(fc.array(condition), scope, (parts, scope) => {
      const all = held({ all: parts }, scope).holds;
      assert.equal(held({ not: { all: parts } }, scope).holds, !all);
      assert.equal(held({ not: { any: parts.map((not) => ({ not })) } }, scope).holds, all);
      assert.equal(parts.every((part) => held(part, scope).holds), all);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("condition: property: of two values that have an order exactly one of less, equal, greater holds", () => {
  const single = fc.oneof(
    json,
    fc.double({ noNaN: true }).map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  );
  fc.assert(
    fc.property(single, single, (a, b) => {
      const scope: Scope = { a, b };
      const is = (operator: Operator, left = "{a}", right = "{b}") => held({ left, operator, right }, scope).holds;
      assert.equal(is("eq"), !is("ne"));
      assert.equal(is("eq"), is("eq", "{b}", "{a}"));
      assert.equal(is("lt"), is("gt", "{b}", "{a}"));
      assert.ok([is("lt"), is("eq"), is("gt")].filter(Boolean).length <= 1);
      const ordered = held({ left: "{a}", operator: "lt", right: "{b}" }, scope).warnings.length === 0;
      assert.equal(is("lte"), ordered && !is("gt"));
      assert.equal(is("gte"), ordered && !is("lt"));
      if (ordered) assert.ok(is("lt") || is("eq") || is("gt"));
      assert.ok(is("eq", "{a}", "{a}"));
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("condition: property: a tree written as text is read as that tree", () => {
  fc.assert(
    fc.property(condition, scope, (tree, scope) => {
      const again = parsed(written(tree));
      assert.equal(held(again, scope).holds, held(tree, scope).holds, written(tree));
      assert.equal(written(again), written(parsed(written(again))));
    }),
    { numRuns: 1_000 },
  );
});

/** The short form, with parentheses around every part. */
function written(condition: Condition): string {
  if ("all" in condition) return condition.all.map((part) => `(${written(part)})`).join(" and ");
  if ("any" in condition) return condition.any.map((part) => `(${written(part)})`).join(" or ");
  if ("not" in condition) return `not (${written(condition.not)})`;
  const right = condition.right === undefined ? "" : ` ${side(condition.right)}`;
  return `${side(condition.left)} ${condition.operator}${right}`;
}

function side(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(side).join(", ")}]`;
  if (typeof value !== "string") return JSON.stringify(value);
  return /^\{.*\}$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}

Deno.test("condition: property: no text makes the reader throw", () => {
  const words = fc.constantFrom(
    "{a}",
    "(",
    ")",
    "[",
    "]",
    ",",
    "and",
    "or",
    "not",
    "is",
    "==",
    ">",
    "'",
    '"',
    "1",
    "-",
    ...OPERATORS,
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fc.string())), fc.constantFrom("", " "), (parts, between) => {
      const read = parseCondition(parts.join(between));
      assert.ok("fault" in read ? read.fault : evaluate(read.condition, {}, () => {}) !== undefined);
    }),
    { numRuns: 3_000 },
  );
});

Deno.test("condition: each token is taken once, and each sign belongs to one token, however long the text", () => {
  const many = 20_000;
  const texts = [
    Array(many).fill("{a} > 1").join(" and "),
    Array(many).fill("({a} > 1 or {b} exists)").join(" and "),
    `{a} in [${Array(many).fill("'x'").join(",")}]`,
    "(".repeat(many),
    "not ".repeat(many),
    "[".repeat(many),
    `{a} == "${"\\\\".repeat(many)}"`,
    "{a}".repeat(many),
    "=".repeat(many),
  ];
  for (const text of texts) {
    let taken = 0;
    let signs = 0;
    const counting = function* (): Generator<Token> {
      for (const token of tokensOf(text)) {
        taken++;
        signs += token.text.length;
        yield token;
      }
    };
    const read = readTokens(counting());
    assert.deepEqual(read, parseCondition(text));
    assert.ok(taken <= text.length && signs <= text.length, text.slice(0, 40));
  }
});

Deno.test("condition: values that are nested without end are compared, not walked on the stack", () => {
  const deep = (): JsonValue => {
    let value: JsonValue = 1;
    for (let level = 0; level < 200_000; level++) value = [value];
    return value;
  };
  const scope: Scope = { a: deep(), b: deep() };
  assert.equal(held(parsed("{a} == {b}"), scope).holds, true);
  assert.equal(held(parsed("{a} exists and {a} is not empty"), scope).holds, true);
  assert.deepEqual(held(parsed("{a} > {b}"), scope).warnings, ["a list gt a list cannot be told, so it is false"]);
});

Deno.test("contains: long texts are searched as short ones are, in time that grows with their sum", () => {
  const pieces = fc.array(fc.constantFrom("a", "ab", "b", "aab"), { maxLength: 6 });
  fc.assert(
    fc.property(pieces, pieces, fc.constantFrom("", "b", "ba"), (before, part, after) => {
      // Long enough that the product of the lengths is above the limit of the built-in search.
      const needle = part.join("").repeat(800) + after;
      const whole = before.join("").repeat(4_000) + needle.slice(1);
      assert.equal(contains(whole, needle), whole.includes(needle));
      assert.equal(contains(whole + needle, needle), true);
    }),
    { numRuns: 30 },
  );
  const half = "a".repeat(200_000);
  assert.equal(contains("a".repeat(800_000), `${half}b${half}`), false);
});
