/** What one run of `deno test` counted, or several together. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

// deno-lint-ignore no-control-regex -- colours are control characters
const COLOUR = /\x1b\[[0-9;]*m/g;
const CLOSING = /^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed(.*)$/;

/**
 * Reads the closing line of `deno test`, `ok | 12 passed (3 steps) | 0 failed | 1 ignored (2s)`, or gives undefined for
 * any other line. The JUnit report is no substitute: it leaves out files that failed before their first test.
 */
export function readClosingLine(line: string): Tally | undefined {
  const [, passed, failed, rest] = CLOSING.exec(line.replaceAll(COLOUR, "").trim()) ?? [];
  if (passed === undefined || failed === undefined) return undefined;
  return {
    passed: Number(passed),
    failed: Number(failed),
    skipped: Number(/(\d+) ignored/.exec(rest ?? "")?.[1] ?? 0),
  };
}

const FILE = /^running \d+ tests? from (\.\/\S+)$/;
const FAILURE = /^(?:(\.\/\S+_test\.tsx?) => )?(\S.*?) \.\.\. (?:.* \.\.\. )?FAILED \(/;

/**
 * Reads which test failed, in which file, from the lines as they come: with several files at once each line names its
 * own, else one before them does. The list at the end names the place where a test was registered, which may be a
 * helper's.
 */
export function createFailureReader(): (line: string) => { name: string; file: string } | undefined {
  let current: string | undefined;
  return (line) => {
    const text = line.replaceAll(COLOUR, "").trimEnd();
    current = FILE.exec(text)?.[1] ?? current;
    const [, file = current, name] = FAILURE.exec(text) ?? [];
    return name && file ? { name, file } : undefined;
  };
}

/** The tally of a run that ended with `code`. A run that failed without saying so in numbers counts as one failure. */
export function settle(closing: Tally | undefined, code: number): Tally {
  const tally = closing ?? { passed: 0, failed: 0, skipped: 0 };
  return code !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally;
}

/** What a run comes to whose failures were tried again: those that did not fail twice have passed. */
export function tallyAgain(first: Tally, again: Tally): Tally {
  const failed = Math.min(first.failed, again.failed);
  return { ...first, passed: first.passed + first.failed - failed, failed };
}

/** All runs together. */
export function sum(tallies: readonly Tally[]): Tally {
  return tallies.reduce((all, one) => ({
    passed: all.passed + one.passed,
    failed: all.failed + one.failed,
    skipped: all.skipped + one.skipped,
  }), { passed: 0, failed: 0, skipped: 0 });
}

/** The one line that CI reads: `12 passed, 0 failed`, and `, 3 skipped` where any were. */
export function closingLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
