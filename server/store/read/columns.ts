/** The SQL of a record's fields: index slots, timestamp columns and values in `data`. */
import { type Part, part } from "../../database/part.ts";
import type { FieldType, KnownTable, Slot } from "../definition/table.ts";

/** The timestamp columns of every record. */
const MOMENTS: Record<string, Part> = { created_at: part`created_at`, updated_at: part`updated_at` };

export const momentOf = (name: string): Part | undefined => Object.hasOwn(MOMENTS, name) ? MOMENTS[name] : undefined;

export const SLOT_COLUMNS: Record<Slot, Part> = {
  str_1: part`str_1`,
  str_2: part`str_2`,
  str_3: part`str_3`,
  int_1: part`int_1`,
  int_2: part`int_2`,
  time_1: part`time_1`,
  time_2: part`time_2`,
};

export const typeOf = ({ fields }: KnownTable, name: string): FieldType | undefined =>
  fields.get(name)?.type ?? (momentOf(name) && "datetime");

/** The SQL for a field's text in comparisons. A blank is the empty text, and a time without seconds gets `:00`. */
export const textAt = (table: KnownTable, field: string): Part =>
  typeOf(table, field) === "time"
    ? part`coalesce(rpad(data ->> ${field}, 8, ':00'), '') collate "C"`
    : part`coalesce(data ->> ${field}, '') collate "C"`;
