/** Records: one statement each, on the table of a database as it is known. Who may see which is the caller's filter. */
import type { Sql } from "../../database/pool.ts";
import { Json } from "../../database/json.ts";
import { fold } from "../../input/shapes.ts";
import { followedBy } from "../feed/changes.ts";
import { type Part, part, run } from "../statement/part.ts";
import { createdAt, newRecordId } from "../read/record_id.ts";
import { heldDb, provenDb, STALE } from "../statement/statement.ts";
import type { KnownDb, KnownTable, Slot } from "../store.ts";
import { allSlotsOf, type Changes, keptOf, slotsOf } from "../definition/values.ts";

/** A table, and which of its rows the caller may see. */
export interface Place {
  db: KnownDb;
  table: KnownTable;
  /** A condition on a row of `records`. */
  allowed: Part;
}

/** How a record is sent: with its data inside, or beside its own names. */
export type Shape = "nested" | "flat";

export async function findRecord<T>(
  sql: Sql,
  place: Place,
  shape: Shape,
  id: string,
  fields?: readonly string[],
): Promise<Json<T> | undefined | typeof STALE> {
  const [row] = await run<{ json: string | null }[]>(
    sql,
    part`
    select (select ${shaped(place, shape, fields)}::text from records where ${one(place, id)}) as json
    from (${provenDb(place.db)}) db
  `,
  );
  return row ? row.json === null ? undefined : new Json(row.json) : STALE;
}

/**
 * The tables of records whose caller names none.
 *
 * @param ids in lower case, as PostgreSQL writes them
 * @returns tables by the ids of records; without those that are not there, or not to be seen
 */
export async function findTablesOf(
  sql: Sql,
  { tables }: KnownDb,
  allowed: Part,
  ids: readonly string[],
): Promise<Map<string, KnownTable>> {
  const known = new Map([...tables.values()].map((table) => [table.id, table]));
  const rows = await run<{ id: string; table_id: number }[]>(
    sql,
    part`
    select id, table_id
    from records
    where id = any(${ids}::uuid[])
      and table_id = any(${[...known.keys()]}::int[])
      and ${allowed}
  `,
  );
  return new Map(rows.flatMap(({ id, table_id }) => {
    const table = known.get(table_id);
    return table ? [[id, table]] : [];
  }));
}

export interface NewRecord {
  /** Required fields are there. */
  changes: Changes;
  department_id: number | null;
  created_by_id: number | null;
}

/** @returns the records in the order given */
export async function insertRecords<T>(
  sql: Sql,
  { db, table }: Place,
  shape: Shape,
  records: readonly NewRecord[],
): Promise<Json<T>[] | typeof STALE> {
  const rows = records.map((record) => rowOf(table, record));
  const [row] = rows;
  if (!row) return [];
  const written = await run<{ json: string }[]>(
    sql,
    part`
    with
      db as (${heldDb(db)}),
      written as (
        insert into records (${COLUMNS})
        select ${COLUMNS}
        from db, ${rows.length === 1 ? oneRow(row) : manyRows(rows)} made
        returning *
      )
      ${followedBy(db, "create", part`select *, null::jsonb as was from written`)}
    select ${shaped({ db, table }, shape)}::text as json
    from written
    order by id
  `,
  );
  return written.length === 0 ? STALE : written.map(({ json }) => new Json<T>(json));
}

/** Merges: what `changes` does not name stays as it is, whoever wrote it meanwhile. */
export async function updateRecord<T>(
  sql: Sql,
  place: Place,
  shape: Shape,
  id: string,
  changes: Changes,
  department_id?: number | null,
): Promise<Json<T> | undefined | typeof STALE> {
  const { db, table } = place;
  const filled = slotsOf(table, changes);
  const [row] = await run<{ json: string | null }[]>(
    sql,
    part`
    with
      db as (${heldDb(db)}),
      ${db.live ? part`before as (${beforeUpdate(place, id)}),` : part``}
      written as (
        update records r
        set
          data = jsonb_strip_nulls(r.data || ${changes}::jsonb),
          search = ${searched(table, changes)},
          ${Object.keys(filled).length === 0 ? part`` : slotsSql(filled)}
          department_id = ${department_id === undefined ? part`r.department_id` : part`${department_id}::integer`},
          -- to the millisecond, as it is told; the clock of who created it may be ahead of the database's
          updated_at = greatest(date_trunc('milliseconds', now()), r.updated_at)
        ${db.live ? part`from before b where r.id = b.id` : part`from db where ${one(place, id)}`}
        returning r.*${db.live ? part`, to_jsonb(b) as was` : part``}
      )
      ${followedBy(db, "update", part`select * from written`)}
    select (select ${shaped(place, shape)}::text from written) as json
    from db
  `,
  );
  return row ? row.json === null ? undefined : new Json(row.json) : STALE;
}

/** Only a follower wants to know what was. */
const beforeUpdate = (place: Place, id: string): Part =>
  part`
    select records.*
    from records, db
    where ${one(place, id)}
    for update of records
  `;

