/**
 * Apps in frames are untrusted and may call `focus()` at any time, also in a frame that is inert. The keyboard goes into
 * a frame only with a click there or with Tab; otherwise the element that had the focus gets it back, and the page is
 * scrolled back to where it was.
 */
import { ScrollMemory } from "./scroll_memory.ts";

/** The focus follows Tab within this time, also on a busy machine. */
const TAB_MS = 500;
/** How long the browser counts a page as used after a key or a click, with a margin. */
const ACTIVE_MS = 6_000;

let last: HTMLElement | undefined;
/** The last key or click in this document; those in frames are not seen here. */
let acted_at = -ACTIVE_MS;
/** The last Tab. */
let tabbed_at = -ACTIVE_MS;
const memory = new ScrollMemory();

function focused(): Element | null {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

const hasTabbed = () => performance.now() - tabbed_at < TAB_MS;

function mayTake(frame: HTMLIFrameElement): boolean {
  if (frame.closest("[inert]")) return false;
  if (hasTabbed() || frame.matches(":hover")) return true;
  // A use that did not happen in this document happened in the frame: assistive technology moves no pointer.
  return navigator.userActivation.isActive && performance.now() - acted_at > ACTIVE_MS;
}

function left() {
  const frame = document.activeElement;
  if (!(frame instanceof HTMLIFrameElement)) return;
  if (mayTake(frame)) {
    // Only a person who moves with Tab needs a ring around the frame.
    frame.toggleAttribute("data-tabbed", hasTabbed());
    return;
  }
  memory.restore(frame);
  frame.blur();
  globalThis.focus();
  if (last?.isConnected) last.focus({ preventScroll: true });
}

export function guardFocus(): void {
  memory.watch();
  addEventListener("focusin", () => {
    const element = focused();
    if (element instanceof HTMLElement && !(element instanceof HTMLIFrameElement)) last = element;
  }, true);
  addEventListener("keydown", ({ key }) => {
    acted_at = performance.now();
    if (key === "Tab") tabbed_at = acted_at;
  }, true);
  addEventListener("click", () => {
    acted_at = performance.now();
    // A click beside every control has taken the focus from all of them.
    if (document.activeElement === document.body) last = undefined;
  }, true);
  // The frame becomes the active element after the window has lost the focus.
  addEventListener("blur", () => setTimeout(left));
}
