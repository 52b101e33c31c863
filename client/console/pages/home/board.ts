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
const LEAST = { w: 2, h: 2 };
const MOST_H = 24;

const overlap = (a: Place, b: Place) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/**
 * Moves all tiles up as far as they go, in the order of their rows.
 *
 * @param first the tile that goes before others in its row, because a person holds it
 */
export function compact<Tile extends Place>(tiles: readonly Tile[], first?: string): Tile[] {
  const before = (tile: Tile) => (tile.app_id === first ? 0 : 1);
  const placed: Tile[] = [];
  for (const tile of tiles.toSorted((a, b) => a.y - b.y || before(a) - before(b) || a.x - b.x)) {
    let y = 0;
    while (placed.some((other) => overlap({ ...tile, y }, other))) y++;
    placed.push({ ...tile, y });
  }
  return placed;
}

/** Gives a tile another place or size, inside the columns. Those that stand there move down. */
export function put<Tile extends Place>(tiles: readonly Tile[], id: string, change: Partial<Place>): Tile[] {
  const moved = tiles.find(({ app_id }) => app_id === id);
  if (!moved) return [...tiles];
  const w = clamp(change.w ?? moved.w, LEAST.w, COLUMNS - (change.x === undefined ? moved.x : 0));
  const h = clamp(change.h ?? moved.h, LEAST.h, MOST_H);
  const x = clamp(change.x ?? moved.x, 0, COLUMNS - w);
  const y = Math.max(0, change.y ?? moved.y);
  const held = { ...moved, x, y, w, h };
  // A tile that moves down by a row goes behind those that it would otherwise push.
  const others = tiles.filter((tile) => tile !== moved).map((tile) =>
    overlap(tile, held) && tile.y < held.y && y > moved.y ? { ...tile, y: tile.y - 0.5 } : tile
  );
  return compact([...others, held], id);
}

/** Adds a tile at the first place where it fits. */
export function add<Tile extends Place>(tiles: readonly Tile[], tile: Tile): Tile[] {
  for (let y = 0;; y++) {
    for (let x = 0; x + tile.w <= COLUMNS; x++) {
      const here = { ...tile, x, y };
      if (!tiles.some((other) => overlap(other, here))) return [...tiles, here];
    }
  }
}

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);
