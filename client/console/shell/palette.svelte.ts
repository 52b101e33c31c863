/** Whether the command palette is open, and the commands that the present page adds to it. */
import type { IconName } from "../parts/icons.ts";

export interface Command {
  name: string;
  icon: IconName;
  /** Shown on the right, such as a shortcut or the kind of thing. */
  hint?: string;
  run(): void;
}

let open = $state(false);
let of_page = $state.raw<readonly Command[]>([]);

export const palette = {
  get open() {
    return open;
  },
  get commands() {
    return of_page;
  },
};

export const openPalette = () => (open = true);
export const closePalette = () => (open = false);

/** Offers commands while the page is shown. Called in a component's setup. */
export function offer(commands: () => readonly Command[]): void {
  $effect(() => {
    of_page = commands();
    return () => (of_page = []);
  });
}
