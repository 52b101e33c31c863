/** What a schema says about one table: its fields, and which field stands in which index slot. */

export const FIELD_TYPES = ["string", "text", "integer", "number", "boolean", "datetime", "date", "time"] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export interface Field {
  type: FieldType;
  required: boolean;
}

/** Columns beside a record's data; each has an index. Source: spec, "Index names". */
export const SLOTS = ["str_1", "str_2", "str_3", "int_1", "int_2", "time_1", "time_2"] as const;
export type Slot = (typeof SLOTS)[number];

/** A table as its schema defines it. Maps keep the order of the schema. */
export interface Table {
  name: string;
  fields: ReadonlyMap<string, Field>;
  /** Field → slot. */
  slots: ReadonlyMap<string, Slot>;
}

/** A table as it is stored, with what its statements need computed once. */
export interface KnownTable extends Table {
  id: number;
  /**
   * The fields that `q` searches, by their position in a record's `search` column. A removed field keeps its position,
   * so that records need no rewrite.
   */
  searched: readonly string[];
  /** Every field as null. */
  blank: Readonly<Record<string, null>>;
}

/** @param searched see `KnownTable` */
export const knownTable = (table: Table, id: number, searched: readonly string[]): KnownTable => ({
  ...table,
  id,
  searched,
  blank: Object.fromEntries([...table.fields.keys()].map((name) => [name, null])),
});

export const isText = ({ type }: Field): boolean => type === "string" || type === "text";
