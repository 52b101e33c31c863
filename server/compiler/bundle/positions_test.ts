import assert from "node:assert/strict";
import { columnOfByte, editorPlaces, indexAt, positionAt, positionOf, showMistake } from "./positions.ts";

const CASES = [
  { name: "the line and a caret", source: "let a;\nlet b = ;\n", at: [2, 9], shows: "2:9 no\nlet b = ;\n        ^" },
  { name: "tabs stay", source: "\tx\ty", at: [1, 4], shows: "1:4 no\n\tx\ty\n\t \t^" },
  { name: "the end of the last line", source: "ab", at: [1, 3], shows: "1:3 no\nab\n  ^" },
  { name: "a carriage return is not shown", source: "ab\r\ncd", at: [1, 1], shows: "1:1 no\nab\n^" },
  { name: "beyond the source, the headline alone", source: "ab", at: [9, 1], shows: "9:1 no" },
];

for (const { name, source, at: [line = 0, column = 0], shows } of CASES) {
  Deno.test(`positions: ${name}`, () => assert.equal(showMistake(source, "no", { line, column }), shows));
}

Deno.test("positions: a line of 200,000 characters is cut around the caret", () => {
  const source = "a".repeat(150_000) + "!" + "b".repeat(50_000);
  const [, shown = "", caret = ""] = showMistake(source, "no", { line: 1, column: 150_001 }).split("\n");
  assert.equal(shown.length, 100);
  assert.equal(shown[caret.length - 1], "!");
});

Deno.test("positions: of a character, of a pattern, of a byte", () => {
  assert.deepEqual(positionAt("a\nbc", 3), { line: 2, column: 2 });
  assert.equal(indexAt("a\nbc", { line: 2, column: 2 }), 3);
  assert.equal(indexAt("abc", { line: 1, column: 1 }), 0);
  assert.deepEqual(positionAt("abc", 0), { line: 1, column: 1 });
  assert.deepEqual(positionOf("x\n  @apply foo", /@apply (foo)/d), { line: 2, column: 10 });
  assert.equal(positionOf("x", /y/), undefined);
  assert.equal(columnOfByte("'ż😀' x", 9), 6);
});

Deno.test("positions: U+2028 and U+2029 end a line of JavaScript, and none of an editor", () => {
  const inEditor = editorPlaces("a\u2028bc\r\nd\u2029\u2028e\nf");
  const places = [[1, 1], [2, 2], [3, 1], [4, 1], [5, 1], [6, 1]].map(([line = 0, column = 0]) => {
    const place = inEditor({ line, column });
    return [place.line, place.column];
  });
  assert.deepEqual(places, [[1, 1], [1, 4], [2, 1], [2, 3], [2, 4], [3, 1]]);
  assert.deepEqual(editorPlaces("a\nb")({ line: 2, column: 1 }), { line: 2, column: 1 });
});
