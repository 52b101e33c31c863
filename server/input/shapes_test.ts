import assert from "node:assert/strict";
import { z } from "zod";
import { everyKey, fold } from "./shapes.ts";

Deno.test("fold: case, the way a letter is put together, and the place of a sigma do not count", () => {
  const same: string[][] = [
    ["Sales", "sALES"],
    ["ŻÓŁĆ", "żółć"],
    ["Cafe\u0301", "CAFÉ"],
    ["ΟΔΟΣ", "οδος", "οδοσ", "Οδός".normalize("NFD").replace("\u0301", "")],
    ["ΣΑΣ ΣΑΣ", "σας σασ"],
  ];
  for (const names of same) assert.equal(new Set(names.map(fold)).size, 1, names.join());
  assert.notEqual(fold("resume"), fold("résumé"), "an accent does");
});

Deno.test("everyKey: a key that zod would leave out is refused by its path, at any depth", () => {
  const Shape = everyKey(z.record(z.string(), z.unknown()));
  const sent = JSON.parse('{"a":[{"__proto__":1}],"__proto__":{"b":1},"constructor":2}');
  const issues = Shape.safeParse(sent).error?.issues ?? [];
  assert.deepEqual(issues.map(({ path }) => path), [["a", "0", "__proto__"], ["__proto__"]]);
  assert.deepEqual(Shape.parse({ constructor: 1, toString: null }), { constructor: 1, toString: null });
  assert.equal(Shape.safeParse("x").success, false);
});
