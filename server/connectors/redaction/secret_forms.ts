/** The ways in which an answer may write a secret, apart from escapes. */
import { Buffer } from "node:buffer";

export interface SecretForms {
  /** As they are, and as a part of any text. */
  all: string[];
  /** Base64 and hexadecimal, which may be wrapped: split by white space. */
  wrapped: string[];
}

export const SHORTEST_SECRET = 4;

/** Shorter pieces occur in too many innocent texts. */
const SHORTEST_PIECE = 8;

/** @param secrets also found without white space around them, because servers trim what they receive */
export function formsOf(secrets: readonly string[]): SecretForms {
  const trimmed = secrets.map((secret) => secret.trim()).filter(({ length }) => length >= SHORTEST_SECRET);
  const plain = [...new Set([...secrets, ...trimmed])];
  const encoded = plain.flatMap(encodedForms);
  return {
    all: [...new Set([...plain, ...encoded, ...plain.flatMap(misreadForms)])],
    wrapped: [...new Set(encoded.filter(({ length }) => length >= SHORTEST_PIECE))],
  };
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
  const all = [alone, ...inside.filter((piece) => piece.length >= SHORTEST_PIECE)];
  return all.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}

/** A service that reads UTF-8 as one of these writes `Ã©` for `é`. */
const ONE_BYTE = ["windows-1252", "iso-8859-2", "windows-1250"];

/**
 * What UTF-16 becomes where it is read as UTF-8, without its zeros, and UTF-8 where it is read as a code of one byte.
 * ASCII stays as it is.
 */
function misreadForms(secret: string): string[] {
  // deno-lint-ignore no-control-regex
  if (/^[\x00-\x7f]*$/.test(secret)) return [];
  const little = Buffer.from(secret, "utf16le");
  const as_utf8 = [little, Buffer.from(little).swap16()].map((bytes) => bytes.toString().replaceAll("\0", ""));
  const bytes = Buffer.from(secret);
  // A browser's `latin1` is windows-1252, which has other signs for 0x80 to 0x9f.
  return [...as_utf8, bytes.toString("latin1"), ...ONE_BYTE.map((code) => new TextDecoder(code).decode(bytes))];
}
