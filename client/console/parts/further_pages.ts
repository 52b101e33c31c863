/** Lists that are read page by page, on demand. */

/** The number of the last page of each list that is shown. */
const pages = new WeakMap<readonly unknown[], number>();

/**
 * What a list shows after a further page. The page may begin with entries that are shown: it is read by its number, and
 * others may have come before them.
 */
export function withPage<Item extends { id: unknown }>(
  shown: readonly Item[] | undefined,
  page: number,
  found: Item[],
): Item[] {
  const known = new Set(page === 1 ? [] : shown?.map(({ id }) => id));
  const all = [...page === 1 ? [] : shown ?? [], ...found.filter(({ id }) => !known.has(id))];
  pages.set(all, page);
  return all;
}

/** The page behind those that are shown. */
export const nextPage = (shown: readonly unknown[] | undefined, per_page: number): number =>
  (shown && pages.get(shown) || Math.ceil((shown?.length ?? 0) / per_page)) + 1;
