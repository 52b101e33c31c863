/** A database's schema as the console reads it: tables with their fields and index slots. */
import type { api } from "../../api.ts";
import type { IconName } from "../../parts/icons.ts";

export type Db = Awaited<ReturnType<typeof api.dbs.find.query>>;
export type ListedDb = Awaited<ReturnType<typeof api.dbs.list.query>>[number];

export const TYPES = ["string", "text", "integer", "number", "boolean", "datetime", "date", "time"] as const;
export type FieldType = (typeof TYPES)[number];

export const TYPE_WORDS: Record<FieldType, { name: string; icon: IconName; note: string }> = {
  string: { name: "String", icon: "type", note: "at most 255 characters" },
  text: { name: "Text", icon: "text-align-start", note: "any length, several lines" },
  integer: { name: "Integer", icon: "hash", note: "whole numbers" },
  number: { name: "Number", icon: "decimals", note: "with a fraction" },
  boolean: { name: "Yes or no", icon: "toggle-left", note: "true or false" },
  datetime: { name: "Date and time", icon: "calendar-clock", note: "a moment, stored in UTC" },
  date: { name: "Date", icon: "calendar", note: "a day of the calendar" },
  time: { name: "Time", icon: "clock", note: "of a day" },
};

export interface Field {
  name: string;
  type: FieldType;
  required: boolean;
  /** Such as `str_1`; undefined for a field without an index. */
  slot?: string | undefined;
}

export interface Table {
  /** Empty where the database has one table. */
  name: string;
  fields: Field[];
}

export const SLOTS = ["str_1", "str_2", "str_3", "int_1", "int_2", "time_1", "time_2"] as const;
type Kind = "str" | "int" | "time";

export const SLOT_TYPES: Record<Kind, readonly FieldType[]> = {
  str: ["string", "text", "time", "date"],
  int: ["integer", "boolean"],
  time: ["datetime", "date"],
};

export const kindOf = (slot: string): Kind => slot.startsWith("str") ? "str" : slot.startsWith("int") ? "int" : "time";

/** The kinds of slots for a type, the preferred one first. */
export const kindsFor = (type: FieldType): Kind[] =>
  (["int", "time", "str"] as const).filter((kind) => SLOT_TYPES[kind].includes(type));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isType = (value: unknown): value is FieldType => TYPES.some((type) => type === value);

function fieldsOf(fields: unknown): Field[] {
  if (!isObject(fields)) return [];
  return Object.entries(fields).flatMap(([name, field]) => {
    const type = isObject(field) ? field.type : field;
    return isType(type) ? [{ name, type, required: isObject(field) && field.required === true }] : [];
  });
}

/** The slots as the server assigns them to the fields of a table among several: dates last. */
function slotsByType(fields: Field[], names: unknown): Field[] {
  if (!Array.isArray(names)) return fields;
  const slots = new Map<string, string>();
  const typeOf = (name: unknown) => fields.find((field) => field.name === name)?.type;
  const dates_last = names.toSorted((one, other) => Number(typeOf(one) === "date") - Number(typeOf(other) === "date"));
  for (const name of dates_last) {
    const type = typeOf(name);
    const taken = new Set(slots.values());
    const free = type &&
      kindsFor(type).flatMap((kind) => SLOTS.filter((slot) => kindOf(slot) === kind)).find((slot) => !taken.has(slot));
    if (free) slots.set(name, free);
  }
  return fields.map((field) => ({ ...field, slot: slots.get(field.name) }));
}

/** The tables of a schema in either notation; docs/databases.md. */
export function tablesOf(schema: unknown): Table[] {
  if (!isObject(schema)) return [];
  if (isObject(schema.tables)) {
    return Object.entries(schema.tables).map(([name, table]) => ({
      name,
      fields: isObject(table) ? slotsByType(fieldsOf(table.fields), table.indexed_fields) : [],
    }));
  }
  const by_field = new Map(
    Object.entries(isObject(schema.indexes) ? schema.indexes : {}).map(([index, name]) => [name, index.slice(4)]),
  );
  return [{ name: "", fields: fieldsOf(schema.fields).map((field) => ({ ...field, slot: by_field.get(field.name) })) }];
}

type SentSchema = NonNullable<Parameters<typeof api.dbs.create.mutate>[0]["db"]["schema"]>;

/** The schema that says these tables. */
export function schemaOf(tables: readonly Table[]): SentSchema {
  const fieldsIn = ({ fields }: Table) =>
    Object.fromEntries(
      fields.map(({ name, type, required }) => [name, required ? { type: `${type}`, required } : `${type}`]),
    );
  const [first] = tables;
  if (first?.name === "") {
    const slotted = first.fields.flatMap(({ name, slot }) => slot ? [[`idx_${slot}`, name]] : []);
    return { fields: fieldsIn(first), indexes: Object.fromEntries(slotted) };
  }
  return {
    tables: Object.fromEntries(tables.map((table) => [table.name, {
      fields: fieldsIn(table),
      indexed_fields: table.fields.filter(({ slot }) => slot).map(({ name }) => name),
    }])),
  };
}

/** Parts of a database's address that are no tables. */
export const PARTS = ["schema", "public", "api"] as const;
const isPart = (name: string) => PARTS.some((part) => part === name);

/** The address of a table's records. A table that is named like a part has a tilde in front. */
export const addressOf = (code: string, table: string): string =>
  `/data/${code}/${table === "" ? "records" : isPart(table) ? `~${table}` : table}`;

/** Fields that every record has. They cannot be changed. */
export const OWN_FIELDS: readonly Field[] = [
  { name: "id", type: "string", required: true },
  { name: "created_at", type: "datetime", required: true },
  { name: "updated_at", type: "datetime", required: true },
];

export const isOwn = (name: string): boolean => OWN_FIELDS.some((field) => field.name === name);

/** `in_stock` → `In stock` */
export const wordsOf = (name: string): string => {
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
