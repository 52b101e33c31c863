import assert from "node:assert/strict";
import { escapeFormula, unescapeFormula } from "./formulas.ts";

Deno.test("formulas: text that a spreadsheet would run is escaped, other text is not", () => {
  for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", "'=1", "''-1"]) {
    assert.equal(escapeFormula(text), `'${text}`);
    assert.equal(unescapeFormula(escapeFormula(text)), text);
  }
  for (const text of ["", "a=1", " =1", "'", "'a", "''", "1-1"]) {
    assert.equal(escapeFormula(text), text);
    assert.equal(unescapeFormula(text), text);
  }
  assert.equal(unescapeFormula("=1"), "=1", "a cell of a file that escapes nothing");
});
