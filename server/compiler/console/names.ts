/**
 * Names the files of a bundle after their content. esbuild's names also depend on the folders of the project and of the
 * packages, so that the same sources have other names on another machine.
 */
import { createHash } from "node:crypto";

/** What esbuild writes: `chunk-4AXW7RIG.js`. */
const NAME = /[\w-]+-[A-Z0-9]{8}\.(?:js|css)/g;
const HASH = /[A-Z0-9]{8}(?=\.\w+$)/;
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * A name is of the content of its file and of all files that this file leads to, which may lead back to it.
 *
 * @param contents by esbuild's name
 * @returns the new name of each file
 * @throws {Error} if two files would have one name
 */
export function namesByContent(contents: ReadonlyMap<string, Uint8Array>): Map<string, string> {
  const own = new Map<string, string>();
  const next = new Map<string, string[]>();
  for (const [name, body] of contents) {
    const named = new Set<string>();
    const text = replaceNames(body, (other) => {
      if (!contents.has(other)) return other;
      named.add(other);
      return other.replace(HASH, "");
    });
    own.set(name, digestOf([text]).toHex());
    next.set(name, [...named]);
  }
  const ownOf = (name: string) => own.get(name) ?? "";
  const names = new Map<string, string>();
  for (const name of contents.keys()) {
    const direct = (next.get(name) ?? []).map(ownOf);
    const digest = digestOf([ownOf(name), ...direct, ...reachable(name, next).map(ownOf).toSorted()]);
    const hash = Array.from(digest.subarray(0, 8), (byte) => DIGITS[byte % DIGITS.length]).join("");
    names.set(name, name.replace(HASH, hash));
  }
  if (new Set(names.values()).size < names.size) throw new Error("two files of the bundle have one name");
  return names;
}

/** @returns the files with their new names, and with these names in them */
export function renamed(
  contents: ReadonlyMap<string, Uint8Array>,
  names: ReadonlyMap<string, string>,
): Map<string, Uint8Array> {
  const nameOf = (name: string) => names.get(name) ?? name;
  return new Map(
    [...contents].map(([name, body]) => [nameOf(name), new TextEncoder().encode(replaceNames(body, nameOf))]),
  );
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const replaceNames = (body: Uint8Array, replace: (name: string) => string) =>
  decoder.decode(body).replace(NAME, replace);

/** Without the file itself, unless another one leads back to it. */
function reachable(name: string, next: ReadonlyMap<string, string[]>): string[] {
  const seen = new Set<string>();
  const todo = [...next.get(name) ?? []];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    todo.push(...next.get(at) ?? []);
  }
  return [...seen];
}

function digestOf(texts: string[]): Uint8Array {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return new Uint8Array(hash.digest());
}
