import assert from "node:assert/strict";
import type { Json } from "./json.ts";
import { openChoice } from "./open_choice.ts";

Deno.test("a new step asks for its connector; a wrong one is a fault", () => {
  const wrong = { type: "connector", connector_code: "No!", url: "" };
  const program: Json = [{ type: "connector", connector_code: "" }, wrong];
  assert.equal(openChoice(program, [0, "connector_code"]), "Choose a connector");
  assert.equal(openChoice(program, [0, "method"]), "Choose a method");
  assert.equal(openChoice(program, [1, "connector_code"]), undefined);
  assert.equal(openChoice(program, [1, "url"]), undefined, "a text that was left out");
});
