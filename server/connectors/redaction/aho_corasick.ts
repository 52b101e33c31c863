/**
 * Finds all occurrences of several needles in one pass (Aho and Corasick, 1975). Time is linear in the length of the
 * text. The search ignores ASCII case.
 */

import { SLICE, type Sliced } from "./slices.ts";

/** A match: index of its first character, and of the character after its last. */
export type Range = [from: number, until: number];

const fold = (unit: number): number => unit >= 65 && unit <= 90 ? unit + 32 : unit;

/**
 * One node for each prefix of a needle; node 0 is the empty prefix. Children form a linked list, because most nodes have
 * one child.
 */
class Trie {
  readonly #unit = [0];
  readonly #child = [0];
  readonly #sibling = [0];
  readonly #fail = [0];
  /** Length of the longest needle that ends at the node; 0 if none does. */
  readonly #longest = [0];
  /** Children of node 0 by their character. */
  readonly #first = new Map<number, number>();
  /** The same for ASCII characters, of which most texts consist. */
  readonly #ascii = new Uint32Array(0x80);

  constructor(needles: readonly string[]) {
    for (const needle of needles) this.#add(needle);
    this.#link();
  }

  #add(needle: string): void {
    let node = 0;
    for (let at = 0; at < needle.length; at++) {
      const unit = fold(needle.charCodeAt(at));
      node = this.#childOf(node, unit) || this.#grow(node, unit);
    }
    this.#longest[node] = needle.length;
  }

  #grow(parent: number, unit: number): number {
    const node = this.#unit.push(unit) - 1;
    this.#child.push(0);
    this.#fail.push(0);
    this.#longest.push(0);
    this.#sibling.push(parent === 0 ? 0 : this.#child[parent] ?? 0);
    if (parent !== 0) this.#child[parent] = node;
    else {
      this.#first.set(unit, node);
      if (unit < 0x80) this.#ascii[unit] = node;
    }
    return node;
  }

  #childOf(node: number, unit: number): number {
    if (node === 0) return (unit < 0x80 ? this.#ascii[unit] : this.#first.get(unit)) ?? 0;
    let child = this.#child[node] ?? 0;
    while (child !== 0 && this.#unit[child] !== unit) child = this.#sibling[child] ?? 0;
    return child;
  }

  #childrenOf(node: number): number[] {
    if (node === 0) return [...this.#first.values()];
    const children: number[] = [];
    for (let child = this.#child[node] ?? 0; child !== 0; child = this.#sibling[child] ?? 0) children.push(child);
    return children;
  }

  /** Links each node to the longest other prefix that is a suffix of it. */
  #link(): void {
    const queue = this.#childrenOf(0);
    for (let at = 0; at < queue.length; at++) {
      const node = queue[at] ?? 0;
      for (const child of this.#childrenOf(node)) {
        const fail = this.step(this.#fail[node] ?? 0, this.#unit[child] ?? 0);
        this.#fail[child] = fail;
        this.#longest[child] = Math.max(this.#longest[child] ?? 0, this.#longest[fail] ?? 0);
        queue.push(child);
      }
    }
  }

  step(from: number, unit: number): number {
    let node = from;
    let child = this.#childOf(node, unit);
    while (child === 0 && node !== 0) {
      node = this.#fail[node] ?? 0;
      child = this.#childOf(node, unit);
    }
    return child;
  }

  longestAt = (node: number): number => this.#longest[node] ?? 0;
}

/** @returns a search for the needles; it returns matches in order, with overlapping ones merged */
export function createFinder(needles: readonly string[]): (text: string) => Sliced<Range[]> {
  const trie = new Trie(needles.filter((needle) => needle !== ""));
  return function* (text) {
    const found: Range[] = [];
    let node = 0;
    for (let from = 0; from < text.length; from += SLICE) {
      if (from > 0) yield;
      node = findIn(trie, text, from, node, found);
    }
    return found;
  };
}

/** Adds the matches that end in one slice. @returns the node at its end */
function findIn(trie: Trie, text: string, from: number, before: number, found: Range[]): number {
  const until = Math.min(text.length, from + SLICE);
  let node = before;
  for (let at = from; at < until; at++) {
    node = trie.step(node, fold(text.charCodeAt(at)));
    const length = trie.longestAt(node);
    if (length > 0) add(found, at + 1 - length, at + 1);
  }
  return node;
}

/** Merges the match with those that it overlaps. */
function add(found: Range[], from: number, until: number): void {
  let first = from;
  for (let last = found.at(-1); last && last[1] > from; last = found.at(-1)) {
    first = Math.min(first, last[0]);
    found.pop();
  }
  found.push([first, until]);
}
