/** Reads a text in the ways that others may have written it, and knows of each character where it stood. */

/** A text that was read from another one. */
export interface Reading {
  text: string;
  /** Where each character begins in the text that was read, and at last that one's length. */
  at: Uint32Array;
}

/** What stands at a place: a character, and how many it was written in. */
type Sign = [code_point: number, length: number];

interface Spelling {
  /** What each of its signs begins with: one character, or either of two. */
  leads: string;
  read(text: string, at: number): Sign | undefined;
}

/** Not `parseInt`, which takes signs and spaces, and needs a text of its own. */
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

const ESCAPED: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", 0: "\0" };

/** JSON, JavaScript and what adds slashes: `\"`, `\/`, `\n`, `\u0027`, `\x27`. */
const json: Spelling = {
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
      // Halves of a pair are signs of their own, one after the other.
      const unit = hexAt(text, at + 2, 4);
      return unit === undefined ? undefined : [unit, 6];
    }
    const escaped = ESCAPED[sign];
    return escaped === undefined ? undefined : [escaped.charCodeAt(0), 2];
  },
};

/** An address: `%2F`, and `%C3%B6` for a character of two bytes. */
const address: Spelling = {
  leads: "%",
  read(text, at) {
    const first = hexAt(text, at + 1, 2);
    if (first === undefined) return undefined;
    if (first < 0x80) return [first, 3];
    const count = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    if (count === 0) return undefined;
    let code = first & (0xff >> (count + 1));
    for (let more = 1; more < count; more++) {
      const place = at + 3 * more;
      const next = text[place] === "%" ? hexAt(text, place + 1, 2) : undefined;
      if (next === undefined || next >> 6 !== 2) return undefined;
      code = (code << 6) | (next & 0x3f);
    }
    return code > 0x10ffff ? undefined : [code, 3 * count];
  },
};

/** An address's query, where a plus is a space. */
const query: Spelling = {
  leads: "%+",
  read: (text, at) => text[at] === "+" ? [0x20, 1] : address.read(text, at),
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
const html: Spelling = {
  leads: "&",
  read(text, at) {
    ENTITY.lastIndex = at;
    const [written, decimal, hex, name] = ENTITY.exec(text) ?? [];
    if (written === undefined) return undefined;
    const code = name !== undefined ? NAMED[name.toLowerCase()] : decimal ? Number(decimal) : parseInt(hex ?? "", 16);
    return code === undefined || code > 0x10ffff ? undefined : [code, written.length];
  },
};

/** @returns undefined where nothing in it is written so */
function readAs({ leads, read }: Spelling, text: string): Reading | undefined {
  if (![...leads].some((lead) => text.includes(lead))) return undefined;
  const parts: string[] = [];
  const at = new Uint32Array(text.length + 1);
  let [length, plain, changed] = [0, 0, false];
  const [one, other = one] = [...leads].map((lead) => lead.charCodeAt(0));
  for (let place = 0; place < text.length;) {
    const unit = text.charCodeAt(place);
    const sign = unit === one || unit === other ? read(text, place) : undefined;
    if (!sign) {
      at[length++] = place++;
      continue;
    }
    changed = true;
    const [code, written] = sign;
    const character = String.fromCodePoint(code);
    parts.push(text.slice(plain, place), character);
    for (let unit = 0; unit < character.length; unit++) at[length++] = place;
    place += written;
    plain = place;
  }
  if (!changed) return undefined;
  parts.push(text.slice(plain));
  at[length] = text.length;
  return { text: parts.join(""), at: at.subarray(0, length + 1) };
}

/** In place: it is nobody else's. */
function through(inner: Uint32Array, outer: Uint32Array): Uint32Array {
  for (let unit = 0; unit < inner.length; unit++) inner[unit] = outer[inner[unit] ?? 0] ?? 0;
  return inner;
}

/**
 * Each way, and each within another: an address within an address, HTML in JSON.
 *
 * @param has_space whether a plus may stand for a space that is looked for
 */
export function* readingsOf(text: string, has_space: boolean): Generator<Reading> {
  const spellings = has_space ? [json, address, query, html] : [json, address, html];
  for (const outer of spellings) {
    const reading = readAs(outer, text);
    if (!reading) continue;
    yield reading;
    for (const inner of spellings) {
      const within = readAs(inner, reading.text);
      if (within) yield { text: within.text, at: through(within.at, reading.at) };
    }
  }
}
