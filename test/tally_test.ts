import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { closingLine, readClosingLine, readFailure, settle, sum, tallyAgain } from "./tally.ts";

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

Deno.test("failures are read with their files, steps too, and nothing else is one", () => {
  const step = "the gallery in a browser ... Firefly: phaser => ./test/browser/gallery_test.ts:36:15";
  deepStrictEqual(readFailure(`\x1b[31m${step}\x1b[0m`), {
    name: "the gallery in a browser ... Firefly: phaser",
    file: "./test/browser/gallery_test.ts",
  });
  strictEqual(readFailure("./test/a_test.ts => a ... ok (3ms)"), undefined);
  strictEqual(readFailure("    at file:///tmp/gate/test/a_test.ts:21:10"), undefined);
});

Deno.test("what fails twice has failed; what fails once has passed", () => {
  const first = { passed: 8, failed: 3, skipped: 1 };
  deepStrictEqual(tallyAgain(first, { passed: 4, failed: 1, skipped: 0 }), { passed: 10, failed: 1, skipped: 1 });
  deepStrictEqual(tallyAgain(first, { passed: 4, failed: 0, skipped: 0 }), { passed: 11, failed: 0, skipped: 1 });
  deepStrictEqual(tallyAgain(first, { passed: 0, failed: 5, skipped: 0 }), first);
});
