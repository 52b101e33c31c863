/** What a draft of a schema sends, and what it says of it before. */
import { deepEqual, equal } from "node:assert/strict";
import {
  changesOf,
  countOf,
  draftOf,
  effectsOf,
  faultOf,
  fieldAt,
  goneNames,
  newField,
  newTable,
  setType,
} from "./changes.ts";

const FIELDS = [
  { name: "author", type: "string" as const, required: true, slot: "str_1" },
  { name: "n", type: "integer" as const, required: false },
];

Deno.test("schema draft: renamed fields and tables are sent as renames, with the schema that has the new names", () => {
  const [orders, notes] = [draftOf({ name: "orders", fields: FIELDS }), draftOf({ name: "notes", fields: [] })];
  const [author] = orders.fields;
  if (author) author.name = "writer";
  orders.name = "sales";
  orders.fields.push(newField("color"));
  const added = newTable("people");
  equal(countOf(orders), 3);
  deepEqual(changesOf([orders, added], [notes]), {
    schema: {
      tables: {
        sales: {
          fields: { writer: { type: "string", required: true }, n: "integer", color: "string" },
          indexed_fields: ["writer"],
        },
        people: { fields: {}, indexed_fields: [] },
      },
    },
    rename_tables: [{ from: "orders", to: "sales" }],
    rename_fields: [{ table_name: "sales", from: "author", to: "writer" }],
    drop_tables: ["notes"],
  });
  deepEqual(goneNames([orders, added], [notes]), ["orders", "author", "notes"]);
  deepEqual(effectsOf(orders, 2).map(({ text }) => text), [
    "The table orders is renamed to sales: its 2 records and its views stay.",
    "author is renamed to writer: its values in 2 records stay. Public methods and views follow.",
    "color is added, blank in 2 records.",
  ]);
  const single = draftOf({ name: "", fields: FIELDS });
  deepEqual(changesOf([single], []).rename_tables, []);
  single.name = "orders";
  deepEqual(changesOf([single, added], []).rename_tables, [{ from: "", to: "orders" }]);
});

Deno.test("schema draft: a name that cannot be is refused while it is typed", () => {
  equal(faultOf("writer", ["n"]), undefined);
  equal(faultOf("n", ["n"]), "There is n already.");
  equal(faultOf("2nd", []), "2nd: a name is a letter and at most 62 letters, digits and _.");
  equal(faultOf("", []), "A blank name: a name is a letter and at most 62 letters, digits and _.");
  equal(faultOf("a".repeat(63), []), undefined);
  equal(faultOf("a".repeat(64), []), `${"a".repeat(64)}: a name is a letter and at most 62 letters, digits and _.`);
  equal(faultOf("created_at", []), "created_at is a name of the record's own.");
});

Deno.test("schema draft: a refusal finds its field by table and name, as they were sent", () => {
  const [alone, orders] = [draftOf({ name: "", fields: FIELDS }), draftOf({ name: "orders", fields: FIELDS })];
  equal(fieldAt([alone], "schema.fields.n")?.field, alone.fields[1]);
  equal(fieldAt([orders], "schema.tables.orders.fields.author.type")?.field, orders.fields[0]);
  for (const path of ["schema", "schema.fields.none", "schema.tables.orders.fields.n", "name"]) {
    equal(fieldAt([alone], path), undefined, path);
  }
});

Deno.test("schema draft: a field that gets its first type back takes its slot again where that is free", () => {
  const { fields } = draftOf({ name: "", fields: FIELDS });
  const [author, n] = fields;
  if (!author || !n) throw new Error("the table has two fields");
  setType(author, "integer", fields);
  equal(author.slot, undefined);
  setType(author, "number", fields);
  setType(author, "string", fields);
  equal(author.slot, "str_1");
  deepEqual(effectsOf({ ...draftOf({ name: "", fields: [] }), fields }, 2), []);

  setType(author, "boolean", fields);
  setType(n, "text", fields);
  n.slot = "str_1";
  setType(author, "string", fields);
  equal(author.slot, undefined, "another field has it");
  n.slot = undefined;
  setType(author, "text", fields);
  equal(author.slot, "str_1");
  author.slot = undefined;
  setType(author, "integer", fields);
  setType(author, "text", fields);
  equal(author.slot, undefined, "it was taken out of its slot on purpose");
});
