/** The notices that are shown at once. */

export interface Notice {
  id: number;
  text: string;
  kind: "done" | "failed";
  /** Takes back what the notice reports. */
  undo: (() => void) | undefined;
  /** Where more is said of it. */
  link: { text: string; href: string } | undefined;
}

const MOST = 3;

/** The list with another notice. One with the same words takes the place of the former. */
export function withNotice(list: readonly Notice[], notice: Notice): Notice[] {
  return [...list.filter(({ text, kind }) => text !== notice.text || kind !== notice.kind), notice].slice(-MOST);
}
