/** What a change is to a reader who sees some of the records. */
import { isoOf } from "../../database/iso_time.ts";
import type { KnownDb } from "../definition/known_db.ts";
import type { KnownTable } from "../definition/table.ts";
import type { ChangeKind, StoredChange, StoredRow } from "./stored_change.ts";

export interface SeenChange {
  seq: number;
  /** A record that the reader begins to see is created for it, and one that it sees no longer is deleted. */
  kind: ChangeKind;
  record_id: string;
  table: KnownTable;
  /** Null if the reader does not see it after the change. */
  record: StoredRow | null;
  /** Null if the reader did not see it before the change. */
  before: StoredRow | null;
}

/** @returns undefined if the reader sees the record neither before nor after the change */
export function seenChange(
  db: KnownDb,
  { seq, table_id, record_id, was, became }: StoredChange,
  sees: (row: StoredRow) => boolean,
): SeenChange | undefined {
  const table = [...db.tables.values()].find((table) => table.id === table_id);
  const before = was !== null && sees(was) ? was : null;
  const record = became !== null && sees(became) ? became : null;
  if (!table || before === null && record === null) return undefined;
  const kind = record === null ? "delete" : before === null ? "create" : "update";
  return { seq, kind, record_id, table, record, before };
}

/** A stored row as flat records are sent. */
export const flatRow = (table: KnownTable, { id, data, created_at, updated_at }: StoredRow) => ({
  ...dataOf(table, data),
  id,
  created_at: isoOfRow(created_at),
  updated_at: isoOfRow(updated_at),
});

/** Every field of the table; blank ones are null. */
export const dataOf = ({ fields }: KnownTable, data: StoredRow["data"]) =>
  Object.fromEntries([...fields.keys()].map((name) => [name, Object.hasOwn(data, name) ? data[name] ?? null : null]));

/** A time of a stored row as the API writes it. */
export const isoOfRow = (moment: string): string => isoOf(Date.parse(moment));
