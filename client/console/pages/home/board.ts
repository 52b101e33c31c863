/** The arrangement of tiles on 12 columns: no two overlap, and each stands as high as it can. */

export interface Place {
  app_id: string;
  /** The first column, from 0. */
  x: number;
  /** The first row, from 0. */
  y: number;
  /** Columns. */
  w: number;
  /** Rows. */
  h: number;
}

export const COLUMNS = 12;
/** The server refuses a board with more. */
export const MOST_TILES = 100;
const LEAST = { w: 2, h: 2 };
const MOST_H = 24;

const share = (a: number, a_size: number, b: number, b_size: number) => a < b + b_size && b < a + a_size;
const shareColumns = (a: Place, b: Place) => share(a.x, a.w, b.x, b.w);
const overlap = (a: Place, b: Place) => shareColumns(a, b) && share(a.y, a.h, b.y, b.h);

/** In the order in which they are read: row by row. */
export const inRows = <Tile extends Place>(tiles: readonly Tile[]): Tile[] =>
  tiles.toSorted((a, b) => a.y - b.y || a.x - b.x);

/**
 * Moves all tiles up as far as they go, in the order of their rows.
 *
 * @param first the tile that goes before others in its row, because a person holds it
 * @returns the tiles in their order in `tiles`: elements of a page that change places lose the focus and load anew
 */
export function compact<Tile extends Place>(tiles: readonly Tile[], first?: string): Tile[] {
  const before = (tile: Tile) => (tile.app_id === first ? 0 : 1);
  const placed = new Map<string, Tile>();
  for (const tile of tiles.toSorted((a, b) => a.y - b.y || before(a) - before(b) || a.x - b.x)) {
    let y = 0;
    while ([...placed.values()].some((other) => overlap({ ...tile, y }, other))) y++;
    placed.set(tile.app_id, { ...tile, y });
  }
  return tiles.map((tile) => placed.get(tile.app_id) ?? tile);
}

/**
 * Gives a tile another place or size, inside the columns. Those that stand there move down. One that a tile passes by
 * more than half goes into the room that it leaves.
 */
export function put<Tile extends Place>(tiles: readonly Tile[], id: string, change: Partial<Place>): Tile[] {
  const moved = tiles.find(({ app_id }) => app_id === id);
  if (!moved) return [...tiles];
  // A size that a program has given stays until a person changes it.
  const w = change.w === undefined
    ? moved.w
    : clamp(change.w, LEAST.w, COLUMNS - (change.x === undefined ? moved.x : 0));
  const h = change.h === undefined ? moved.h : clamp(change.h, LEAST.h, MOST_H);
  const x = clamp(change.x ?? moved.x, 0, COLUMNS - w);
  const y = Math.max(0, change.y ?? moved.y);
  const held = { ...moved, x, y, w, h };
  const next = tiles.map((tile) => {
    if (tile === moved) return held;
    if (!overlap(tile, held)) return tile;
    const middle = tile.y + tile.h / 2;
    if (y > moved.y && middle < y + h) return { ...tile, y: Math.min(tile.y, y - 0.5) };
    if (y < moved.y && middle > y) return { ...tile, y: Math.max(tile.y, y + 0.5) };
    return tile;
  });
  return compact(next, id);
}

/** Where a tile goes to pass the next one above or below it. @param by -1: up, 1: down @returns nothing if there is none */
export function passing(tiles: readonly Place[], id: string, by: -1 | 1): Partial<Place> {
  const tile = tiles.find(({ app_id }) => app_id === id);
  if (!tile) return {};
  const inTheWay = inRows(
    tiles.filter((other) =>
      other !== tile && shareColumns(other, tile) && (by < 0 ? other.y < tile.y : other.y > tile.y)
    ),
  );
  const next = by < 0 ? inTheWay.at(-1) : inTheWay[0];
  if (!next) return {};
  return { y: by < 0 ? next.y : Math.max(next.y + next.h - tile.h, tile.y + 1) };
}

/** The exchanged places of a tile and the one that is read before or after it. @param by -1: before, 1: after */
export function exchanged(tiles: readonly Place[], id: string, by: -1 | 1): Place[] {
  const rows = inRows(tiles);
  const at = rows.findIndex(({ app_id }) => app_id === id);
  const [one, other] = [rows[at], rows[at + by]];
  return one && other ? [{ ...other, app_id: one.app_id }, { ...one, app_id: other.app_id }] : [];
}

/** Gives these tiles these places. */
export function withPlaces<Tile extends Place>(tiles: readonly Tile[], places: readonly Place[]): Tile[] {
  const given = new Map(places.map((place) => [place.app_id, place]));
  return compact(tiles.map((tile) => {
    const { x, y, w, h } = given.get(tile.app_id) ?? tile;
    return { ...tile, x, y, w, h };
  }));
}

/** Adds a tile at the first place where it fits. An app has one tile. */
export function add<Tile extends Place>(tiles: readonly Tile[], tile: Tile): Tile[] {
  if (has(tiles, tile.app_id)) return [...tiles];
  for (let y = 0;; y++) {
    for (let x = 0; x + tile.w <= COLUMNS; x++) {
      const here = { ...tile, x, y };
      if (!tiles.some((other) => overlap(other, here))) return [...tiles, here];
    }
  }
}

/** Puts a tile that was removed where it was. */
export const putBack = <Tile extends Place>(tiles: readonly Tile[], tile: Tile): Tile[] =>
  has(tiles, tile.app_id) ? [...tiles] : compact([...tiles, tile], tile.app_id);

/** The apps whose tiles differ between two arrangements, in the order of the second one, then of the first. */
export function changedApps(before: readonly Place[], after: readonly Place[]): string[] {
  const places = new Map(before.map((tile) => [tile.app_id, tile]));
  const changed = after.filter((tile) => {
    const was = places.get(tile.app_id);
    return !was || !isAt(tile, was);
  });
  const gone = before.filter(({ app_id }) => !has(after, app_id));
  return [...changed, ...gone].map(({ app_id }) => app_id);
}

/**
 * Makes the change from one arrangement to another on a board that others may have changed meanwhile: only the tiles
 * that differ between the two are added, moved or removed.
 */
export function turned<Tile extends Place>(tiles: readonly Tile[], from: readonly Tile[], to: readonly Tile[]): Tile[] {
  const changed = new Set(changedApps(from, to));
  const targets = to.filter(({ app_id }) => changed.has(app_id));
  const kept = tiles.filter(({ app_id }) => !changed.has(app_id) || has(to, app_id));
  const added = targets.filter(({ app_id }) => !has(from, app_id) && !has(kept, app_id));
  return withPlaces([...kept, ...added], targets);
}

export const remove = <Tile extends Place>(tiles: readonly Tile[], id: string): Tile[] =>
  compact(tiles.filter(({ app_id }) => app_id !== id));

/**
 * A board as it is shown, from what is stored: one tile of each app, and none over another.
 *
 * @param shown tiles that keep their order; the first time, all are in the order of their rows
 */
export function shownBoard<Tile extends Place>(stored: readonly Tile[], shown: readonly Tile[] = []): Tile[] {
  const single = inRows([...new Map(stored.map((tile) => [tile.app_id, tile])).values()]);
  const before = new Map(shown.map(({ app_id }, index) => [app_id, index]));
  const orderOf = ({ app_id }: Tile) => before.get(app_id) ?? shown.length;
  return compact(single.toSorted((a, b) => orderOf(a) - orderOf(b)));
}

const has = (tiles: readonly Place[], id: string) => tiles.some(({ app_id }) => app_id === id);
const isAt = (a: Place, b: Place) => a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h;
const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);
