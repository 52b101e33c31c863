/** Records that a change or an undo would lose, whether its caller sees them or not. */
import { createdAt } from "../../database/uuid_v7.ts";
import type { Sql } from "../../database/pool.ts";
import { readSchema } from "../../store/store.ts";
import type { Viewer } from "../../viewer.ts";
import { visible } from "../../visibility.ts";

/** More are not counted. */
const MOST_COUNTED = 1_000_000;

/** All records of a table, at most a million. @param table_name empty in a database with one */
export async function countAll(sql: Sql, account_id: number, db_id: number, table_name: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from (
      select
      from db_tables t
      join dbs d on d.id = t.db_id and d.account_id = ${account_id}
      join records r on r.table_id = t.id
      where t.db_id = ${db_id}
        and t.name = ${table_name}
      limit ${MOST_COUNTED}
    ) counted
  `;
  return row?.count ?? 0;
}

/** A change of a database by a session. */
export interface DbChange {
  /** Of the change. */
  id: string;
  /** The database before it, with the names that the change gave (`renamed`); null if the change has created it. */
  before: Record<string, unknown> | null;
}

/** A record that the session has changed first and last: since its first change, no other user has changed the record. */
export interface OwnRecord {
  id: string;
  /** The values before that change; null if the session has created it. */
  before: Record<string, unknown> | null;
}

/** A table that goes, or fields of one that stays, by their present names. */
interface Lost {
  name: string;
  fields: string[] | null;
}

/**
 * Whether the undo of a session's changes of a database would lose records, or values of fields, that others have written.
 * Of a database that the viewer does not see, nothing is said: its undo is refused.
 *
 * @param changes the earliest first
 * @returns the sentence for a person; undefined where nothing is lost
 */
export async function lossOfUndo(
  sql: Sql,
  viewer: Viewer,
  db_id: number,
  changes: readonly DbChange[],
  own: readonly OwnRecord[],
): Promise<string | undefined> {
  const { account_id } = viewer;
  const [db] = await sql<{ schema: unknown }[]>`
    select schema from dbs where id = ${db_id} and account_id = ${account_id} and ${visible(sql, viewer)}
  `;
  const [first] = changes;
  if (!db || !first) return undefined;
  const since = createdAt(first.id) - LONGEST_WRITE_MS;
  for (const lost of lostBy(db.schema, changes)) {
    const { fields } = lost;
    const isOwn = ({ before }: OwnRecord) =>
      before === null || fields !== null && fields.every((field) => (before[field] ?? null) === null);
    const ids = own.filter(isOwn).map(({ id }) => id);
    if (!await hasOthers(sql, account_id, db_id, lost, since, ids)) continue;
    return fields === null
      ? "It has records that others have written"
      : `Others have written values of ${fields.join(", ")}`;
  }
}

/** A record's time of change is the begin of its transaction. */
const LONGEST_WRITE_MS = 60_000;

interface Rename {
  table_name?: string;
  from: string;
  to: string;
}

/** What the session's changes have brought: the present names are followed back through the renames of each change. */
function lostBy(schema: unknown, changes: readonly DbChange[]): Lost[] {
  const tables = [...readSchema(Object(schema))].map(([name, { fields }]) => ({
    name,
    was: name,
    fields: [...fields.keys()].map((field) => ({ field, was: field })),
  }));
  const lost: Lost[] = [];
  let left = tables;
  for (const { before } of changes.toReversed()) {
    const known = before && readSchema(Object(before.schema));
    const { rename_tables, rename_fields } = Object(Object(before).renamed);
    const older = (renames: unknown, name: string, table?: string) =>
      (Array.isArray(renames) ? renames as Rename[] : []).find(({ to, table_name = "" }) =>
        to === name && (table === undefined || table_name === table)
      )?.from ?? name;
    left = left.flatMap((table) => {
      const was = older(rename_tables, table.was);
      const kept = known?.get(was);
      if (!kept) {
        lost.push({ name: table.name, fields: null });
        return [];
      }
      const fields = table.fields.map(({ field, was }) => ({ field, was: older(rename_fields, was, table.was) }));
      const gone = fields.filter((field) => !kept.fields.has(field.was)).map(({ field }) => field);
      if (gone.length > 0) lost.push({ name: table.name, fields: gone });
      return [{ ...table, was, fields: fields.filter((field) => kept.fields.has(field.was)) }];
    });
  }
  return lost;
}

/** @param since milliseconds since 1970. @param own ids of records that do not count */
async function hasOthers(
  sql: Sql,
  account_id: number,
  db_id: number,
  { name, fields }: Lost,
  since: number,
  own: readonly string[],
): Promise<boolean> {
  const [row] = await sql`
    select
    from db_tables t
    join dbs d on d.id = t.db_id and d.account_id = ${account_id}
    where t.db_id = ${db_id}
      and t.name = ${name}
      and exists (
        select
        from records r
        where r.table_id = t.id
          and r.updated_at >= to_timestamp(${since} / 1000.0)
          and ${fields === null ? sql`true` : sql`r.data ?| ${fields}::text[]`}
          and r.id <> all(${[...own]}::uuid[])
      )
  `;
  return row !== undefined;
}
