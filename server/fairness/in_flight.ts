/**
 * What comes and goes with each request or run. V8's Map and Set leave every table that they outgrow linked to the next
 * one, still holding what was in it. Once such a table has become old, all that ever was in the Map survives until the
 * next full collection: with a thousand runs a second that took a tenth of the processor time. These two clear up.
 */

/** By ids that are no whole numbers. */
export interface InFlight<Value> {
  get(id: string): Value | undefined;
  set(id: string, value: Value): void;
  delete(id: string): void;
  has(id: string): boolean;
  values(): Value[];
}

export function createInFlight<Value>(): InFlight<Value> {
  const all: Record<string, Value> = Object.create(null);
  return {
    get: (id) => all[id],
    set: (id, value) => void (all[id] = value),
    delete: (id) => void delete all[id],
    has: (id) => id in all,
    values: () => Object.values(all),
  };
}

/** A list, in the order in which its items were added. */
export interface Line<Item> {
  /** @returns removes the item. May be called twice */
  add(item: Item): () => void;
  readonly first: Item | undefined;
  /** Removes the first item. */
  removeFirst(): void;
  items(): Item[];
}

interface Link<Item> {
  item: Item | undefined;
  before: Link<Item> | undefined;
  after: Link<Item> | undefined;
}

export function createLine<Item>(): Line<Item> {
  let first: Link<Item> | undefined;
  let last: Link<Item> | undefined;

  const remove = (link: Link<Item>) => {
    // It was removed before.
    if (!link.before && link !== first) return;
    const { before, after } = link;
    if (before) before.after = after;
    else first = after;
    if (after) after.before = before;
    else last = before;
    // An old link must not keep what is younger.
    link.item = link.before = link.after = undefined;
  };

  return {
    add(item) {
      const link: Link<Item> = { item, before: last, after: undefined };
      if (last) last.after = link;
      else first = link;
      last = link;
      return () => remove(link);
    },
    get first() {
      return first?.item;
    },
    removeFirst() {
      if (first) remove(first);
    },
    items() {
      const items: Item[] = [];
      for (let link = first; link; link = link.after) if (link.item !== undefined) items.push(link.item);
      return items;
    },
  };
}
