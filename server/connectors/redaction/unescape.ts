/** Undoes the escapes of JSON, URLs and HTML, and maps each unescaped character to its position in the original. */
import { SLICE, type Sliced } from "./slices.ts";

export interface Unescaped {
  text: string;
  /** For each character the index of its origin in the original text; the last entry is that text's length. */
  origin: Uint32Array;
}

/** An escape sequence: the character it stands for, and the length of the sequence. */
type Escape = [code_point: number, length: number];

interface Syntax {
  /** The one or two characters that an escape sequence begins with. */
  leads: string;
  read(text: string, at: number): Escape | undefined;
}

/** Unlike `parseInt` it refuses signs and spaces, and it copies no text. */
function hexAt(text: string, from: number, digits: number): number | undefined {
  let value = 0;
  for (let at = from; at < from + digits; at++) {
    const unit = text.charCodeAt(at);
    const digit = unit >= 48 && unit <= 57
      ? unit - 48
      : (unit | 32) >= 97 && (unit | 32) <= 102
      ? (unit | 32) - 87
      : -1;
    if (digit < 0) return undefined;
    value = value * 16 + digit;
  }
  return value;
}

const LETTERS: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", 0: "\0" };

/** JSON, JavaScript and functions that add slashes: `\"`, `\/`, `\n`, `\u0027`, `\x27`. */
const json: Syntax = {
  leads: "\\",
  read(text, at) {
    const sign = text[at + 1];
    if (sign === undefined) return undefined;
    if (`"'\`\\/`.includes(sign)) return [sign.charCodeAt(0), 2];
    if (sign === "x") {
      const code = hexAt(text, at + 2, 2);
      return code === undefined ? undefined : [code, 4];
    }
    if (sign === "u") {
      // A surrogate pair is two escape sequences.
      const unit = hexAt(text, at + 2, 4);
      return unit === undefined ? undefined : [unit, 6];
    }
    const escaped = LETTERS[sign];
    return escaped === undefined ? undefined : [escaped.charCodeAt(0), 2];
  },
};

/** URLs: `%2F`, and `%C3%B6` for a character of two bytes. */
const url: Syntax = {
  leads: "%",
  read(text, at) {
    const first = hexAt(text, at + 1, 2);
    if (first === undefined) return undefined;
    if (first < 0x80) return [first, 3];
    const count = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    if (count === 0) return undefined;
    let code = first & (0xff >> (count + 1));
    for (let more = 1; more < count; more++) {
      const lead = at + 3 * more;
      const next = text[lead] === "%" ? hexAt(text, lead + 1, 2) : undefined;
      if (next === undefined || next >> 6 !== 2) return undefined;
      code = (code << 6) | (next & 0x3f);
    }
    return code > 0x10ffff ? undefined : [code, 3 * count];
  },
};

/** The query of a URL, in which `+` is a space. */
const query: Syntax = {
  leads: "%+",
  read: (text, at) => text[at] === "+" ? [0x20, 1] : url.read(text, at),
};

const NAMED: Readonly<Record<string, number>> = {
  amp: 0x26,
  lt: 0x3c,
  gt: 0x3e,
  quot: 0x22,
  apos: 0x27,
  sol: 0x2f,
  plus: 0x2b,
  equals: 0x3d,
};
const ENTITY = /&(?:#(\d{1,9})|#x([0-9a-f]{1,8})|([a-z]{2,6}));/iy;

/** HTML and XML: `&amp;`, `&#38;`, `&#038;`, `&#x26;`. */
const html: Syntax = {
  leads: "&",
  read(text, at) {
    ENTITY.lastIndex = at;
    const [written, decimal, hex, name] = ENTITY.exec(text) ?? [];
    if (written === undefined) return undefined;
    const code = name !== undefined ? NAMED[name.toLowerCase()] : decimal ? Number(decimal) : parseInt(hex ?? "", 16);
    return code === undefined || code > 0x10ffff ? undefined : [code, written.length];
  },
};

/** @returns undefined if the text contains no such escape sequence */
function* unescaped({ leads, read }: Syntax, text: string): Sliced<Unescaped | undefined> {
  if (![...leads].some((lead) => text.includes(lead))) return undefined;
  const parts: string[] = [];
  const origin = new Uint32Array(text.length + 1);
  let [length, plain, changed] = [0, 0, false];
  const [one, other = one] = [...leads].map((lead) => lead.charCodeAt(0));
  for (let at = 0, next = SLICE; at < text.length;) {
    if (at >= next) {
      yield;
      next = at + SLICE;
    }
    const unit = text.charCodeAt(at);
    const escape = unit === one || unit === other ? read(text, at) : undefined;
    if (!escape) {
      origin[length++] = at++;
      continue;
    }
    changed = true;
    const [code, written] = escape;
    const character = String.fromCodePoint(code);
    parts.push(text.slice(plain, at), character);
    for (let unit = 0; unit < character.length; unit++) origin[length++] = at;
    at += written;
    plain = at;
  }
  if (!changed) return undefined;
  parts.push(text.slice(plain));
  origin[length] = text.length;
  return { text: parts.join(""), origin: origin.subarray(0, length + 1) };
}

/** The text without the characters that the pattern matches. @param pattern global. @returns undefined without one */
export function* without(pattern: RegExp, text: string): Sliced<Unescaped | undefined> {
  const parts: string[] = [];
  const origin = new Uint32Array(text.length + 1);
  let length = 0;
  let changed = false;
  for (let from = 0; from < text.length; from += SLICE) {
    if (from > 0) yield;
    const slice = text.slice(from, from + SLICE);
    let plain = 0;
    for (const { 0: dropped, index } of slice.matchAll(pattern)) {
      changed = true;
      parts.push(slice.slice(plain, index));
      for (let at = plain; at < index; at++) origin[length++] = from + at;
      plain = index + dropped.length;
    }
    parts.push(slice.slice(plain));
    for (let at = plain; at < slice.length; at++) origin[length++] = from + at;
  }
  if (!changed) return undefined;
  origin[length] = text.length;
  return { text: parts.join(""), origin: origin.subarray(0, length + 1) };
}

/** Maps the origins of the second unescaping through those of the first. Changes `inner`. */
function composed(inner: Uint32Array, outer: Uint32Array): Uint32Array {
  for (let unit = 0; unit < inner.length; unit++) inner[unit] = outer[inner[unit] ?? 0] ?? 0;
  return inner;
}

/**
 * Unescapes the text by each syntax, and by each pair of syntaxes: an encoded URL inside a URL, HTML inside JSON.
 *
 * @param has_space whether a secret contains a space, which a query may write as `+`
 * @param use is called for each unescaped text, with false for those of a pair
 */
export function* eachUnescaped(
  text: string,
  has_space: boolean,
  use: (form: Unescaped, is_single: boolean) => Sliced<void>,
): Sliced<void> {
  const syntaxes = has_space ? [json, url, query, html] : [json, url, html];
  for (const outer of syntaxes) {
    const once = yield* unescaped(outer, text);
    if (!once) continue;
    yield* use(once, true);
    for (const inner of syntaxes) {
      const twice = yield* unescaped(inner, once.text);
      if (twice) yield* use({ text: twice.text, origin: composed(twice.origin, once.origin) }, false);
    }
  }
}
