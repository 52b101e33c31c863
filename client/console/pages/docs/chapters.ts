/** The documentation's table of contents: its pages and the API reference. */
import { PAGES } from "./content.ts";

export interface Entry {
  href: string;
  title: string;
  summary: string;
}

const REFERENCE: Entry = {
  href: "/docs/api",
  title: "API reference",
  summary: "Every operation of this server, with examples and a form to try it",
};

/** By group, in reading order. */
export const GROUPS: readonly { name: string; entries: readonly Entry[] }[] = [
  ...Map.groupBy(PAGES, ({ group }) => group),
].map(([name, pages]) => ({
  name,
  entries: [
    ...(name === "API" ? [REFERENCE] : []),
    ...pages.map(({ id, title, summary }) => ({ href: `/docs/${id}`, title, summary })),
  ],
}));

export const titleOf = (id: string): string => PAGES.find((page) => page.id === id)?.title ?? id;
