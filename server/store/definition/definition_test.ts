import assert from "node:assert/strict";
import { Refusal } from "../../errors.ts";
import { readSchema } from "./definition.ts";
import { FIELD_TYPES, SLOTS, type Table } from "./table.ts";

const shown = ({ fields, slots }: Table) => ({
  fields: Object.fromEntries([...fields].map(([name, { type, required }]) => [name, required ? `${type}!` : type])),
  slots: Object.fromEntries(slots),
});

/** The only table of a schema that must be right. */
function tableOf(schema: unknown): Table {
  const [table] = readSchema(schema).values();
  assert.ok(table);
  return table;
}

/** The fields of the refusal that a schema must end with. */
function refused(schema: unknown): Record<string, string[]> {
  try {
    readSchema(schema);
  } catch (error) {
    assert.ok(error instanceof Refusal && error.status === 422 && error.fields, String(error));
    return error.fields;
  }
  throw new Error(`not refused: ${JSON.stringify(schema)}`);
}

Deno.test("definition: one table, with fields in both notations, has the name of nothing", () => {
  const tables = readSchema({
    fields: { message: { type: "text", required: true }, author: "string", likes: { type: "integer" } },
    indexes: { idx_str_2: "author", idx_int_1: "likes" },
  });
  assert.deepEqual([...tables.keys()], [""]);
  assert.deepEqual(shown(tables.get("") ?? assert.fail()), {
    fields: { message: "text!", author: "string", likes: "integer" },
    slots: { author: "str_2", likes: "int_1" },
  });
});

Deno.test("definition: several tables, each with every index slot to itself", () => {
  const table = {
    fields: { a: "string", b: "text", c: "time", d: "integer", e: "boolean", f: "datetime", g: "date" },
    indexed_fields: ["a", "b", "c", "d", "e", "f", "g"],
  };
  const tables = readSchema({ tables: { one: table, two: table } });
  assert.deepEqual([...tables.keys()], ["one", "two"]);
  for (const { slots } of tables.values()) {
    assert.deepEqual([...slots], [...slots.keys()].map((name, i) => [name, SLOTS[i]]));
  }
});

Deno.test("definition: all eight types, and fields in the order of the schema", () => {
  const fields = Object.fromEntries(FIELD_TYPES.toReversed().map((type) => [`a_${type}`, type]));
  assert.deepEqual([...tableOf({ fields }).fields.keys()], FIELD_TYPES.toReversed().map((type) => `a_${type}`));
  assert.equal(FIELD_TYPES.length, 8);
  assert.deepEqual(shown(tableOf({ fields: {} })), { fields: {}, slots: {} }, "no field at all");
});

Deno.test("definition: names of Object.prototype are ordinary names", () => {
  const names = ["constructor", "toString", "hasOwnProperty", "valueOf", "_".padStart(63, "x")];
  const { fields } = tableOf({ fields: Object.fromEntries(names.map((name) => [name, "string"])) });
  assert.deepEqual([...fields.keys()], names);
  assert.deepEqual(readSchema({ tables: { constructor: { fields: {} } } }).size, 1);
  const polluting = '{"fields":{"__proto__":{"type":"string"},"a":"string"}}';
  assert.deepEqual([...tableOf(JSON.parse(polluting)).fields.keys()], ["a"]);
  assert.equal(Reflect.get({}, "type"), undefined);
});

Deno.test("definition: indexed_fields get slots by type, in order", () => {
  const fields = {
    s: "string",
    t: "text",
    c: "time",
    n: "integer",
    b: "boolean",
    at: "datetime",
    d: "date",
    e: "date",
  };
  const rows: [indexed_fields: string[], slots: Record<string, string>][] = [
    [[], {}],
    [["t", "s"], { t: "str_1", s: "str_2" }],
    [["n", "s", "b"], { n: "int_1", s: "str_1", b: "int_2" }],
    [["d", "e"], { d: "time_1", e: "time_2" }],
    // A date takes what is left of both kinds that it fits.
    [["d", "e", "at"], { at: "time_1", d: "time_2", e: "str_1" }],
    [["d", "s", "t", "c", "at"], { s: "str_1", t: "str_2", c: "str_3", at: "time_1", d: "time_2" }],
  ];
  for (const [indexed_fields, slots] of rows) {
    const table = readSchema({ tables: { t: { fields, indexed_fields } } }).get("t") ?? assert.fail();
    assert.deepEqual(shown(table).slots, slots, indexed_fields.join());
  }
});

