/** Applies a list's conditions to rows that need not be stored any more. */
import { part, run } from "../../database/part.ts";
import type { Sql } from "../../database/pool.ts";
import type { StoredRow } from "../feed/stored_change.ts";
import type { KnownTable } from "../definition/table.ts";
import { allSlotsOf } from "../definition/values.ts";
import { searchOf } from "../write/search_text.ts";
import { conditionSql } from "./condition_sql.ts";
import type { Condition } from "./filter.ts";

/**
 * The columns that conditions read are computed from the data: the table's indexes may have changed since the row was
 * stored.
 *
 * @returns the indexes of the rows that match all conditions
 */
export async function matchingRows(
  sql: Sql,
  table: KnownTable,
  conditions: readonly Condition[],
  rows: readonly StoredRow[],
): Promise<Set<number>> {
  if (conditions.length === 0 || rows.length === 0) return new Set(rows.keys());
  const computed = rows.map(({ id, data, created_at, updated_at }) => ({
    id,
    table_id: table.id,
    data,
    search: searchOf(table, data),
    created_at,
    updated_at,
    ...allSlotsOf(table, data),
  }));
  const all = conditions.map((condition) => conditionSql(table, condition))
    .reduce((sofar, condition) => part`${sofar} and (${condition})`);
  const found = await run<{ position: number }[]>(
    sql,
    part`
    select (given.n - 1)::int as position
    from json_array_elements(${JSON.stringify(computed)}::text::json) with ordinality given (stored, n)
    cross join lateral json_populate_record(null::records, given.stored) r
    where ${all}
  `,
  );
  return new Set(found.map(({ position }) => position));
}
