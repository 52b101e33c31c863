import assert from "node:assert/strict";
import { createRecent } from "./recent.ts";

Deno.test("recent: the entry that was unused for longest goes first", () => {
  const recent = createRecent<number>(30);
  recent.set("a", 1, 10);
  recent.set("b", 2, 10);
  recent.set("c", 3, 10);
  assert.equal(recent.get("a"), 1);
  recent.set("d", 4, 10);
  assert.deepEqual(["a", "b", "c", "d"].map((key) => recent.get(key)), [1, undefined, 3, 4]);
});

Deno.test("recent: one large entry makes room for itself, one beyond the limit is not kept", () => {
  const recent = createRecent<number>(30);
  recent.set("a", 1, 10);
  recent.set("b", 2, 10);
  recent.set("large", 3, 25);
  assert.deepEqual(["a", "b", "large"].map((key) => recent.get(key)), [undefined, undefined, 3]);
  recent.set("huge", 4, 31);
  assert.equal(recent.get("huge"), undefined);
  assert.equal(recent.get("large"), 3);
});

Deno.test("recent: setting a key again counts its bytes once", () => {
  const recent = createRecent<number>(30);
  for (let value = 0; value < 100; value++) recent.set("a", value, 20);
  recent.set("b", 1, 10);
  assert.equal(recent.get("a"), 99);
  assert.equal(recent.get("b"), 1);
});
