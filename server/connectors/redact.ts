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
  const known = [...new Set(secrets.filter((secret) => secret.length >= 4))];
  if (known.length === 0) return OPEN;
  const forms = [...new Set(known.flatMap(encodedForms))].toSorted((a, b) => b.length - a.length);
  const any = new RegExp([...known.map(anySpelling), ...forms.map(escaped)].join("|"), "gi");
  // Of a body of millions of values most are told apart without a search.
  const shortest = Math.min(...[...known, ...forms].map(({ length }) => length));
  const in_numbers = known.some((form) => /^[\d.e+-]+$/i.test(form));
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

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** A pattern for the secret, with each sign that is no letter and no digit in any of the ways that others write it. */
const anySpelling = (secret: string): string =>
  [...secret].map((sign) => {
    if (/^[A-Za-z0-9]$/.test(sign)) return sign;
    const written = [...new Set(spellingsOf(sign))].toSorted((a, b) => b.length - a.length);
    return `(?:${written.map(escaped).join("|")})`;
  }).join("");

/** As it is, in JSON and JavaScript, in an address, in an address within an address, in HTML. */
function spellingsOf(sign: string): string[] {
  const code = sign.codePointAt(0) ?? 0;
  const bytes = [...Buffer.from(sign.toWellFormed())].map((byte) => byte.toString(16).padStart(2, "0"));
  const units = Array.from({ length: sign.length }, (_, at) => sign.charCodeAt(at).toString(16).padStart(4, "0"));
  const named = NAMED[sign];
  return [
    sign,
    JSON.stringify(sign).slice(1, -1),
    units.map((unit) => `\\u${unit}`).join(""),
    bytes.map((byte) => `%${byte}`).join(""),
    bytes.map((byte) => `%25${byte}`).join(""),
    `&#${code};`,
    `&#x${code.toString(16)};`,
    ...code < 256 ? [`\\x${code.toString(16).padStart(2, "0")}`] : [],
    ...sign === "/" ? ["\\/"] : [],
    ...sign === " " ? ["+"] : [],
    ...named ? [`&${named};`] : [],
  ];
}

const NAMED: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

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
  return all.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_"), encodeURIComponent(form)]);
}
