/** Redacts secrets by their value: as they are, encoded, or escaped. */
import type { JsonValue } from "../../input/json_value.ts";
import { createFinder, type Range } from "./aho_corasick.ts";
import { formsOf, SHORTEST_SECRET } from "./secret_forms.ts";
import { atOnce, EVENT_LOOP, inSlices, type Pace, SLICE, type Sliced } from "./slices.ts";
import { eachUnescaped, type Unescaped, without } from "./unescape.ts";

export const REDACTED = "[redacted]";

export interface Redactor {
  /** For short texts. */
  text(text: string): string;
  /**
   * Redacts keys, too. Long values are processed in slices.
   *
   * @throws the signal's reason, if that aborts meanwhile
   */
  json(value: JsonValue, signal?: AbortSignal): Promise<JsonValue>;
}

/** For connectors without a secret. */
export const NO_REDACTION: Redactor = { text: (text) => text, json: (value) => Promise.resolve(value) };

/** Lines of base64 and of hexadecimal digits are wrapped. */
const WHITE_SPACE = /\s+/g;
/** UTF-16 that is read as a code of one byte has a zero beside each ASCII character. */
// deno-lint-ignore no-control-regex
const ZEROS = /\x00+/g;

/** @param secrets those with fewer than four characters are ignored: they occur in too many innocent texts */
export function createRedactor(secrets: readonly string[], pace: Pace = EVENT_LOOP): Redactor {
  const known = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  if (known.length === 0) return NO_REDACTION;
  const { all, wrapped } = formsOf(known);
  const find = createFinder(all);
  const findWrapped = createFinder(wrapped);
  // Most of the values in a large body are shorter than this and need no search.
  const shortest = Math.min(...all.map(({ length }) => length));
  const has_space = known.some((secret) => secret.includes(" "));
  const in_numbers = known.some((form) => /^[\d.e+-]+$/i.test(form.trim()));

  function* redacted(text: string): Sliced<string> {
    if (text.length < shortest) return text;
    const found = yield* find(text);
    function* search(reading: Unescaped | undefined, may_be_wrapped = true): Sliced<void> {
      const { text: read, origin } = reading ?? { text };
      const note = (from: number, until: number) =>
        found.push(origin ? [origin[from] ?? 0, origin[until] ?? text.length] : [from, until]);
      if (reading) { for (const [from, until] of yield* find(read)) note(from, until); }
      if (may_be_wrapped) yield* searchWithout(WHITE_SPACE, read, findWrapped, note);
      if (read.includes("\0")) yield* searchWithout(ZEROS, read, find, note);
    }
    yield* search(undefined);
    yield* eachUnescaped(text, has_space, search);
    return found.length === 0 ? text : yield* replaced(text, found);
  }

  const text = (text: string) => atOnce(redacted(text));

  /** Characters and values since the last yield. */
  let work = 0;
  function* redactedJson(value: JsonValue): Sliced<JsonValue> {
    if (++work > SLICE) {
      work = 0;
      yield;
    }
    if (typeof value === "string") {
      work += value.length;
      return yield* redacted(value);
    }
    if (typeof value === "number") return in_numbers && text(`${value}`) !== `${value}` ? REDACTED : value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      const items: JsonValue[] = [];
      for (const item of value) items.push(yield* redactedJson(item));
      return items;
    }
    const entries: [string, JsonValue][] = [];
    for (const [key, inner] of Object.entries(value)) {
      work += key.length;
      entries.push([yield* redacted(key), yield* redactedJson(inner)]);
    }
    return Object.fromEntries(entries);
  }

  return { text, json: (value, signal) => inSlices(redactedJson(value), pace, signal) };
}

/** Searches the text without what the pattern matches. Reports matches by their place in the text. */
function* searchWithout(
  pattern: RegExp,
  text: string,
  find: ReturnType<typeof createFinder>,
  note: (from: number, until: number) => void,
): Sliced<void> {
  const kept = yield* without(pattern, text);
  if (!kept) return;
  for (const [from, until] of yield* find(kept.text)) note(kept.origin[from] ?? 0, (kept.origin[until - 1] ?? 0) + 1);
}

/** Replaces overlapping matches by one `[redacted]`. */
function* replaced(text: string, found: Range[]): Sliced<string> {
  const parts: string[] = [];
  let shown = 0;
  let end = 0;
  let work = 0;
  for (const [from, until] of found.toSorted(([a], [b]) => a - b)) {
    if (++work % SLICE === 0) yield;
    if (from >= end) {
      parts.push(text.slice(shown, from), REDACTED);
      shown = until;
    }
    end = Math.max(end, until);
    shown = end;
  }
  return parts.join("") + text.slice(shown);
}
