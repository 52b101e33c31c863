/** Named views: what is saved of a grid is what opens again. */
import { deepEqual, equal } from "node:assert/strict";
import type { Condition, Key } from "../grid/query.ts";
import type { Column, Layout } from "../grid/view.svelte.ts";
import { conditionsOf, differs, keysOf, layoutOf, type SavedView, settingsOf } from "./settings.ts";

const NAMES = ["title", "n", "due", "id", "created_at", "updated_at"];
/** As `View` orders them. */
const columnsOf = ({ order }: Layout): Column[] =>
  [...order, ...NAMES.filter((name) => !order.includes(name))].map((name) => ({
    name,
    type: "string",
    required: false,
    width: 100,
    frozen: false,
    own: false,
  }));

const CONDITIONS: Condition[] = [
  { field: "n", operator: "gte", value: "5" },
  { field: "n", operator: "lt", value: "90" },
  { field: "title", operator: "in", value: "a, b" },
  { field: "due", operator: "blank", value: "" },
];
const KEYS: Key[] = [{ field: "n", descending: true }, { field: "title", descending: false }];
const LAYOUT: Layout = {
  order: ["due", "title", "n", "id", "created_at", "updated_at"],
  widths: { title: 320 },
  hidden: ["id", "n"],
  frozen: 2,
};

Deno.test("views: a grid's filter, order and columns come back from its saved view, and no change is seen", () => {
  const shown = { conditions: CONDITIONS, keys: KEYS, q: "chain", columns: columnsOf(LAYOUT), layout: LAYOUT };
  const view: SavedView = {
    id: 1,
    table_name: null,
    name: "Due",
    shared: false,
    owner_id: 1,
    left_out: [],
    created_at: "",
    updated_at: "",
    ...settingsOf(shown),
  };
  deepEqual(conditionsOf(view.filter), CONDITIONS);
  deepEqual(keysOf(view), KEYS);
  deepEqual(layoutOf(view), { ...LAYOUT, hidden: ["n", "id"] });
  equal(differs(view, shown, columnsOf), false);
  equal(differs(view, { ...shown, conditions: CONDITIONS.toReversed() }, columnsOf), false);
  equal(differs(view, { ...shown, q: "" }, columnsOf), true);
  equal(differs(view, { ...shown, keys: [] }, columnsOf), true);
  equal(differs(view, { ...shown, layout: { ...LAYOUT, frozen: 1 } }, columnsOf), true);
  // As a script may have saved it: only what it cares for.
  const sparse = { ...view, columns: [{ field: "n", hidden: false, frozen: true }], filter: { n: 3 }, q: "", sort: "" };
  deepEqual(layoutOf(sparse), { order: ["n"], widths: {}, hidden: ["id", "updated_at"], frozen: 1 });
  deepEqual(conditionsOf(sparse.filter), [{ field: "n", operator: "eq", value: "3" }]);
});