/** Whichever slots are filled, the statement is one. */
const slotsSql = (filled: Partial<Record<Slot, string>>): Part =>
  part`(${SLOT_COLUMNS}) = (select ${SLOT_COLUMNS} from jsonb_populate_record(r, ${filled}::jsonb)),`;

export async function deleteRecord(sql: Sql, place: Place, id: string): Promise<boolean | typeof STALE> {
  const { db } = place;
  const [row] = await run<{ count: number }[]>(
    sql,
    part`
    with
      db as (${heldDb(db)}),
      written as (
        delete from records
        using db
        where ${one(place, id)}
        returning records.*, to_jsonb(records) as was
      )
      ${followedBy(db, "delete", part`select * from written`)}
    select (select count(*)::int from written) as count
    from db
  `,
  );
  return row ? row.count > 0 : STALE;
}

const one = ({ table, allowed }: Place, id: string) => part`id = ${id} and table_id = ${table.id} and ${allowed}`;

const SLOT_COLUMNS = part`str_1, str_2, str_3, int_1, int_2, time_1, time_2`;
const COLUMNS = part`id, table_id, data, search, department_id, created_by_id, created_at, updated_at, ${SLOT_COLUMNS}`;

function rowOf(table: KnownTable, { changes, department_id, created_by_id }: NewRecord) {
  const id = newRecordId();
  const created_at = new Date(createdAt(id)).toISOString();
  const data = keptOf(changes);
  return {
    id,
    table_id: table.id,
    data,
    search: searchOf(table, data),
    department_id,
    created_by_id,
    created_at,
    updated_at: created_at,
    ...allSlotsOf(table, data),
  };
}

type Row = ReturnType<typeof rowOf>;

const manyRows = (rows: readonly Row[]): Part =>
  part`json_populate_recordset(null::records, ${JSON.stringify(rows)}::text::json)`;

/** A parameter for each column is a sixth of the statement's time less than JSON. */
const oneRow = (row: Row): Part =>
  part`(
    select
      ${row.id}::uuid as id, ${row.table_id}::integer as table_id, ${row.data}::jsonb as data,
      ${row.search}::text[] as search, ${row.department_id}::integer as department_id,
      ${row.created_by_id}::integer as created_by_id, ${row.created_at}::timestamptz as created_at,
      ${row.updated_at}::timestamptz as updated_at, ${row.str_1 ?? null}::text as str_1,
      ${row.str_2 ?? null}::text as str_2, ${row.str_3 ?? null}::text as str_3,
      ${row.int_1 ?? null}::bigint as int_1, ${row.int_2 ?? null}::bigint as int_2,
      ${row.time_1 ?? null}::timestamptz as time_1, ${row.time_2 ?? null}::timestamptz as time_2
  )`;

/** The folded texts of a record, by place. A place whose field is gone, or is no text any more, stays empty. */
export const searchOf = (table: Pick<KnownTable, "searched" | "fields">, data: Changes): string[] =>
  table.searched.map((name) => isSearched(table, name) ? textAt(data, name) : "");

const isSearched = ({ fields }: Pick<KnownTable, "fields">, name: string): boolean =>
  ["string", "text"].includes(fields.get(name)?.type ?? "");

const textAt = (data: Changes, name: string) => Object.hasOwn(data, name) ? fold(String(data[name] ?? "")) : "";

function searched(table: KnownTable, changes: Changes): Part {
  const places = table.searched.flatMap((name, i) =>
    Object.hasOwn(changes, name) && isSearched(table, name) ? [[i + 1, textAt(changes, name)]] : []
  );
  if (places.length === 0) return part`r.search`;
  const texts = Object.fromEntries(places);
  return part`(
    select array_agg(coalesce(${texts}::jsonb ->> i::text, r.search[i], '') order by i)
    from generate_series(1, ${table.searched.length}::int) i
  )`;
}

/** A record as JSON: every field of its table is there, null where it is blank. */
export function shaped(
  { db, table }: Pick<Place, "db" | "table">,
  shape: Shape,
  fields: readonly string[] = [...table.fields.keys()],
): Part {
  const nothing = Object.fromEntries(fields.map((name) => [name, null]));
  const whole = fields.length === table.fields.size;
  const data = whole
    ? part`(${nothing}::jsonb || data)`
    : part`(${nothing}::jsonb || coalesce((select jsonb_object_agg(k, data -> k) from unnest(${[
      ...fields,
    ]}::text[]) k where data ? k), '{}'))`;
  if (shape === "flat") {
    return part`(
      jsonb_build_object('id', id) || ${data} ||
      jsonb_build_object('created_at', iso(created_at), 'updated_at', iso(updated_at))
    )`;
  }
  const table_name = db.tables.has("") ? null : table.name;
  // A row made into JSON takes less than json_build_object, which looks up the type of each value again.
  return part`(
    select row_to_json(sent)
    from (
      select
        id, ${table_name}::text as table_name, ${data} as data, department_id, created_by_id,
        iso(created_at) as created_at, iso(updated_at) as updated_at
    ) sent
  )`;
}
