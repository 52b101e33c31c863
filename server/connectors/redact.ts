/** Blots secrets out by their value, in whatever way an answer or a message may write them. */
import { Buffer } from "node:buffer";
import type { JsonValue } from "./connectors.ts";

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
  const forms = [...new Set(secrets.filter((secret) => secret.length >= 4).flatMap(formsOf))]
    .toSorted((a, b) => b.length - a.length);
  if (forms.length === 0) return OPEN;
  const any = new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "gi");
  // Of a body of millions of values most are told apart without a search.
  const shortest = forms.at(-1)?.length ?? 0;
  const in_numbers = forms.some((form) => /^[\d.e+-]+$/i.test(form));
  const text = (text: string) => text.length < shortest ? text : text.replace(any, REDACTED);
  const json = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return text(value);
    if (typeof value === "number") return in_numbers && text(`${value}`) !== `${value}` ? REDACTED : value;
    if (Array.isArray(value)) return value.map(json);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), json(inner)]));
  };
  return { text, json };
}

function formsOf(secret: string): string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams([["", secret]]).toString().slice(1),
    secret.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`),
    secret.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;"),
    ...base64Forms(Buffer.from(secret)),
  ];
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
  return all.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_"), encodeURIComponent(form)]);
}
