import assert from "node:assert/strict";
import { inputTerms, termOf, valuesOf } from "./input_terms.ts";

Deno.test("input terms: single values by their path, within limits", () => {
  const input = { base: "EUR", n: 2, ok: true, none: null, list: [1], body: { id: "a b", deep: { x: 1 } } };
  assert.deepEqual(valuesOf(input), ["base=EUR", "n=2", "ok=true", "none=null", "body.id=a b", "body.deep.x=1"]);
  assert.deepEqual(valuesOf({ text: "x".repeat(300), a: { b: { c: { d: 1 } } } }), []);
  assert.equal(valuesOf(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${n}`, n]))).length, 32);
  assert.deepEqual(inputTerms({ base: "EUR" }), [termOf("base=EUR")]);
  assert.match(termOf("base=EUR"), /^-?\d{1,19}$/);
});
