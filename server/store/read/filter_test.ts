/** How filters and orders are read. What they find is in test/rest/records/records_filter_test.ts. */
import assert from "node:assert/strict";
import { Refusal } from "../../errors.ts";
import { readSchema } from "../definition/definition.ts";
import { type Filter, readFilter, readOrder } from "./filter.ts";
import { hasIndex, isSelective } from "./order_sql.ts";
import { type KnownTable, knownTable } from "../definition/table.ts";

const [defined = assert.fail()] = readSchema({
  fields: {
    name: "string",
    story: "text",
    n: "integer",
    price: "number",
    ok: "boolean",
    at: "datetime",
    day: "date",
    clock: "time",
  },
  indexes: { idx_str_1: "name", idx_int_1: "n" },
}).values();
const table: KnownTable = knownTable(defined, 1, ["name", "story"]);

const UTC = "2026-11-21T06:30:00.000+00:00";

/** As an address carries it, and what it asks for. */
const READ: [filter: Filter, field: string, operator: string, values: unknown[]][] = [
  [{ name: "Ada" }, "name", "eq", ["Ada"]],
  [{ name: { eq: "5" } }, "name", "eq", ["5"]],
  [{ name: "" }, "name", "eq", [null]],
  [{ name: null }, "name", "eq", [null]],
  [{ name: { ne: " " } }, "name", "ne", [" "]],
  [{ name: { contains: "%_\\" } }, "name", "contains", ["%_\\"]],
  [{ story: { contains: "" } }, "story", "contains", [null]],
  [{ name: { in: "a,b,,c d" } }, "name", "in", ["a", "b", null, "c d"]],
  [{ name: { in: "" } }, "name", "in", [null]],
  [{ name: { in: ["a,b", "c"] } }, "name", "in", ["a,b", "c"]],
  [{ n: "5" }, "n", "eq", [5]],
  [{ n: "-5" }, "n", "eq", [-5]],
  [{ n: "1e3" }, "n", "eq", [1000]],
  [{ n: { gte: 5 } }, "n", "gte", [5]],
  [{ n: { in: [1, 2] } }, "n", "in", [1, 2]],
  [{ n: { in: "1,2" } }, "n", "in", [1, 2]],
  [{ price: { lt: "1.50" } }, "price", "lt", [1.5]],
  [{ price: "100000000000000000000" }, "price", "eq", [1e20]],
  [{ ok: "true" }, "ok", "eq", [true]],
  [{ ok: "0" }, "ok", "eq", [false]],
  [{ ok: false }, "ok", "eq", [false]],
  [{ at: { gt: "2026-11-21T08:30:00+02:00" } }, "at", "gt", [UTC]],
  // A plus that nobody has encoded is a space.
  [{ at: { gt: "2026-11-21T08:30:00 02:00" } }, "at", "gt", [UTC]],
  [{ created_at: { lte: "2026-11-21T06:30:00Z" } }, "created_at", "lte", [UTC]],
  [{ day: "2024-02-29" }, "day", "eq", ["2024-02-29"]],
  [{ clock: { gte: "08:30" } }, "clock", "gte", ["08:30"]],
];

Deno.test("filter: values of an address become those of the field's type", () => {
  for (const [filter, field, operator, values] of READ) {
    assert.deepEqual(readFilter(table, filter), [{ field, operator, values }], JSON.stringify(filter));
  }
  assert.deepEqual(readFilter(table, undefined), []);
  assert.deepEqual(readFilter(table, { n: { gte: "1", lt: "5" }, ok: "1" }).map(({ operator }) => operator), [
    "gte",
    "lt",
    "eq",
  ]);
});

const REFUSED: [filter: Filter, message: RegExp][] = [
  [{ nope: "1" }, /^filter\[nope\] names no field/],
  [{ id: "1" }, /^filter\[id\] names no field/],
  [{ constructor: "1" }, /names no field/],
  [{ name: { like: "x" } }, /^filter\[name\]\[like\]: the operators are eq, ne, /],
  [{ name: { constructor: "x" } }, /the operators are/],
  [{ name: "a\0" }, /^filter\[name\] contains characters/],
  [{ name: "\ud83d" }, /cannot be stored/],
  [{ name: 5 }, /must be a string/],
  [{ n: "five" }, /^filter\[n\] must be an integer/],
  [{ n: "1.5" }, /must be an integer/],
  [{ n: " 5" }, /must be an integer/],
  [{ n: "0x10" }, /must be an integer/],
  [{ n: "9007199254740993" }, /must be an integer/],
  [{ n: { in: "1,x" } }, /^filter\[n\]\[in\] must be an integer/],
  [{ price: "1e400" }, /must be a number/],
  [{ price: "12345678901234567890" }, /^filter\[price\] must be a number/],
  [{ price: "NaN" }, /must be a number/],
  [{ ok: "yes" }, /must be true or false/],
  [{ at: "2026-11-21" }, /with offset/],
  [{ at: { gt: "2024-02-30T00:00:00Z" } }, /^filter\[at\]\[gt\] .*with offset/],
  [{ created_at: "yesterday" }, /with offset/],
  [{ day: "2024-02-30" }, /YYYY-MM-DD/],
  [{ clock: "25:00" }, /HH:MM/],
  [{ n: { contains: "1" } }, /^filter\[n\]\[contains\]: contains is for string and text fields, and n is integer/],
  [{ name: { in: Array(501).fill("x") } }, /more than 500/],
];

const refusal = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof Refusal && error.status === 400, String(error));
    return error.message;
  }
  throw new Error("not refused");
};

Deno.test("filter: an invalid parameter is refused with its name", () => {
  for (const [filter, message] of REFUSED) {
    assert.match(refusal(() => readFilter(table, filter)), message, JSON.stringify(filter).slice(0, 80));
  }
});

Deno.test("filter: orders by any field and by the common columns", () => {
  assert.deepEqual(readOrder(table), { field: "created_at", descending: true }, "the newest first");
  for (const field of [...table.fields.keys(), "created_at", "updated_at", "id"]) {
    assert.deepEqual(readOrder(table, field), { field, descending: false });
    assert.deepEqual(readOrder(table, `-${field}`), { field, descending: true });
  }
  for (
    const sort of [
      "",
      "-",
      "--n",
      "nope",
      "N",
      "n ",
      "table_name",
      "constructor",
      "__proto__",
      "n,nope",
      "n,",
      "n desc",
    ]
  ) {
    assert.match(refusal(() => readOrder(table, sort)), /^sort names no field/, sort);
  }
  const then = [{ field: "name", descending: false }];
  assert.deepEqual(readOrder(table, "-n,name"), { field: "n", descending: true, then });
  assert.match(refusal(() => readOrder(table, "n,-n")), /^sort names n twice/);
});

Deno.test("filter: which ways are indexed", () => {
  const indexed = ["name", "n", "id", "created_at", "updated_at"];
  for (const field of [...table.fields.keys(), "id", "created_at", "updated_at"]) {
    assert.equal(hasIndex(table, { field, descending: true }), indexed.includes(field), field);
  }
  assert.equal(isSelective(table, readFilter(table, { n: "5" })), true);
  assert.equal(isSelective(table, readFilter(table, { name: { in: "a,b" } })), true);
  assert.equal(isSelective(table, readFilter(table, { n: { gt: "5" }, price: "1" })), false);
});
