/** Finds any of several texts in one pass, however they overlap (Aho and Corasick, 1975). ASCII case does not count. */

/** Where one was found: its first character, and the one behind its last. */
export type Range = [from: number, until: number];

const fold = (unit: number): number => unit >= 65 && unit <= 90 ? unit + 32 : unit;

/** A node for each beginning of a needle; the first is the empty one. Most have one child. */
class Tree {
  readonly #unit = [0];
  readonly #child = [0];
  readonly #sibling = [0];
  readonly #fail = [0];
  /** Length of the longest needle that ends at the node, or 0. */
  readonly #longest = [0];
  /** Children of the first node, by their character. */
  readonly #first = new Map<number, number>();
  /** Likewise, of those that most texts consist of. */
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

  /** From each node to the longest beginning that it ends with. */
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

/** @returns where any of the needles stands, in order; takes time in proportion to the text, whatever it and the needles are */
export function createFinder(needles: readonly string[]): (text: string) => Range[] {
  const tree = new Tree(needles.filter((needle) => needle !== ""));
  return (text) => {
    const found: Range[] = [];
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      node = tree.step(node, fold(text.charCodeAt(at)));
      const length = tree.longestAt(node);
      if (length > 0) add(found, at + 1 - length, at + 1);
    }
    return found;
  };
}

/** What overlaps is one. */
function add(found: Range[], from: number, until: number): void {
  let first = from;
  for (let last = found.at(-1); last && last[1] > from; last = found.at(-1)) {
    first = Math.min(first, last[0]);
    found.pop();
  }
  found.push([first, until]);
}
