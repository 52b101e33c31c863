/** Short messages at the bottom of the window. */

import { type Notice, withNotice } from "./shell/notice_list.ts";

const SHOWN_MS = 6_000;
/** With something to press, which takes longer to read and to reach. */
const UNDO_SHOWN_MS = 10_000;

let notices = $state.raw<Notice[]>([]);
let last_id = 0;
/** When notices go, by id. */
const timers = new Map<number, ReturnType<typeof setTimeout>>();

export const shownNotices = () => notices;

export function dismiss(id: number): void {
  keep(id);
  notices = notices.filter((notice) => notice.id !== id);
}

/** Shows a notice, and returns its id for `dismiss`. */
export function notify(
  text: string,
  { kind = "done", undo, verb = "Undo", link }: Partial<Pick<Notice, "kind" | "undo" | "verb" | "link">> = {},
): number {
  const id = ++last_id;
  const notice = { id, text, kind, undo, verb, link };
  notices = withNotice(notices, notice);
  release(notice);
  return id;
}

/** A notice stays while the pointer or the focus is on it. */
export function keep(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

/** A notice goes after a while. A failure, and what leads to more, stays until it is dismissed. */
export function release({ id, kind, undo, link }: Pick<Notice, "id" | "kind" | "undo" | "link">): void {
  keep(id);
  if (kind === "done" && !link) timers.set(id, setTimeout(() => dismiss(id), undo ? UNDO_SHOWN_MS : SHOWN_MS));
}
