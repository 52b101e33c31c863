/** Short messages at the bottom of the window. */

export interface Notice {
  id: number;
  text: string;
  kind: "done" | "failed";
  /** Takes back what the notice reports. */
  undo: (() => void) | undefined;
}

const SHOWN_MS = 6_000;

let notices = $state.raw<Notice[]>([]);
let last_id = 0;

export const shownNotices = () => notices;

export function dismiss(id: number): void {
  notices = notices.filter((notice) => notice.id !== id);
}

export function notify(text: string, { kind = "done", undo }: Partial<Pick<Notice, "kind" | "undo">> = {}): void {
  const id = ++last_id;
  notices = [...notices.slice(-2), { id, text, kind, undo }];
  // A failure stays until it is dismissed.
  if (kind === "done") setTimeout(() => dismiss(id), SHOWN_MS);
}
