import assert from "node:assert/strict";
import { part, written } from "./part.ts";

Deno.test("part: values become parameters in the order of the text, at any depth", () => {
  const inner = part`b = ${"two"} and c = any(${[3, 4]}::int[])`;
  assert.deepEqual(written(part`select ${1} where a = ${null} and (${inner}) limit ${5}`), {
    text: "select $1 where a = $2 and (b = $3 and c = any($4::int[])) limit $5",
    parameters: [1, null, "two", [3, 4], 5],
  });
});

Deno.test("part: a part that is used twice has its parameters twice", () => {
  const key = part`key = ${"k"}`;
  assert.deepEqual(written(part`${key} or ${key}`), { text: "key = $1 or key = $2", parameters: ["k", "k"] });
});

Deno.test("part: values never become text of the statement", () => {
  const hostile = ["'; drop table records; --", "$1", "\\", `\${1}`];
  for (const value of hostile) {
    assert.deepEqual(written(part`select ${value}`), { text: "select $1", parameters: [value] });
  }
  const object = { text: "drop table records", values: "none" };
  assert.deepEqual(written(part`select ${object}::jsonb`), { text: "select $1::jsonb", parameters: [object] });
});
