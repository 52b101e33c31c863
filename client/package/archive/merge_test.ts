import assert from "node:assert/strict";
import { merge } from "./merge.ts";

const lines = (text: string) => text.split(" ").join("\n");

Deno.test("merge: changes in different places are both kept", () => {
  const cases: [base: string, yours: string, server: string, merged: string][] = [
    ["a b c d", "a B c d", "a b c D", "a B c D"],
    ["a b c", "x a b c", "a b c y", "x a b c y"],
    ["a b c", "a b c", "a c", "a c"],
    ["a b c", "a c", "a b c", "a c"],
    ["a b c", "a x c", "a x c", "a x c"],
    ["a", "", "a", ""],
    ["a b c d e", "b c d e", "a b c d f", "b c d f"],
  ];
  for (const [base, yours, server, merged] of cases) {
    assert.deepEqual(merge(lines(base), lines(yours), lines(server), "x"), { text: lines(merged), conflicts: 0 });
  }
});

Deno.test("merge: changes in the same place stand beside each other, and say which is the server's", () => {
  assert.deepEqual(merge("a\nb\nc\n", "a\n1\nc\n", "a\n2\nc\n", "test"), {
    text: "a\n<<<<<<< yours\n1\n||||||| base\nb\n=======\n2\n>>>>>>> server test\nc\n",
    conflicts: 1,
  });
  assert.equal(merge("", "a", "b", "test").conflicts, 1);
});

Deno.test("merge: the end of the last line is merged by itself", () => {
  const cases: [base: string, yours: string, server: string, text: string][] = [
    ["a", "a\n", "a", "a\n"],
    ["a\n", "a\n", "a", "a"],
    ["a\nb", "a\nb\n", "A\nb", "A\nb\n"],
    ["", "\n", "", "\n"],
  ];
  for (const [base, yours, server, text] of cases) {
    assert.deepEqual(merge(base, yours, server, "x"), { text, conflicts: 0 });
  }
  assert.deepEqual(merge("a", "1", "2", "x"), {
    text: "<<<<<<< yours\n1\n||||||| base\na\n=======\n2\n>>>>>>> server x\n",
    conflicts: 1,
  });
});
