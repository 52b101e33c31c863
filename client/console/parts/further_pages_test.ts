import { deepEqual, equal } from "node:assert/strict";
import { nextPage, withPage } from "./further_pages.ts";

const rows = (...ids: number[]) => ids.map((id) => ({ id }));

Deno.test("further pages: entries that came before others since are not shown twice, and no page is read again", () => {
  const shown = withPage(undefined, 1, rows(9, 8, 7, 6));
  equal(nextPage(shown, 4), 2);
  // Two entries have come, so that the second page begins with two that are shown.
  const both = withPage(shown, 2, rows(7, 6, 5, 4));
  deepEqual(both, rows(9, 8, 7, 6, 5, 4));
  equal(nextPage(both, 4), 3);
  // A whole page has come: the next one brings nothing, and the one behind it does.
  const same = withPage(both, 3, rows(8, 7, 6, 5));
  deepEqual(same, both);
  equal(nextPage(same, 4), 4);
  deepEqual(withPage(both, 1, rows(11, 10, 9, 8)), rows(11, 10, 9, 8), "the first page begins anew");
});
