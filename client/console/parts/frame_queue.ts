/**
 * Loads of apps' frames, a few at once. Every frame compiles its scripts on the page's own processor time, so that many
 * at once delay a key by some hundred milliseconds. No load begins while a dialog is open.
 */

/** Loads at once. */
const AT_ONCE = 2;
/** A frame that has not loaded by then gives its place to the next one. */
const LONGEST_MS = 4_000;
/** Between looks whether the dialog has been closed. */
const AGAIN_MS = 200;

export class FrameQueue {
  #waiting = new Set<() => void>();
  #loading = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isBusy: () => boolean;

  /** @param isBusy whether loads have to wait */
  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy;
  }

  /**
   * Calls `start` when it is this frame's turn.
   *
   * @returns what is called when the frame has loaded or is not wanted any more
   */
  ask(start: () => void): () => void {
    let ended = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const turn = () => {
      this.#loading++;
      timer = setTimeout(end, LONGEST_MS);
      start();
    };
    const end = () => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      if (!this.#waiting.delete(turn)) this.#loading--;
      this.#later(0);
    };
    this.#waiting.add(turn);
    this.#later(0);
    return end;
  }

  /** In a task of its own, so that keys and paints come in between. */
  #later(delay: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#next();
    }, delay);
  }

  #next(): void {
    const [turn] = this.#waiting;
    if (!turn || this.#loading >= AT_ONCE) return;
    if (this.#isBusy()) return this.#later(AGAIN_MS);
    this.#waiting.delete(turn);
    turn();
    this.#later(0);
  }
}

/** Of the frames of this page. */
export const frames = new FrameQueue(() => document.querySelector("dialog[open]") !== null);
