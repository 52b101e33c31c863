import assert from "node:assert/strict";
import { readSchema } from "./definition.ts";
import { type KnownTable, knownTable } from "./table.ts";
import { typesOf } from "./typescript_types.ts";

function known(schema: unknown): ReadonlyMap<string, KnownTable> {
  const tables = [...readSchema(schema)].map(([name, table]): [string, KnownTable] => [
    name,
    knownTable(table, 1, []),
  ]);
  return new Map(tables);
}

Deno.test("types: one table is named after its database", () => {
  const tables = known({ fields: { title: { type: "string", required: true }, stars: "integer", at: "datetime" } });
  assert.equal(
    typesOf({ code: "guest_book", tables }),
    `// The tables of the database guest_book. Generated: ask again when its schema has changed.

export interface GuestBookFields {
  title: string;
  /** A whole number. */
  stars: number | null;
  /** ISO 8601 with offset. */
  at: string | null;
}

export interface GuestBook extends GuestBookFields {
  /** UUID. */
  id: string;
  /** ISO 8601 in UTC. */
  created_at: string;
  /** ISO 8601 in UTC. */
  updated_at: string;
}
`,
  );
});

Deno.test("types: several tables have an index, and names of their own", () => {
  const fields = { n: "number", ok: "boolean" };
  const text = typesOf({
    code: "shop",
    tables: known({ tables: { order_line: { fields }, orderLine: { fields }, tables: { fields }, x: { fields: {} } } }),
  });
  for (const name of ["OrderLine", "OrderLine2", "Tables2", "X"]) {
    assert.match(text, new RegExp(`export interface ${name} extends ${name}Fields \\{`));
  }
  assert.match(text, /export interface Tables \{\n {2}order_line: OrderLine;\n {2}orderLine: OrderLine2;\n/);
});

Deno.test("types: a code that begins with a digit is still a name", () => {
  assert.match(typesOf({ code: "2026", tables: known({ fields: {} }) }), /export interface T2026 extends T2026Fields/);
});