/** The field types that each kind of slot accepts. */
const TAKES: Record<string, string[]> = {
  str: ["string", "text", "time", "date"],
  int: ["integer", "boolean"],
  time: ["datetime", "date"],
};

Deno.test("definition: each slot takes the fields of its kind and no others", () => {
  for (const slot of SLOTS) {
    const takes = TAKES[slot.split("_")[0] ?? ""] ?? assert.fail(slot);
    for (const type of FIELD_TYPES) {
      const schema = { fields: { a: type }, indexes: { [`idx_${slot}`]: "a" } };
      if (takes.includes(type)) assert.deepEqual([...tableOf(schema).slots], [["a", slot]]);
      else {assert.match(
          refused(schema).schema?.join() ?? "",
          new RegExp(`^indexes.idx_${slot} takes .+ a is ${type}$`),
        );}
    }
  }
});

const string = { a: "string" };
const NAME = /a letter and at most 62/;
const many = (count: number, of: unknown) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, of]));

/** What is wrong, and what a caller is told by path. */
const MISUSES: [name: string, schema: unknown, told: Record<string, RegExp>][] = [
  ["null", null, { schema: /blank/ }],
  ["a list", [], { schema: /object/ }],
  ["nothing in it", {}, { "schema.fields": /blank/ }],
  ["fields that are a list", { fields: ["a"] }, { "schema.fields": /object/ }],
  ["fields and tables", { fields: string, tables: { t: { fields: {} } } }, { "schema.fields": /not a known/ }],
  ["indexes beside tables", { tables: { t: { fields: {} } }, indexes: {} }, { "schema.indexes": /not a known/ }],
  ["an unknown key", { fields: string, indexs: {} }, { "schema.indexs": /not a known/ }],
  ["indexed_fields of one table", { fields: string, indexed_fields: ["a"] }, {
    "schema.indexed_fields": /not a known/,
  }],
  ["an unknown type", { fields: { a: "String" } }, { "schema.fields.a.type": /^is not included in the list: .*time$/ }],
  ["an unknown type, written out", { fields: { a: { type: "int" } } }, { "schema.fields.a.type": /not included/ }],
  ["a type that is a name of objects", { fields: { a: "constructor" } }, { "schema.fields.a.type": /not included/ }],
  ["no type", { fields: { a: {} } }, { "schema.fields.a.type": /not included/ }],
  ["a field that is a number", { fields: { a: 5 } }, { "schema.fields.a": /object/ }],
  ["a field that is null", { fields: { a: null } }, { "schema.fields.a": /blank/ }],
  ["an unknown key of a field", { fields: { a: { type: "string", requird: true } } }, {
    "schema.fields.a.requird": /not a known/,
  }],
  ["required that is a text", { fields: { a: { type: "string", required: "yes" } } }, {
    "schema.fields.a.required": /boolean/,
  }],
  ["names of the record's own", {
    fields: { id: "string", created_at: "date", updated_at: "date", table_name: "text" },
  }, {
    "schema.fields.id": /own/,
    "schema.fields.created_at": /own/,
    "schema.fields.updated_at": /own/,
    "schema.fields.table_name": /own/,
  }],
  [
    "names that are none",
    { fields: { "": "string", "1a": "string", "a b": "string", "a.b": "string", _a: "string" } },
    {
      "schema.fields.": NAME,
      "schema.fields.1a": NAME,
      "schema.fields.a b": NAME,
      "schema.fields.a.b": NAME,
      "schema.fields._a": NAME,
    },
  ],
  ["a name of 64 letters", { fields: { ["x".repeat(64)]: "string" } }, { [`schema.fields.${"x".repeat(64)}`]: NAME }],
  ["201 fields", { fields: many(201, "string") }, { "schema.fields": /more than 200 fields/ }],
  ["no table", { tables: {} }, { "schema.tables": /blank/ }],
  ["51 tables", { tables: many(51, { fields: {} }) }, { "schema.tables": /more than 50 tables/ }],
  ["a table's name that is none", { tables: { "a b": { fields: {} } } }, { "schema.tables.a b": NAME }],
  ["a table without fields", { tables: { t: {} } }, { "schema.tables.t.fields": /blank/ }],
  ["a table with indexes", { tables: { t: { fields: {}, indexes: {} } } }, {
    "schema.tables.t.indexes": /not a known/,
  }],
  ["a fault in one of several tables", { tables: { t: { fields: {} }, u: { fields: { a: "x" } } } }, {
    "schema.tables.u.fields.a.type": /not included/,
  }],
  ["an index on a list", { fields: string, indexes: { idx_str_1: ["a"] } }, { "schema.indexes.idx_str_1": /string/ }],
  ["indexes that are a list", { fields: string, indexes: ["a"] }, { "schema.indexes": /object/ }],
  ["an unknown field", { fields: string, indexes: { idx_str_1: "b" } }, {
    schema: /^indexes.idx_str_1 .* b, .*not there/,
  }],
  ["unknown slots", { fields: string, indexes: { idx_str_4: "a", idx_str_0: "a", str_1: "a", idx_num_1: "a" } }, {
    schema: /idx_str_4 is not.*\n.*idx_str_0 is not.*\n.*\.str_1 is not.*\n.*idx_num_1 is not/,
  }],
  ["a field in two slots", { fields: string, indexes: { idx_str_1: "a", idx_str_2: "a" } }, {
    schema: /^indexes.idx_str_2 .*indexed already$/,
  }],
  ["an unknown indexed field", { tables: { t: { fields: string, indexed_fields: ["a", "b"] } } }, {
    schema: /^tables.t.indexed_fields.1 .*not there$/,
  }],
  ["a field indexed twice", { tables: { t: { fields: string, indexed_fields: ["a", "a"] } } }, {
    schema: /^tables.t.indexed_fields.1 .*twice$/,
  }],
  ["an indexed number", { tables: { t: { fields: { a: "number" }, indexed_fields: ["a"] } } }, {
    schema: /^tables.t.indexed_fields.0 .*number fields have no/,
  }],
  ["a fourth text", { tables: { t: { fields: many(4, "string"), indexed_fields: Object.keys(many(4, 0)) } } }, {
    schema: /^tables.t.indexed_fields.3 .*every index slot for its type is taken$/,
  }],
  ["a third integer", { tables: { t: { fields: many(3, "boolean"), indexed_fields: Object.keys(many(3, 0)) } } }, {
    schema: /^tables.t.indexed_fields.2 .*taken$/,
  }],
  ["a sixth date", { tables: { t: { fields: many(6, "date"), indexed_fields: Object.keys(many(6, 0)) } } }, {
    schema: /^tables.t.indexed_fields.5 .*taken$/,
  }],
];

Deno.test("definition: every fault is reported with its path", async (t) => {
  for (const [name, schema, told] of MISUSES) {
    await t.step(name, () => {
      const fields = refused(schema);
      assert.deepEqual(Object.keys(fields).sort(), Object.keys(told).sort());
      for (const [path, pattern] of Object.entries(told)) assert.match(fields[path]?.join("\n") ?? "", pattern, path);
    });
  }
});

Deno.test("definition: 50 tables and 200 fields are the most", () => {
  assert.equal(tableOf({ fields: many(200, "string") }).fields.size, 200);
  assert.equal(readSchema({ tables: many(50, { fields: {} }) }).size, 50);
});
