/** Shortcuts of single keys are off while somebody types. */

/** Whether the key goes into a field, an editor, or a dialog that is open above the page. */
export function typing({ target }: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open]")) return true;
  return target instanceof HTMLElement &&
    (target.isContentEditable || target.shadowRoot !== null || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Whether it is this key alone, and nobody types. */
export const pressed = (event: KeyboardEvent, key: string): boolean =>
  event.key === key && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event);
