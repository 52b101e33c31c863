/** Blots secrets out by their value, in whatever way an answer or a message may write them. */
import { Buffer } from "node:buffer";
import type { JsonValue } from "../../input/json_value.ts";
import { createFinder, type Range } from "./needles.ts";
import { readingsOf } from "./spellings.ts";

export const REDACTED = "[redacted]";

export interface Redactor {
  text(text: string): string;
  /** Keys, too. */
  json(value: JsonValue): JsonValue;
}

/** Nothing to hide. */
export const OPEN: Redactor = { text: (text) => text, json: (value) => value };

/** @param secrets texts of four characters or more; shorter ones would blot out half of what is said */
export function createRedactor(secrets: readonly string[]): Redactor {
  const known = [...new Set(secrets.filter((secret) => secret.length >= 4))];
  if (known.length === 0) return OPEN;
  const forms = [...new Set([...known, ...known.flatMap(encodedForms)])];
  const find = createFinder(forms);
  // Of a body of millions of values most are told apart without a search.
  const shortest = Math.min(...forms.map(({ length }) => length));
  const has_space = known.some((secret) => secret.includes(" "));
  const in_numbers = known.some((form) => /^[\d.e+-]+$/i.test(form));
  const text = (text: string) => {
    if (text.length < shortest) return text;
    const found = find(text);
    for (const { text: read, at } of readingsOf(text, has_space)) {
      for (const [from, until] of find(read)) found.push([at[from] ?? 0, at[until] ?? text.length]);
    }
    return found.length === 0 ? text : blotted(text, found);
  };
  const json = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return text(value);
    if (typeof value === "number") return in_numbers && text(`${value}`) !== `${value}` ? REDACTED : value;
    if (Array.isArray(value)) return value.map(json);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), json(inner)]));
  };
  return { text, json };
}

/** One word for what overlaps. */
function blotted(text: string, found: Range[]): string {
  const parts: string[] = [];
  let shown = 0;
  let end = 0;
  for (const [from, until] of found.toSorted(([a], [b]) => a - b)) {
    if (from >= end) {
      parts.push(text.slice(shown, from), REDACTED);
      shown = until;
    }
    end = Math.max(end, until);
    shown = end;
  }
  return parts.join("") + text.slice(shown);
}

function encodedForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [bytes.toString("hex"), ...base64Forms(bytes)];
}

/** Alone, and inside a longer text at each of the three ways that bytes fall on characters. */
function base64Forms(bytes: Buffer): string[] {
  const alone = bytes.toString("base64").replace(/=+$/, "");
  const inside = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const text = whole.toString("base64").replace(/=+$/, "");
    return text.slice(before === 0 ? 0 : before + 1, whole.length % 3 === 0 ? undefined : -1);
  });
  // Shorter pieces stand in many an innocent text.
  const all = [alone, ...inside.filter((piece) => piece.length >= 8)];
  return all.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}
