/** Processes that cannot start. */
import assert from "node:assert/strict";
import { type End, type Environment, run } from "../launch.ts";

/** Proves that it ends with code 1, these lines and nothing else. */
export async function refuses(environment: Environment, lines: RegExp[], ...args: string[]): Promise<End> {
  const end = await run(environment, ...args);
  const { code, stdout, stderr } = end;
  assert.equal(code, 1, stderr);
  assert.doesNotMatch(stdout, /^(?!\{)./m, "nothing but its log");
  assert.equal(stderr.trimEnd().split("\n").length, lines.length, stderr);
  stderr.trimEnd().split("\n").forEach((line, index) => assert.match(line, lines[index] ?? /^$/));
  assert.doesNotMatch(stderr, /^\s+at |\.ts:\d+/m, "no stack");
  return end;
}
