/** Messages for zod issues, in the wording of Rails. */
import type { z } from "zod";
import type { Fields } from "../errors.ts";

type Issue = z.core.$ZodIssue;

/**
 * Groups the messages by dotted path.
 *
 * @param wrapper the object that contains a body's fields, for example `department`; the paths omit it
 */
export function fieldsOf(issues: readonly Issue[], wrapper?: string): Fields {
  const fields: Fields = {};
  const mistyped = new Set<string>();
  for (const issue of issues) {
    if (isOutdone(issue, issues)) continue;
    const keys = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    for (const path of keys) {
      const inner = path[0] === wrapper ? path.slice(1) : path;
      const field = inner.join(".") || "base";
      // After a wrong type, further issues of the field (such as its length) would not help.
      if (mistyped.has(field)) continue;
      if (issue.code === "invalid_type") mistyped.add(field);
      const messages = fields[field] ??= [];
      const message = messageOf(issue);
      if (!messages.includes(message)) messages.push(message);
    }
  }
  return fields;
}

/** Whether this is the limit of all integers, beside the field's own limit, which says more. */
const isOutdone = (issue: Issue, issues: readonly Issue[]): boolean =>
  issue.code === "too_big" && issue.maximum === Number.MAX_SAFE_INTEGER &&
  issues.some((other) => other !== issue && other.code === "too_big" && other.path.join(".") === issue.path.join("."));

/** For refusals that are one sentence: `page is not a number; sort is not included in the list`. */
export const sentenceOf = (fields: Fields): string =>
  Object.entries(fields).map(([field, messages]) => `${field} ${messages.join(", ")}`).join("; ");

export function messageOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return typeMessage(issue);
    case "too_small":
      if (issue.origin === "string") return shortMessage(Number(issue.minimum), "characters");
      if (issue.origin === "array") return shortMessage(Number(issue.minimum), "items");
      return `must be ${issue.inclusive === false ? "greater than" : "at least"} ${issue.minimum}`;
    case "too_big":
      if (issue.origin === "string") return tooLong(Number(issue.maximum));
      return issue.origin === "array"
        ? `is too long (maximum is ${issue.maximum} items)`
        : `must be at most ${issue.maximum}`;
    case "invalid_value":
      return "is not included in the list";
    case "unrecognized_keys":
      return "is not a known field";
    case "invalid_format":
      // A format without its own message has a default, such as "Invalid UUID".
      return issue.message.startsWith("Invalid ") ? "is invalid" : issue.message;
    case "custom":
      return issue.message;
    case "invalid_key":
      return keyMessage(issue.issues[0]);
    case "invalid_union":
      if (issue.discriminator !== undefined) return "is not included in the list";
      // A union without its own message has the default "Invalid input".
      return issue.message === "Invalid input" ? "is invalid" : issue.message;
    default:
      return "is invalid";
  }
}

/** A pattern of keys has its own message, a limit of their length has none. */
const keyMessage = (issue: Issue | undefined): string =>
  issue && issue.code === "too_small" ? messageOf(issue) : issue?.message ?? "is invalid";

export const tooLong = (maximum: number) => `is too long (maximum is ${maximum} characters)`;

const shortMessage = (minimum: number, what: "characters" | "items") =>
  minimum === 1 ? "can't be blank" : `is too short (minimum is ${minimum} ${what})`;

/** zod omits the input from its issues, so it is never logged. Whether a value was sent is read from the message. */
function typeMessage({ expected, message }: Extract<Issue, { code: "invalid_type" }>): string {
  if (/received (undefined|null)$/.test(message)) return "can't be blank";
  if (expected === "number") return "is not a number";
  if (expected === "int") return "must be an integer";
  const thing = expected === "record" ? "object" : expected;
  return `must be ${/^[aeiou]/.test(thing) ? "an" : "a"} ${thing}`;
}
