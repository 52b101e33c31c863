import assert from "node:assert/strict";
import fc from "../../../test/packages/fast_check.ts";
import { lineDiff } from "./line_diff.ts";

Deno.test("line diff: shows changed lines with two lines around them", () => {
  const lines = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const after = lines.with(3, "D").join("\n");
  assert.equal(lineDiff(lines.join("\n"), after), " b\n c\n-d\n+D\n e\n f\n…");
  assert.equal(lineDiff("same", "same"), "");
});

Deno.test("line diff: without the lines left out, it turns one text into the other", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 5 });
  fc.assert(fc.property(text, text, (a, b) => {
    const diff = lineDiff(a.join("\n"), b.join("\n")).split("\n").filter((line) => line !== "" && line !== "…");
    const side = (mark: string) => diff.filter((line) => line[0] === mark).map((line) => line.slice(1));
    const count = (list: string[], item: string) => list.filter((one) => one === item).length;
    for (const item of ["a", "b", "c"]) {
      assert.equal(count(a, item) - count(side("-"), item) + count(side("+"), item), count(b, item));
    }
  }));
});
