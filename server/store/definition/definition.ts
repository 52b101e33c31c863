/**
 * Reads a database's `schema`: its tables, their fields, and the index slot of each indexed field.
 *
 * | notation | of |
 * |---|---|
 * | `{ fields: { name: "string" }, indexes: { idx_str_1: "name" } }` | one table, named "" |
 * | `{ tables: { people: { fields, indexed_fields: ["name"] } } }` | several |
 */
import { z } from "zod";
import { type Fields, invalid } from "../../errors.ts";
import { fieldsOf as fieldsOfIssues } from "../../input/messages.ts";
import { type Field, FIELD_TYPES, type FieldType, type Slot, SLOTS, type Table } from "./table.ts";

type SlotKind = "str" | "int" | "time";

/** The field types that each kind of slot accepts. */
const KINDS: Record<SlotKind, readonly FieldType[]> = {
  str: ["string", "text", "time", "date"],
  int: ["integer", "boolean"],
  time: ["datetime", "date"],
};

/**
 * The kinds of slots for a type, in order of preference. A date fits `time` and `str`, which order it in the same way.
 */
const kindsFor = (type: FieldType): SlotKind[] =>
  (["int", "time", "str"] as const).filter((kind) => KINDS[kind].includes(type));

const kindOf = (slot: Slot): SlotKind => slot.startsWith("str") ? "str" : slot.startsWith("int") ? "int" : "time";

const MOST_TABLES = 50;
const MOST_FIELDS = 200;

/** Names of keys that every flat record has. */
const TAKEN = new Set(["id", "created_at", "updated_at", "table_name"]);

/** A letter, then letters, digits and underscores. */
export const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

const FieldName = z.string().regex(FIELD_NAME, "must be a letter and at most 62 letters, digits and _")
  .refine((name) => !TAKEN.has(name), "is a name of the record's own");
const TableName = z.string().regex(FIELD_NAME, "must be a letter and at most 62 letters, digits and _");

const Type = z.custom<FieldType>(
  (type) => FIELD_TYPES.some((known) => known === type),
  `is not included in the list: ${FIELD_TYPES.join(", ")}`,
);
/** `"string"` is short for `{ type: "string" }`. */
const FieldSchema = z.preprocess(
  (field) => typeof field === "string" ? { type: field } : field,
  z.strictObject({ type: Type, required: z.boolean().default(false) }),
);
const FieldsSchema = z.record(FieldName, FieldSchema)
  .refine((fields) => Object.keys(fields).length <= MOST_FIELDS, `has more than ${MOST_FIELDS} fields`);

const IndexesSchema = z.record(z.string(), z.string());

const SingleSchema = z.strictObject({ fields: FieldsSchema, indexes: IndexesSchema.default({}) });
const TableSchema = z.strictObject({ fields: FieldsSchema, indexed_fields: z.array(z.string()).default([]) });
const TablesSchema = z.strictObject({
  tables: z.record(TableName, TableSchema)
    .refine((tables) => Object.keys(tables).length > 0, "can't be blank")
    .refine((tables) => Object.keys(tables).length <= MOST_TABLES, `has more than ${MOST_TABLES} tables`),
});

/**
 * Reads a schema.
 *
 * @returns tables by name; the table of a single-table schema is named ""
 * @throws {Refusal} 422: faults of the shape are keyed by path (`schema.fields.age`), faults of indexes by `schema`
 */
export function readSchema(schema: unknown): Map<string, Table> {
  const several = typeof schema === "object" && schema !== null && "tables" in schema;
  const parsed = several ? TablesSchema.safeParse(schema) : SingleSchema.safeParse(schema);
  if (!parsed.success) throw invalid(faultsOf(parsed.error));
  const faults: string[] = [];
  const refuse = (path: string, message: string) => faults.push(`${path} ${message}`);
  const tables = "tables" in parsed.data
    ? Object.entries(parsed.data.tables).map(([name, { fields, indexed_fields }]) => {
      const known = new Map(Object.entries(fields));
      const slots = slotsByType(
        known,
        indexed_fields,
        (i, text) => refuse(`tables.${name}.indexed_fields.${i}`, text),
      );
      return { name, fields: known, slots };
    })
    : [single(parsed.data, refuse)];
  if (faults.length > 0) throw invalid({ schema: faults });
  return new Map(tables.map((table) => [table.name, table]));
}

function single({ fields, indexes }: z.output<typeof SingleSchema>, refuse: (path: string, text: string) => void) {
  const known = new Map(Object.entries(fields));
  return {
    name: "",
    fields: known,
    slots: slotsByName(known, indexes, (slot, text) => refuse(`indexes.${slot}`, text)),
  };
}

function slotsByName(
  fields: ReadonlyMap<string, Field>,
  indexes: Record<string, string>,
  refuse: (slot: string, message: string) => void,
): Map<string, Slot> {
  const slots = new Map<string, Slot>();
  for (const [index, name] of Object.entries(indexes)) {
    const slot = SLOTS.find((slot) => index === `idx_${slot}`);
    const field = fields.get(name);
    if (!slot) refuse(index, "is not an index slot: idx_str_1 to 3, idx_int_1 to 2, idx_time_1 to 2");
    else if (!field) refuse(index, `names the field ${name}, which is not there`);
    else if (!KINDS[kindOf(slot)].includes(field.type)) {
      refuse(index, `takes ${KINDS[kindOf(slot)].join(", ")} fields, and ${name} is ${field.type}`);
    } else if (slots.has(name)) refuse(index, `names the field ${name}, which is indexed already`);
    else slots.set(name, slot);
  }
  return slots;
}

function slotsByType(
  fields: ReadonlyMap<string, Field>,
  names: readonly string[],
  refuse: (index: number, message: string) => void,
): Map<string, Slot> {
  const slots = new Map<string, Slot>();
  // Dates fit two kinds of slots, so they come last and take a slot that is left.
  const isDate = (name: string) => Number(fields.get(name)?.type === "date");
  for (const [index, name] of [...names.entries()].toSorted(([, a], [, b]) => isDate(a) - isDate(b))) {
    const field = fields.get(name);
    if (!field) refuse(index, `names the field ${name}, which is not there`);
    else if (field.type === "number") refuse(index, `names the field ${name}: number fields have no index slot`);
    else if (slots.has(name)) refuse(index, `names the field ${name} twice`);
    else {
      const used = new Set(slots.values());
      const free = kindsFor(field.type).flatMap((kind) => SLOTS.filter((slot) => kindOf(slot) === kind))
        .find((slot) => !used.has(slot));
      if (free) slots.set(name, free);
      else refuse(index, `names the field ${name}: every index slot for its type is taken`);
    }
  }
  return slots;
}

/** Faults of the shape, keyed by dotted path from `schema` on. */
const faultsOf = ({ issues }: z.ZodError): Fields =>
  Object.fromEntries(
    Object.entries(fieldsOfIssues(issues)).map(([path, messages]) => [
      path === "base" ? "schema" : `schema.${path}`,
      messages,
    ]),
  );
