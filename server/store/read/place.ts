import type { Actor } from "../../actor.ts";
import type { KnownDb } from "../definition/known_db.ts";
import type { KnownTable } from "../definition/table.ts";
import { type Part, part } from "../../database/part.ts";

/** A table, and which of its records the caller may see. */
export interface Place {
  db: KnownDb;
  table: KnownTable;
  /** A condition on a row of `records`. */
  allowed: Part;
  /** Whom the audit log names for writes; undefined where they are audited in another way, or not at all. */
  by: Actor | undefined;
  /** The trigger whose run writes. Its own changes do not start it. */
  by_cron_id?: number | undefined;
}

/** `nested`: a record's values are inside `data`. `flat`: they are beside `id` and the times. */
export type Shape = "nested" | "flat";

/** The condition that selects one record. */
export const one = (place: Place, id: string): Part => part`id = ${id} and ${within(place)}`;

/** The condition on the records of the place, which must be selected by their ids. */
export const within = ({ table, allowed }: Place): Part => part`table_id = ${table.id} and ${allowed}`;

/** The table's name in records; null in a database with a single table. */
export const tableNameOf = (db: KnownDb, { name }: KnownTable): string | null => db.tables.has("") ? null : name;
