/** Lists that are read page by page, on demand. */

/**
 * What a list shows after a further page. The page may begin with entries that are shown: it is read by its number, and
 * others may have come before them.
 */
export function withPage<Item extends { id: unknown }>(
  shown: readonly Item[] | undefined,
  page: number,
  found: Item[],
): Item[] {
  if (page === 1 || !shown) return found;
  const known = new Set(shown.map(({ id }) => id));
  return [...shown, ...found.filter(({ id }) => !known.has(id))];
}

/** The page behind what is shown, of which entries may be missing that two pages have had. */
export const nextPage = (shown: readonly unknown[] | undefined, per_page: number): number =>
  Math.ceil((shown?.length ?? 0) / per_page) + 1;
