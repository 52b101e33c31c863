/** Selects the changes for one run: those that the trigger's settings name, as its author sees them. */
import type { Sql } from "../../database/pool.ts";
import type { JsonObject } from "../../input/json_value.ts";
import {
  type CursorPage,
  flatRow,
  type KnownDb,
  matchingRows,
  type SeenChange,
  seenChange,
  type StoredRow,
} from "../../store/store.ts";
import { type Restriction, visibleTo } from "../../visibility.ts";
import type { Chosen, RecordSettings } from "./settings.ts";

/** Characters of JSON: a run has 1 MiB of values in scope. */
const MOST_CHARACTERS = 256 * 1024;

export interface Source {
  db: KnownDb;
  settings: RecordSettings;
  chosen: Chosen;
  /** What the trigger's author sees. */
  reach: Restriction;
}

export interface Batch {
  /** For templates. */
  changes: JsonObject[];
  /** The last change that the batch is done with. */
  until: number;
}

/** @param cron_id changes by runs of this trigger are left out, so that it does not start itself for ever */
export async function batchOf(
  sql: Sql,
  { db, settings, chosen, reach }: Source,
  cron_id: number,
  { seq, changes }: CursorPage,
): Promise<Batch> {
  const sees = ({ department_id }: StoredRow) => visibleTo(reach, department_id);
  const seen = changes.flatMap((change): SeenChange[] => {
    if (change.by_cron_id === cron_id) return [];
    if (settings.table_name !== null && change.table_id !== chosen.table?.id) return [];
    const seen = seenChange(db, change, sees);
    return seen && settings.on.includes(seen.kind) ? [seen] : [];
  });
  const matching = await whichMatch(sql, chosen, seen);
  const batch: Batch = { changes: [], until: changes.at(-1)?.seq ?? seq };
  let characters = 0;
  let taken = 0;
  for (const change of seen.filter((_, index) => matching.has(index))) {
    const value = valueOf(change);
    characters += JSON.stringify(value).length;
    const is_full = batch.changes.length >= settings.at_most ||
      batch.changes.length > 0 && characters > MOST_CHARACTERS;
    if (is_full) return { ...batch, until: taken };
    batch.changes.push(value);
    taken = change.seq;
  }
  return batch;
}

/** Only a filter needs a query; it names one table. */
async function whichMatch(sql: Sql, { table, conditions }: Chosen, seen: readonly SeenChange[]): Promise<Set<number>> {
  if (!table || conditions.length === 0) return new Set(seen.keys());
  const rows = seen.flatMap(({ record, before }) => record ?? before ?? []);
  return await matchingRows(sql, table, conditions, rows);
}

/** A record that is too long for a run is left out: a `record` step reads it. */
function valueOf({ seq, kind, record_id, table, record, before }: SeenChange): JsonObject {
  const head = { seq, kind, record_id, table_name: table.name || null };
  const value = { ...head, record: record && flatRow(table, record), before: before && flatRow(table, before) };
  return JSON.stringify(value).length <= MOST_CHARACTERS
    ? value
    : { ...head, record: null, before: null, too_long: true };
}
