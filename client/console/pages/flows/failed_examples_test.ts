import assert from "node:assert/strict";
import { failedExamples } from "./failed_examples.ts";

Deno.test("failed examples: one sentence, without what differs", () => {
  const one = '“Order 7” fails: the output is {"price": 1} instead of {"price": 2}';
  assert.equal(failedExamples([one]), "Not saved: the example “Order 7” fails.");
  assert.equal(failedExamples([one, one]), "Not saved: 2 examples fail.");
  assert.equal(failedExamples([`“${"x".repeat(90)}” fails: …`]), "Not saved: an example fails.");
});
