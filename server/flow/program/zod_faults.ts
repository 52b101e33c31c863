/** Faults of a program from the issues that zod found. */
import type { z } from "zod";
import { messageOf } from "../../input/messages.ts";
import type { Fault } from "../steps/step_type.ts";

type Issue = z.core.$ZodIssue;

/** One fault for each path. zod reports all unknown keys of an object in one issue, and all choices of a union. */
export const faultsOf = (issues: readonly Issue[]): Fault[] =>
  issues.flatMap((issue) => flat(issue)).flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ path: textPath([...issue.path, key]), message: "is not a known field" }))
      : [{ path: textPath(issue.path), message: wordsOf(issue) }]
  );

/**
 * Replaces the issue of a union by the issues of the choice that its author meant: the one with the fewest unknown
 * keys.
 */
function flat(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0 || issue.message !== "Invalid input") return [issue];
  const distance = (issues: Issue[]) =>
    issues.reduce((sum, { code, path, ...more }) => {
      if (path.length > 0) return sum;
      return sum + (code === "invalid_type" ? 1_000 : "keys" in more ? more.keys.length : 0);
    }, 0);
  const [meant = []] = issue.errors.toSorted((a, b) => distance(a) - distance(b));
  return meant.flatMap((inner) => flat({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** Each pattern in a step's shape has its own message. An empty list is reported as blank. */
function wordsOf(issue: Issue): string {
  if (issue.code === "invalid_format") return issue.message;
  return issue.code === "too_small" && issue.origin === "array" ? "can't be blank" : messageOf(issue);
}

const textPath = (path: PropertyKey[]) => path.map((key) => typeof key === "symbol" ? String(key) : key);
