/** Shortcuts of single keys do nothing while the user types. */

/** Whether the key goes into a field, an editor, or a dialog that is open above the page. */
export function typing({ target }: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open]")) return true;
  return target instanceof HTMLElement &&
    (target.isContentEditable || target.shadowRoot !== null || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Whether the event is this key without modifiers, outside fields and dialogs. */
export const pressed = (event: KeyboardEvent, key: string): boolean =>
  event.key === key && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event);
