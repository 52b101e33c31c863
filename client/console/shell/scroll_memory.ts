/**
 * Scroll positions of a moment ago. `focus()` in a frame scrolls the page around the frame, too; the scroll event comes
 * before or after the page loses the focus.
 */

/** A scroll within this time before or after a frame has taken the focus belongs to it. */
const NEAR_MS = 250;
/** What a person scrolls with. A position is not held against it. */
const BY_HAND = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

interface Position {
  at: number;
  left: number;
  top: number;
}

export class ScrollMemory {
  /** Oldest first: one position older than `NEAR_MS`, and all later ones. An element that never scrolled has none. */
  #positions = new WeakMap<Element, Position[]>();
  #held = new Map<Element, Position>();
  #held_until = -NEAR_MS;

  watch(): void {
    // Scroll events do not bubble.
    addEventListener("scroll", ({ target }) => this.#scrolled(target), { capture: true, passive: true });
    for (const name of BY_HAND) addEventListener(name, () => this.#held.clear(), { capture: true, passive: true });
  }

  /** Scrolls everything around the frame back, now and when the scroll comes late. */
  restore(frame: Element): void {
    const now = performance.now();
    this.#held.clear();
    this.#held_until = now + NEAR_MS;
    for (let element = frame.parentElement; element; element = element.parentElement) {
      const position = this.#positions.get(element)?.findLast(({ at }) => at < now - NEAR_MS) ??
        { at: 0, left: 0, top: 0 };
      this.#held.set(element, position);
      put(element, position);
    }
  }

  #scrolled(target: EventTarget | null): void {
    const element = target instanceof Document ? target.scrollingElement : target;
    if (!(element instanceof Element)) return;
    const now = performance.now();
    const held = now < this.#held_until ? this.#held.get(element) : undefined;
    if (held) return put(element, held);
    const kept = this.#positions.get(element) ?? [{ at: 0, left: 0, top: 0 }];
    const old = Math.max(0, kept.findLastIndex(({ at }) => at < now - NEAR_MS));
    this.#positions.set(element, [...kept.slice(old), { at: now, left: element.scrollLeft, top: element.scrollTop }]);
  }
}

function put(element: Element, { left, top }: Position): void {
  if (element.scrollLeft !== left || element.scrollTop !== top) element.scrollTo({ left, top, behavior: "instant" });
}
