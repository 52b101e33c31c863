import { Json } from "../../database/json.ts";
import type { Sql } from "../../database/pool.ts";
import { createdAt, newUuid } from "../../database/uuid_v7.ts";
import type { KnownTable } from "../definition/table.ts";
import { allSlotsOf, type Changes, keptOf } from "../definition/values.ts";
import { followedBy } from "../feed/log_changes.ts";
import type { Place, Shape } from "../read/place.ts";
import { shaped } from "../read/shaped.ts";
import { type Part, part, run } from "../statement/part.ts";
import { heldDb, STALE } from "../statement/statement.ts";
import { searchOf } from "./search_text.ts";

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

const SLOT_COLUMNS = part`str_1, str_2, str_3, int_1, int_2, time_1, time_2`;
const COLUMNS = part`id, table_id, data, search, department_id, created_by_id, created_at, updated_at, ${SLOT_COLUMNS}`;

function rowOf(table: KnownTable, { changes, department_id, created_by_id }: NewRecord) {
  const id = newUuid();
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
