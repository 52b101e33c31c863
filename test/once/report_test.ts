import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { writeEntries } from "../run/bundles.ts";
import { closingLine, type Outcome, readOutcome, sum } from "../run/report.ts";

const REPORT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="8" failures="3" errors="1" time="1.531">
    <testsuite name="./helper.ts" tests="6" disabled="2" errors="1" failures="2">
        <testcase name="s &gt; &quot;t&quot;" classname="./helper.ts" time="0.001" line="1" col="88">
        </testcase>
        <testcase name="bad" classname="./helper.ts" time="0.000" line="1" col="88">
            <failure message="1 test step failed">1 test step failed.</failure>
        </testcase>
        <testcase name="bad" classname="./helper.ts" time="0.000" line="1" col="88">
            <failure message="no &lt;b&gt;">Error: no &lt;b&gt;</failure>
        </testcase>
        <testcase name="cancelled" classname="./helper.ts" time="0.000" line="1" col="88">
            <error message="Cancelled"/>
        </testcase>
        <testcase name="ignored" classname="./helper.ts" time="0.000" line="1" col="88">
            <skipped/>
        </testcase>
        <testcase name="filtered" classname="./helper.ts" line="1" col="88">
            <skipped/>
        </testcase>
    </testsuite>
    <testsuite name="./a_test.ts" tests="2" disabled="0" errors="0" failures="1">
        <testcase name="bad &gt; s1" classname="./a_test.ts" time="0.010" line="1" col="106">
            <failure message="1">1</failure>
        </testcase>
        <testcase name="s &gt; &quot;t&quot; &gt; s1 &gt; s2" classname="./a_test.ts" time="0.000" line="1" col="140">
        </testcase>
    </testsuite>
</testsuites>
`;

const EMPTY = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="0" failures="0" errors="0" time="0.000">
</testsuites>
`;

const names = ({ failures }: Outcome) => failures.map(({ name }) => name);

Deno.test("report: tests are counted without their steps, and each failure is named", () => {
  deepStrictEqual(readOutcome({ report: REPORT, code: 1, filtered: true }), {
    passed: 1,
    skipped: 1,
    failures: [
      { name: "bad", reason: "1 test step failed.\n1" },
      { name: "bad", reason: "Error: no <b>\n1" },
      { name: "cancelled", reason: "" },
    ],
  });
});

Deno.test("report: a failure names the file of its stack, or the one that declares the test", () => {
  const stack = "at scenario.ts:1:1\n at file:///tree/test/rest/apps/a_test.ts:3:5";
  const report = `<testsuites><testsuite name="x">
    <testcase name="one" classname="./test/stage/scenario.ts" time="1"><failure message="">${stack}</failure></testcase>
    <testcase name="two" classname="./server/flow/b_test.ts" time="1"><failure message="">Leaks</failure></testcase>
  </testsuite></testsuites>`;
  deepStrictEqual(names(readOutcome({ report, code: 1, filtered: false })), [
    "one (test/rest/apps/a_test.ts)",
    "two (server/flow/b_test.ts)",
  ]);
});

Deno.test("report: without a filter, a test that never ran has failed", () => {
  deepStrictEqual(names(readOutcome({ report: REPORT, code: 1, filtered: false })), [
    "bad",
    "bad",
    "cancelled",
    "filtered (never ran)",
  ]);
});

Deno.test("report: a process that failed without a failed test is one failure", () => {
  const reasons = [
    readOutcome({ report: EMPTY, code: 1, filtered: false }),
    readOutcome({ report: undefined, code: 143, filtered: true }),
  ].flatMap(names);
  deepStrictEqual(reasons, [
    "an error outside a test (exit code 1); its output names the file",
    "deno test ended before its first test (exit code 143); its output names the file",
  ]);
  deepStrictEqual(readOutcome({ report: EMPTY, code: 0, filtered: false }), { passed: 0, skipped: 0, failures: [] });
});

Deno.test("report: runs add up, and skipped tests are mentioned only if there are any", () => {
  const all = sum([{ passed: 3, skipped: 0, failures: [] }, {
    passed: 4,
    skipped: 2,
    failures: [{ name: "x", reason: "" }],
  }]);
  strictEqual(closingLine(all), "7 passed, 1 failed, 2 skipped");
  strictEqual(closingLine(sum([])), "0 passed, 0 failed");
});

async function outcomeOf(folder: string, file: string): Promise<Outcome> {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--no-config", "--junit-path=report.xml", file],
    cwd: folder,
    stdout: "null",
    stderr: "null",
  }).output();
  const report = await Deno.readTextFile(`${folder}/report.xml`).catch(() => undefined);
  return readOutcome({ report, code, filtered: false });
}

/** Errors that `deno test` leaves out of its report, or that keep it from writing one. */
const GAPS: [error: string, source: string, closing: string][] = [
  ["none", `Deno.test("a", () => {}); Deno.test.ignore("b", () => {});`, "1 passed, 0 failed, 1 skipped"],
  ["in the top level", `Deno.test("a", () => {}); throw new Error("top");`, "0 passed, 1 failed"],
  ["in an import", `import "./nowhere.ts"; Deno.test("a", () => {});`, "0 passed, 1 failed"],
  ["in a first hook", `Deno.test.beforeAll(() => { throw 1; }); Deno.test("a", () => {});`, "0 passed, 1 failed"],
  ["in a last hook", `Deno.test.afterAll(() => { throw 1; }); Deno.test("a", () => {});`, "1 passed, 1 failed"],
];

for (const [error, source, closing] of GAPS) {
  Deno.test(`report of deno test: an error ${error} is counted`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "atrium_report_" });
    try {
      await Deno.writeTextFile(`${folder}/a_test.ts`, source);
      strictEqual(closingLine(await outcomeOf(folder, "a_test.ts")), closing);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("report of deno test: a file of a bundle that cannot be imported fails the run", async () => {
  const folder = await Deno.makeTempDir({ prefix: "atrium_report_" });
  try {
    await Deno.writeTextFile(`${folder}/a_test.ts`, `Deno.test("a", () => {});`);
    await Deno.writeTextFile(`${folder}/b_test.ts`, `throw new Error("top");`);
    const [entry = ""] = await writeEntries([["a_test.ts", "b_test.ts"]], folder, pathToFileURL(`${folder}/`));
    strictEqual(closingLine(await outcomeOf(folder, entry)), "1 passed, 1 failed");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
