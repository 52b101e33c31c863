/**
 * Scrolls a row of tabs so that the open one is seen. Used as an attachment.
 *
 * @param _open what changes with the open tab
 */
export const inSight = (_open: string) => (tabs: HTMLElement): void =>
  tabs.querySelector("[aria-current=page], [aria-selected=true]")?.scrollIntoView({
    inline: "center",
    block: "nearest",
  });
