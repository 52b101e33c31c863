/** The documentation's table of contents: its pages and the API reference. */
import { PAGES } from "./content.ts";

export interface Entry {
  href: string;
  title: string;
  summary: string;
}

/** By group, in reading order. */
export const GROUPS: readonly { name: string; entries: readonly Entry[] }[] = [
  ...Map.groupBy(PAGES, ({ group }) => group),
].map(([name, pages]) => ({
  name,
  entries: [
    ...pages.map(({ id, title, summary }) => ({ href: `/docs/${id}`, title, summary })),
  ],
}));

export const titleOf = (id: string): string => PAGES.find((page) => page.id === id)?.title ?? id;
