import assert from "node:assert/strict";
import fc from "../../../test/packages/fast_check.ts";
import type { JsonValue } from "../../input/json_value.ts";
import { fillText, fillValue, newRoom, ParamFault, paramsIn, templateFault } from "./template.ts";

const PARAMS = { base: "EUR", n: 4.5, yes: true, none: null, a: { b: ["x", { c: "deep" }] }, list: [1, 2] };

Deno.test("template: names, dots and indexes are filled, and a brace is written twice", () => {
  const rows: [template: string, text: string][] = [
    ["", ""],
    ["plain } text", "plain } text"],
    ["{base}", "EUR"],
    ["1 {base} = {n}", "1 EUR = 4.5"],
    ["{a.b.0}/{a.b.1.c}", "x/deep"],
    ["{yes} {none}.", "true ."],
    ["{a.b}", '["x",{"c":"deep"}]'],
    ["{{base}", "{base}"],
    ["{{{base}}", "{EUR}"],
  ];
  for (const [template, text] of rows) {
    assert.equal(templateFault(template), undefined, template);
    assert.equal(fillText(template, PARAMS), text, template);
  }
});

Deno.test("template: a text that consists of one placeholder keeps its JSON type, at any depth", () => {
  const filled = fillValue({ a: "{n}", b: ["{yes}", "{list}", { c: "{none}" }], "{n}": "x{n}", d: 7, e: null }, PARAMS);
  assert.deepEqual(filled, { a: 4.5, b: [true, [1, 2], { c: null }], "{n}": "x4.5", d: 7, e: null });
});

Deno.test("template: a missing name is reported, and prototypes are not read", () => {
  for (
    const name of ["x", "a.x", "a.b.2", "a.b.length", "base.length", "none.x", "constructor", "__proto__", "a.toString"]
  ) {
    assert.throws(() => fillText(`to {${name}}`, PARAMS), (fault) => {
      assert.ok(fault instanceof ParamFault);
      assert.deepEqual([fault.kind, fault.param, fault.fault], ["invalid", name, "is missing"]);
      return true;
    });
  }
});

Deno.test("template: a brace that begins no name is a fault", () => {
  for (const template of ["{", "{}", "{ base }", "{a..b}", "{a.}", "{1}", "{{{", "x{a-b}", "{a|default:0}"]) {
    assert.match(templateFault(template) ?? "", /begins no \{name\}/, template);
  }
});

Deno.test("template: the size limit holds for the whole request", () => {
  const params = { list: Array.from({ length: 300_000 }, (_, i) => i), text: "x".repeat(1_000_000) };
  const templates = ["{list}", "{text}", "-{list}-", "-{text}-"];
  for (const template of templates) {
    assert.throws(() => fillValue(Array.from({ length: 8_000 }, () => template), params), /too large/, template);
  }
  const room = newRoom();
  fillValue(["{text}", "{text}"], params, room);
  assert.throws(() => fillValue(["{text}", "{text}", "{text}"], params, room), /too large/, "together");
});

Deno.test("template: the names that it refers to", () => {
  const template = { a: "{base} {{no}} {a.b.0}", b: ["{list}", 5, null, { c: "{base}" }] };
  assert.deepEqual(paramsIn(template), ["base", "a", "list", "base"]);
  assert.deepEqual(paramsIn(undefined), []);
});

Deno.test("template: an inserted value is never read as a template", () => {
  fc.assert(fc.property(fc.string(), fc.jsonValue(), (text, value) => {
    assert.equal(fillText("<{x}>", { x: text }), `<${text}>`);
    assert.deepEqual(fillValue(["{x}"], { x: value as JsonValue }), [value]);
  }));
});
