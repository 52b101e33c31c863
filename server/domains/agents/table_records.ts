/** Records that a change or an undo would lose, whether its caller sees them or not. */
import { createdAt } from "../../database/uuid_v7.ts";
import type { Sql } from "../../database/pool.ts";
import { readSchema } from "../../store/store.ts";

/** Whether a table has records. @param table_name empty in a database with one */
export const hasRecords = async (sql: Sql, account_id: number, db_id: number, table_name: string): Promise<boolean> =>
  (await tablesOfOthers(sql, account_id, db_id, [{ name: table_name, fields: null }], 0, [])).length > 0;

/** A change of a database by a session. */
export interface DbChange {
  /** Of the change. */
  id: string;
  /** The database before it; null if the change has created it. */
  before: Record<string, unknown> | null;
}

interface Rename {
  table_name?: string;
  to: string;
}

/**
 * Whether the undo of a session's changes of a database would lose records, or values of fields, that the session has not
 * written itself.
 *
 * @param changes the earliest first
 * @param own ids of records that the session has written
 * @returns the sentence for a person; undefined where nothing is lost
 */
export async function lossOfUndo(
  sql: Sql,
  account_id: number,
  db_id: number,
  changes: readonly DbChange[],
  own: readonly string[],
): Promise<string | undefined> {
  const [db] = await sql<{ schema: unknown }[]>`
    select schema from dbs where id = ${db_id} and account_id = ${account_id}
  `;
  const [first] = changes;
  if (!db || !first) return undefined;
  const present = readSchema(Object(db.schema));
  const before = first.before && readSchema(Object(first.before.schema));
  const renames = changes.map(({ before }) => Object(Object(before).renamed));
  const named = (list: unknown) => (Array.isArray(list) ? list : []) as Rename[];
  const tables = new Set(renames.flatMap(({ rename_tables }) => named(rename_tables)).map(({ to }) => to));
  const fields = new Set(renames.flatMap(({ rename_fields }) => named(rename_fields)).map(({ to }) => to));
  const lost = [...present].flatMap(([name, table]): Lost[] => {
    const kept = before?.get(name);
    // What had another name goes back to it.
    if (tables.has(name)) return [];
    if (!kept) return [{ name, fields: null }];
    const gone = [...table.fields.keys()].filter((field) => !kept.fields.has(field) && !fields.has(field));
    return gone.length === 0 ? [] : [{ name, fields: gone }];
  });
  const [found] = await tablesOfOthers(sql, account_id, db_id, lost, createdAt(first.id), own);
  if (!found) return undefined;
  return found.fields === null
    ? "It has records that others have written"
    : `Others have written values of ${found.fields.join(", ")}`;
}

/** A table that goes, or fields of one that stays. */
interface Lost {
  name: string;
  fields: string[] | null;
}

/** @param since milliseconds since 1970: values of fields that are younger than this are in records written since */
async function tablesOfOthers(
  sql: Sql,
  account_id: number,
  db_id: number,
  lost: readonly Lost[],
  since: number,
  own: readonly string[],
): Promise<Lost[]> {
  if (lost.length === 0) return [];
  return await sql<Lost[]>`
    select l.name, l.fields
    from json_to_recordset(${JSON.stringify(lost)}::text::json) l (name text, fields text[])
    join db_tables t on t.db_id = ${db_id} and t.name = l.name
    join dbs d on d.id = t.db_id and d.account_id = ${account_id}
    where exists (
      select
      from records r
      where r.table_id = t.id
        and r.updated_at >= to_timestamp(${since} / 1000.0)
        and (l.fields is null or r.data ?| l.fields)
        and r.id <> all(${[...own]}::uuid[])
    )
    limit 1
  `;
}
