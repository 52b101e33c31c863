import { deepEqual, equal } from "node:assert/strict";
import { MOST_TILES as MOST_OF_SERVER } from "../../../../server/domains/dashboards/schema.ts";
import {
  add,
  changedApps,
  compact,
  exchanged,
  MOST_TILES,
  passing,
  type Place,
  put,
  putBack,
  remove,
  shownBoard,
  turned,
  withPlaces,
} from "./board.ts";

const tile = (app_id: string, x: number, y: number, w = 6, h = 4): Place => ({ app_id, x, y, w, h });
const FOUR = [tile("a", 0, 0), tile("b", 6, 0), tile("c", 0, 4), tile("d", 6, 4)];
const PILE = [tile("a", 0, 0, 12, 2), tile("b", 0, 2, 12, 4), tile("c", 0, 6, 12, 2)];
const step = (tiles: Place[], id: string, by: -1 | 1) => put(tiles, id, passing(tiles, id, by));
const exchange = (tiles: Place[], id: string, by: -1 | 1) => withPlaces(tiles, exchanged(tiles, id, by));
const placesOf = (tiles: readonly Place[]) => tiles.map(({ app_id, x, y }) => `${app_id} ${x} ${y}`).join(", ");

Deno.test("board: tiles stand as high as they can, and keep their order in the list", () => {
  equal(placesOf(compact([tile("c", 0, 9), tile("a", 0, 2), tile("b", 3, 5)])), "c 0 8, a 0 0, b 3 4");
});

Deno.test("board: a tile that is moved down or up passes the next one, and back", () => {
  const down = step(FOUR, "a", 1);
  equal(placesOf(down), "a 0 4, b 6 0, c 0 0, d 6 4");
  deepEqual(step(down, "a", -1), FOUR);
  equal(placesOf(step(PILE, "a", 1)), "a 0 4, b 0 0, c 0 6");
  equal(placesOf(step(step(PILE, "a", 1), "a", 1)), "a 0 6, b 0 0, c 0 4");
  equal(placesOf(step(PILE, "c", -1)), "a 0 0, b 0 4, c 0 2");
  equal(placesOf(step(step(PILE, "c", -1), "c", -1)), "a 0 2, b 0 4, c 0 0");
  deepEqual(step(FOUR, "a", -1), FOUR);
  deepEqual(step(FOUR, "d", 1), FOUR);
  deepEqual(step(FOUR, "none", 1), FOUR);
});

Deno.test("board: a drag passes a tile at its middle", () => {
  const at = (y: number) => placesOf(put(FOUR, "a", { y }));
  equal(at(2), placesOf(FOUR));
  equal(at(3), "a 0 4, b 6 0, c 0 0, d 6 4");
  const up = (y: number) => placesOf(put(FOUR, "c", { y }));
  equal(up(2), placesOf(FOUR));
  equal(up(1), "a 0 4, b 6 0, c 0 0, d 6 4");
  equal(placesOf(put(FOUR, "a", { x: 6, y: 0 })), "a 6 0, b 6 4, c 0 0, d 6 8");
});

Deno.test("board: a size has limits, and pushes what is below", () => {
  const [wide] = put(FOUR, "a", { w: 40 });
  equal(wide?.w, 12);
  equal(placesOf(put(FOUR, "a", { h: 6 })), "a 0 0, b 6 0, c 0 6, d 6 4");
  deepEqual([put(FOUR, "a", { h: 1 })[0]?.h, put(FOUR, "a", { h: 99 })[0]?.h, put(FOUR, "b", { x: 30 })[1]?.x], [
    2,
    24,
    6,
  ]);
});

Deno.test("board: neighbours of one column exchange their places", () => {
  equal(placesOf(exchange(FOUR, "a", 1)), "a 6 0, b 0 0, c 0 4, d 6 4");
  equal(placesOf(exchange(FOUR, "c", -1)), "a 0 0, b 0 4, c 6 0, d 6 4");
  deepEqual(exchange(FOUR, "a", -1), FOUR);
  deepEqual(exchange(FOUR, "d", 1), FOUR);
});

Deno.test("board: an app has one tile; one that was removed comes back to its place", () => {
  deepEqual(add(FOUR, tile("a", 0, 0)), FOUR);
  equal(placesOf(add(FOUR, tile("e", 0, 0))), `${placesOf(FOUR)}, e 0 8`);
  const without = remove(FOUR, "a");
  equal(placesOf(without), "b 6 0, c 0 0, d 6 4");
  equal(placesOf(putBack(without, tile("a", 0, 0))), "b 6 0, c 0 4, d 6 4, a 0 0");
  deepEqual(putBack(FOUR, tile("a", 6, 9)), FOUR);
});

Deno.test("board: what is stored is shown row by row, later in the order that is shown already", () => {
  const stored = [tile("b", 6, 0), tile("a", 0, 0), tile("b", 6, 8), tile("c", 0, 0)];
  equal(placesOf(shownBoard(stored)), "a 0 0, c 0 4, b 6 0");
  equal(placesOf(shownBoard(FOUR, [tile("d", 0, 0), tile("b", 0, 0)])), "d 6 4, b 6 0, a 0 0, c 0 4");
});

Deno.test("board: a change that is made again changes nothing more", () => {
  for (const tiles of [FOUR, PILE]) {
    for (const by of [-1, 1] as const) {
      for (const { app_id } of tiles) {
        const [to, places] = [passing(tiles, app_id, by), exchanged(tiles, app_id, by)];
        const [moved, swapped] = [put(tiles, app_id, to), withPlaces(tiles, places)];
        deepEqual(put(moved, app_id, to), moved, `${app_id} ${by}`);
        deepEqual(withPlaces(swapped, places), swapped, `${app_id} ${by}`);
      }
    }
  }
});

Deno.test("board: a move keeps a size that only a program gives", () => {
  const [high] = put([tile("a", 11, 0, 1, 60)], "a", { x: 3 });
  deepEqual(high, tile("a", 3, 0, 1, 60));
});

Deno.test("board: it is full when the server would refuse another tile", () => equal(MOST_TILES, MOST_OF_SERVER));

Deno.test("board: a change is taken back and made again, and what others have changed stays", () => {
  const passed = step(FOUR, "a", 1);
  deepEqual(turned(passed, passed, FOUR), FOUR);
  deepEqual(turned(FOUR, FOUR, passed), passed);
  deepEqual(changedApps(FOUR, passed), ["a", "c"]);
  const fewer = remove(FOUR, "a");
  equal(placesOf(turned(fewer, fewer, FOUR)), "b 6 0, c 0 4, d 6 4, a 0 0");
  deepEqual(turned(FOUR, FOUR, fewer), fewer);
  deepEqual(changedApps(fewer, FOUR), ["a", "c"]);
  deepEqual(changedApps(FOUR, fewer), ["c", "a"]);
  // Another tab has removed one of them and moved a third meanwhile.
  const others = put(remove(passed, "c"), "d", { w: 4 });
  deepEqual(turned(others, passed, FOUR), [tile("a", 0, 0), tile("b", 6, 0), tile("d", 6, 4, 4)]);
  deepEqual(turned(FOUR, fewer, FOUR), FOUR);
});
