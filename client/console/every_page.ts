/** Lists that a person chooses from, whole: a picker that ends at the server's largest page hides the rest. */
import { api } from "./api.ts";

/** The server sends no larger page. */
const PER_PAGE = 500;
/** Beyond it a picker would be slow, and nobody would find anything in it. */
const MOST_PAGES = 20;

/**
 * The entries of all pages, in the order of the list.
 *
 * @param onpage called after each page that is not the last, with all entries so far
 */
export async function everyPage<Item>(
  read: (page: { page: number; per_page: number }) => Promise<Item[]>,
  onpage?: (items: Item[]) => void,
): Promise<Item[]> {
  let all: Item[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const items = await read({ page, per_page: PER_PAGE });
    all = [...all, ...items];
    if (items.length < PER_PAGE) break;
    onpage?.(all);
  }
  return all;
}

export const allDepartments = () => everyPage((page) => api.departments.list.query({ ...page, sort: "name" }));
export const allDatabases = () => everyPage((page) => api.dbs.list.query({ ...page, sort: "name" }));
export const allFlows = () => everyPage((page) => api.flows.list.query({ ...page, sort: "name" }));
type Person = Awaited<ReturnType<typeof api.user_settings.list.query>>[number];
/** @param onpage gets the people up to each page: names are shown before the last one is read */
export const allPeople = (onpage?: (people: Person[]) => void) =>
  everyPage((page) => api.user_settings.list.query({ ...page, sort: "name" }), onpage);
