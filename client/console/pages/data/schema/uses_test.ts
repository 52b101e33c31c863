/** What uses a database and its fields, as the schema page says it. */
import { deepEqual, equal } from "node:assert/strict";
import { shownUses, type Use, usesOf, wordsOf } from "./uses.ts";

const USES: Use[] = [
  { kind: "app", id: "a1", name: "Board", names: ["author", "orders"] },
  { kind: "app", id: "a2", name: "Desk", names: ["author"] },
  { kind: "flow", id: 3, name: "Nightly", names: ["n", "orders"] },
  { kind: "cron", id: 4, name: null, names: [] },
];
const METHODS = {
  list: { scope_by: "owner" },
  create: { allowed_fields: ["author"], default_values: { n: 1 }, auto_fields: { owner: "{user_id}" as const } },
  delete: {},
};

Deno.test("uses: each has its page; a public method names the fields of each of its settings", () => {
  const shown = shownUses("shop", USES, METHODS);
  deepEqual(shown.map(({ name, href }) => `${name} ${href}`), [
    "Board /apps/a1",
    "Desk /apps/a2",
    "Nightly /flows/3",
    "trigger 4 /triggers/4",
    "Public list /data/shop/public",
    "Public create /data/shop/public",
    "Public delete /data/shop/public",
  ]);
  deepEqual(shown.slice(4).map(({ fields }) => fields), [["owner"], ["author", "n", "owner"], []]);
});

Deno.test("uses: of a field, in one table or in one of several, by name or by number", () => {
  const shown = shownUses("shop", USES, METHODS);
  equal(wordsOf(usesOf(shown, "author", undefined)), "2 apps, 1 method");
  equal(wordsOf(usesOf(shown, "n", undefined)), "1 flow, 1 method");
  equal(wordsOf(usesOf(shown, "author", "orders")), "Board", "what does not name the table uses another one");
  equal(wordsOf(usesOf(shown, "gone", undefined)), "");
});
