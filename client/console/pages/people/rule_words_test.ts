import assert from "node:assert/strict";
import { hiddenWords } from "./rule_words.ts";

Deno.test("rules in words: they name the person and what to do", () => {
  assert.equal(
    hiddenWords("has no department: needs without_department", "Ann"),
    "without a department: switch on “Without department” for Ann",
  );
  assert.equal(hiddenWords("not a member of department Sales", "Ann"), "of the department Sales: add Ann to it");
  assert.equal(hiddenWords("needs the role user", "Ann"), "only for the role user or above: give it to Ann");
  assert.equal(
    hiddenWords("database: not a member of department Sales", "Ann"),
    "in databases of the department Sales: add Ann to it",
  );
  assert.equal(hiddenWords("the user is switched off", "Ann"), "the user is switched off");
});
