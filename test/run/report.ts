/** Reads the JUnit report that `deno test --junit-path` writes, and adds up the reports of several runs. */
import { parseXml, XmlElement } from "../packages/parse_xml.ts";

export interface Outcome {
  passed: number;
  skipped: number;
  failures: Failure[];
}

export interface Failure {
  /** The test's, with its file. */
  name: string;
  /** What was thrown, and by which lines; "" if the report does not say. */
  reason: string;
}

/** How one `deno test` process ended. */
export interface Ended {
  /** The JUnit report; undefined if the process ended without writing one. */
  report: string | undefined;
  code: number;
  /** Whether `--filter` was used: tests that never ran are filtered out then, and failures otherwise. */
  filtered: boolean;
}

/**
 * The outcome of one `deno test` process. The exit code outranks the report: the report leaves out errors outside a
 * test (in the top level of a file, in a hook), so a failed process without a failed test counts as one failure.
 */
export function readOutcome({ report, code, filtered }: Ended): Outcome {
  const outcome = report === undefined
    ? { passed: 0, skipped: 0, failures: [] }
    : countCases(readCases(report), filtered);
  if (code === 0 || outcome.failures.length > 0) return outcome;
  const reason = report === undefined ? "deno test ended before its first test" : "an error outside a test";
  return { ...outcome, failures: [{ name: `${reason} (exit code ${code}); its output names the file`, reason: "" }] };
}

interface Case {
  name: string;
  /** The test file that a failure's stack names, or that declares the test. Several files may run in one module. */
  file: string | undefined;
  state: "passed" | "failed" | "skipped" | "never ran";
  reason: string;
}

/** Of a failure's text. The rest is in the output of `deno test`. */
const MOST_REASON_CHARS = 1500;

function readCases(report: string): Case[] {
  const suites = elements(parseXml(report).root);
  const cases = suites.flatMap(elements).map((element) => ({
    name: element.attributes.name ?? "",
    file: fileOf(element),
    state: stateOf(element),
    reason: textOf(element),
  }));
  const names = new Set(cases.map(({ name }) => name));
  // A test whose step failed has only the number of its failed steps.
  const reasonOf = ({ name, reason }: Case) =>
    [reason, ...cases.filter((step) => step.name.startsWith(`${name} > `)).map((step) => step.reason)]
      .filter((text) => text !== "").join("\n").slice(0, MOST_REASON_CHARS);
  return cases.filter(({ name }) => !isStep(name, names)).map((one) => ({ ...one, reason: reasonOf(one) }));
}

/** The text of what failed; "" if nothing did. */
const textOf = (element: XmlElement): string =>
  elements(element).filter(({ name }) => name !== "skipped").map(({ text }) => text.trim()).join("\n");

const elements = (parent: XmlElement | null): XmlElement[] =>
  (parent?.children ?? []).filter((child) => child instanceof XmlElement);

/** A skipped case has a duration if the test is marked `ignore`, and none if the process never came to it. */
function stateOf(element: XmlElement): Case["state"] {
  const marks = new Set(elements(element).map(({ name }) => name));
  if (marks.has("failure") || marks.has("error")) return "failed";
  if (marks.has("skipped")) return element.attributes.time === undefined ? "never ran" : "skipped";
  return "passed";
}

function fileOf(element: XmlElement): string | undefined {
  return /[\w./-]*?\b((server|db|client|test)\/[\w./-]*_test\.tsx?)\b/.exec(
    `${textOf(element)}\n${element.attributes.classname}`,
  )?.[1];
}

/** Steps are reported like tests, named `test > step`. A failed step also fails its test. */
function isStep(name: string, names: ReadonlySet<string>): boolean {
  for (let at = name.indexOf(" > "); at !== -1; at = name.indexOf(" > ", at + 1)) {
    if (names.has(name.slice(0, at))) return true;
  }
  return false;
}

function countCases(cases: readonly Case[], filtered: boolean): Outcome {
  const count = (state: Case["state"]) => cases.filter((one) => one.state === state).length;
  const failures = cases.flatMap(({ name, file, state, reason }) => {
    if (state === "failed") return [{ name: file ? `${name} (${file})` : name, reason }];
    return state === "never ran" && !filtered ? [{ name: `${name} (never ran)`, reason }] : [];
  });
  return { passed: count("passed"), skipped: count("skipped"), failures };
}

export function sum(outcomes: readonly Outcome[]): Outcome {
  return {
    passed: outcomes.reduce((all, { passed }) => all + passed, 0),
    skipped: outcomes.reduce((all, { skipped }) => all + skipped, 0),
    failures: outcomes.flatMap(({ failures }) => failures),
  };
}

/** The last line of a run, which CI reads: `12 passed, 0 failed`, plus `, 3 skipped` if any were. */
export function closingLine({ passed, skipped, failures }: Outcome): string {
  return `${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
