import assert from "node:assert/strict";
import fc from "../../../test/packages/fast_check.ts";
import { createFinder, type Range } from "./aho_corasick.ts";
import { atOnce } from "./slices.ts";

/** Finds the same matches by trying each needle at each position. */
function slowly(needles: readonly string[], text: string): Range[] {
  const [lower, wanted] = [text.toLowerCase(), needles.map((needle) => needle.toLowerCase())];
  const places = Array.from({ length: text.length }, (_, at) => at);
  const all = places.flatMap((at) =>
    wanted.filter((needle) => lower.startsWith(needle, at)).map(({ length }): Range => [at, at + length])
  );
  return all.reduce<Range[]>((found, [from, until]) => {
    const last = found.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], until);
    else found.push([from, until]);
    return found;
  }, []);
}

Deno.test("needles: property: every occurrence is found at its position", () => {
  const letters = fc.constantFrom("a", "b", "A", "ż", "\u{1f600}");
  const needle = fc.string({ unit: letters, minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(needle, { maxLength: 5 }), fc.string({ unit: letters, maxLength: 40 }), (needles, text) => {
      assert.deepEqual(atOnce(createFinder(needles)(text)), slowly(needles, text));
    }),
    { numRuns: 1_000 },
  );
});
