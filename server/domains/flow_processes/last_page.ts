/** Lists that are longer are read with `after`. */
export const LAST_PAGE = 1_000;
