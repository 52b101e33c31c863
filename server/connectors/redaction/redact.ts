/** Redacts secrets by their value: as they are, encoded, or escaped. */
import { Buffer } from "node:buffer";
import type { JsonValue } from "../../input/json_value.ts";
import { createFinder, type Range } from "./aho_corasick.ts";
import { unescapedForms } from "./unescape.ts";

export const REDACTED = "[redacted]";

export interface Redactor {
  text(text: string): string;
  /** Redacts keys, too. */
  json(value: JsonValue): JsonValue;
}

/** For connectors without a secret. */
export const NO_REDACTION: Redactor = { text: (text) => text, json: (value) => value };

/** @param secrets those with fewer than four characters are ignored: they occur in too many innocent texts */
export function createRedactor(secrets: readonly string[]): Redactor {
  const known = [...new Set(secrets.filter((secret) => secret.length >= 4))];
  if (known.length === 0) return NO_REDACTION;
  const forms = [...new Set([...known, ...known.flatMap(encodedForms)])];
  const find = createFinder(forms);
  // Most of the values in a large body are shorter than this and need no search.
  const shortest = Math.min(...forms.map(({ length }) => length));
  const has_space = known.some((secret) => secret.includes(" "));
  const in_numbers = known.some((form) => /^[\d.e+-]+$/i.test(form));
  const text = (text: string) => {
    if (text.length < shortest) return text;
    const found = find(text);
    for (const { text: unescaped, origin } of unescapedForms(text, has_space)) {
      for (const [from, until] of find(unescaped)) found.push([origin[from] ?? 0, origin[until] ?? text.length]);
    }
    return found.length === 0 ? text : replaced(text, found);
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

/** Replaces overlapping matches by one `[redacted]`. */
function replaced(text: string, found: Range[]): string {
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

/** Base64 of the secret alone, and as part of a longer text at each of the three alignments of bytes to characters. */
function base64Forms(bytes: Buffer): string[] {
  const alone = bytes.toString("base64").replace(/=+$/, "");
  const inside = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const text = whole.toString("base64").replace(/=+$/, "");
    return text.slice(before === 0 ? 0 : before + 1, whole.length % 3 === 0 ? undefined : -1);
  });
  // Shorter pieces occur in too many innocent texts.
  const all = [alone, ...inside.filter((piece) => piece.length >= 8)];
  return all.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}
