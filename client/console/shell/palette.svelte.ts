/** Whether the command palette is open, and the commands that the present page adds to it. */
import type { api } from "../api.ts";
import type { IconName } from "../parts/icons.ts";

type Listed<List> = List extends { query(...args: never[]): Promise<(infer Item)[]> } ? Item : never;

/** What a row leads to, where the palette shows its state. */
export type About =
  | { type: "app"; app: Listed<typeof api.apps.list> }
  | { type: "db"; db: Listed<typeof api.dbs.list> }
  | { type: "flow"; flow: Listed<typeof api.flows.list> }
  | { type: "person"; person: Listed<typeof api.user_settings.list> }
  | { type: "connector"; connector: Listed<typeof api.connectors.list> };

export interface Command {
  name: string;
  icon: IconName;
  /** Its heading; "Run" by default. */
  group?: "This page" | "Go to" | "Recently edited" | "Run";
  /** Shown on the right. */
  kind?: string;
  /** A shortcut, such as `Ctrl S`. */
  hint?: string;
  about?: About;
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
