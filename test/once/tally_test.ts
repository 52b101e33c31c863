import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { closingLine, createFailureReader, readClosingLine, settle, sum, tallyAgain } from "../run/tally.ts";

const lines = [
  ["ok | 12 passed | 0 failed (3s)", { passed: 12, failed: 0, skipped: 0 }],
  ["ok | 2 passed (2 steps) | 0 failed | 1 ignored (356ms)", { passed: 2, failed: 0, skipped: 1 }],
  ["FAILED | 2 passed (2 steps) | 4 failed (1 step) | 1 ignored | 3 filtered out (1m2s)", {
    passed: 2,
    failed: 4,
    skipped: 1,
  }],
  ["\x1b[0m\x1b[31mFAILED\x1b[0m | 0 passed | 1 failed \x1b[0m(5ms)\x1b[0m", { passed: 0, failed: 1, skipped: 0 }],
  ["ok | 0 passed | 0 failed | 2 ignored (1ms)", { passed: 0, failed: 0, skipped: 2 }],
  ["running 3 tests from ./a_test.ts", undefined],
  ["12 passed, 0 failed", undefined],
] as const;

for (const [line, expected] of lines) {
  Deno.test(`closing line: ${line.replaceAll("\x1b", "")}`, () => deepStrictEqual(readClosingLine(line), expected));
}

Deno.test("a run that ended badly without numbers is one failure", () => {
  deepStrictEqual(settle(undefined, 1), { passed: 0, failed: 1, skipped: 0 });
  deepStrictEqual(settle({ passed: 3, failed: 0, skipped: 0 }, 1), { passed: 3, failed: 1, skipped: 0 });
  deepStrictEqual(settle({ passed: 3, failed: 2, skipped: 0 }, 1), { passed: 3, failed: 2, skipped: 0 });
});

Deno.test("runs add up, and skipped ones are named only where there are any", () => {
  const all = sum([{ passed: 3, failed: 0, skipped: 0 }, { passed: 4, failed: 1, skipped: 2 }]);
  strictEqual(closingLine(all), "7 passed, 1 failed, 2 skipped");
  strictEqual(closingLine(sum([])), "0 passed, 0 failed");
});

Deno.test("failures are read with their files, several at once or one after the other, and nothing else is one", () => {
  const readFailure = createFailureReader();
  const failure = { name: "the gallery", file: "./test/browser/gallery_test.ts" };
  const other = { name: "a form", file: "./test/form_test.ts" };
  const rows = [
    ["\x1b[38;5;245m./test/browser/gallery_test.ts =>\x1b[0m the gallery ... \x1b[31mFAILED\x1b[0m (3ms)", failure],
    ["./test/browser/gallery_test.ts => the gallery ... Firefly: phaser ... FAILED (3ms)", failure],
    ["./test/browser/gallery_test.ts => the gallery ... FAILED (due to 1 failed step) (5s)", failure],
    ["./test/browser/gallery_test.ts => the gallery ... ok (3ms)", undefined],
    ["running 3 tests from ./test/form_test.ts", undefined],
    ["a form ... FAILED (3ms)", other],
    ["a form ... ok (3ms)", undefined],
    ["  a step ... FAILED (3ms)", undefined],
    ["a form => ./test/rest/scenario.ts:63:10", undefined],
    ["FAILED | 0 passed | 1 failed (5ms)", undefined],
  ] as const;
  for (const [line, expected] of rows) deepStrictEqual(readFailure(line), expected, line);
});

Deno.test("what fails twice has failed; what fails once has passed", () => {
  const first = { passed: 8, failed: 3, skipped: 1 };
  deepStrictEqual(tallyAgain(first, { passed: 4, failed: 1, skipped: 0 }), { passed: 10, failed: 1, skipped: 1 });
  deepStrictEqual(tallyAgain(first, { passed: 4, failed: 0, skipped: 0 }), { passed: 11, failed: 0, skipped: 1 });
  deepStrictEqual(tallyAgain(first, { passed: 0, failed: 5, skipped: 0 }), first);
});
