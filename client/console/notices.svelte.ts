/** Short messages at the bottom of the window. */

import { type Notice, withNotice } from "./shell/notice_list.ts";

const SHOWN_MS = 6_000;
/** With something to press, which takes longer to read and to reach. */
const UNDO_SHOWN_MS = 10_000;

let notices = $state.raw<Notice[]>([]);
let last_id = 0;
/** When notices go, by id. */
const timers = new Map<number, ReturnType<typeof setTimeout>>();

/** Notices of pages that were left, by id. */
let of_left_pages: ReadonlySet<number> = new Set();

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

/** A notice goes after a while. A failure, and what leads to more, stays until it is dismissed or the page is left. */
export function release({ id, kind, undo, link }: Pick<Notice, "id" | "kind" | "undo" | "link">): void {
  keep(id);
  if (kind === "done" && !link || of_left_pages.has(id)) {
    timers.set(
      id,
      setTimeout(() => dismiss(id), undo ? UNDO_SHOWN_MS : SHOWN_MS),
    );
  }
}

/** The shown notices go after a while, because nothing on the next page explains them. */
export function leavePage(): void {
  of_left_pages = new Set(notices.map(({ id }) => id));
  for (const notice of notices) if (!timers.has(notice.id)) release(notice);
}
