/** Scrolls a page while the pointer holds something near its upper or lower edge. */

/** The height of the strip at each edge, in pixels. */
const EDGE = 64;
/** Pixels a second: where the strip begins, and at the edge itself. */
const [SLOWEST, FASTEST] = [120, 1_100];

/** @returns pixels a second, negative is upwards; 0 outside of both strips */
export function speedAt(y: number, { top, bottom }: { top: number; bottom: number }): number {
  const above = Math.min(1, (top + EDGE - y) / EDGE);
  const below = Math.min(1, (y - bottom + EDGE) / EDGE);
  const speedOf = (depth: number) => SLOWEST + (FASTEST - SLOWEST) * depth;
  if (above > 0) return -speedOf(above);
  return below > 0 ? speedOf(below) : 0;
}

interface Held {
  /** The pointer's `clientY` when it took hold. */
  from: number;
  /** Its `clientY` now. */
  pointer: () => number;
  /** The page has been scrolled under the pointer. */
  onscroll: () => void;
  /** The pointer has let go. */
  signal: AbortSignal;
}

/** What is picked up in a strip does not scroll the page by itself: the pointer has to move towards the edge. */
export function scrollAtEdges(page: Element, { from, pointer, onscroll, signal }: Held): void {
  let last = performance.now();
  /** Pages scroll by whole pixels. */
  let rest = 0;
  const step = (now: number) => {
    if (signal.aborted) return;
    const y = pointer();
    const speed = speedAt(y, page.getBoundingClientRect());
    rest = speed !== 0 && Math.sign(y - from) === Math.sign(speed) ? rest + speed * (now - last) / 1_000 : 0;
    const by = Math.trunc(rest);
    rest -= by;
    last = now;
    if (by !== 0) {
      const before = page.scrollTop;
      page.scrollTop += by;
      if (page.scrollTop !== before) onscroll();
    }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}
