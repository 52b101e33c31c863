import assert from "node:assert/strict";
import { freePrefix } from "./free_prefix.ts";

const CASES: Record<string, { code: string; prefix: string }> = {
  "nothing like it": { code: "let _ = 1, $$pop, _0, __0000", prefix: "_0000_" },
  "a word that starts with it": { code: "let _0000_pop", prefix: "_0001_" },
  "a word that contains it, text included": { code: `"a_0000_0001_b"`, prefix: "_0002_" },
  "an identifier that is spelled with escapes": { code: String.raw`let _00\u0030\u{30}\u005fx`, prefix: "_0001_" },
  "an escape of no character": { code: String.raw`"\u{110000}"`, prefix: "_0000_" },
  "all of its kind": {
    code: Array.from({ length: 10_000 }, (_, n) => `_${String(n).padStart(4, "0")}_`).join(),
    prefix: "_10000_",
  },
};

for (const [name, { code, prefix }] of Object.entries(CASES)) {
  Deno.test(`free prefix: ${name}`, () => assert.equal(freePrefix(code), prefix));
}
