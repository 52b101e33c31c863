/** Caches of a limited number of values; the least recently used go first. */
import { LRUCache } from "lru-cache";

/**
 * Its room grows with its entries. LRUCache's own `max` makes room for all of them at once: those of a server took a
 * twelfth of its start.
 *
 * @param most how many values are kept
 */
export const bounded = <Key extends NonNullable<unknown>, Value extends NonNullable<unknown>>(most: number) =>
  new LRUCache<Key, Value>({ maxSize: most, sizeCalculation: () => 1 });
