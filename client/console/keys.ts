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

/** `j` and `k` move the focus along these links of a list. @returns whether the key was one of them */
export function walked(event: KeyboardEvent, links: Iterable<HTMLElement> | undefined): boolean {
  const by = pressed(event, "j") ? 1 : pressed(event, "k") ? -1 : 0;
  if (by === 0) return false;
  const list = [...links ?? []];
  const at = list.findIndex((link) => link === document.activeElement);
  list[Math.max(0, Math.min(list.length - 1, at + by))]?.focus();
  return true;
}
