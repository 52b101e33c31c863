/** Reads of single records. */
import { Json } from "../../database/json.ts";
import type { RowReads } from "../../database/groups/reads.ts";
import type { Sql } from "../../database/pool.ts";
import type { KnownDb } from "../definition/known_db.ts";
import type { KnownTable } from "../definition/table.ts";
import { type Part, part, run } from "../../database/part.ts";
import { provenDb, STALE } from "../statement/statement.ts";
import { type Place, type Shape, within } from "./place.ts";
import { shaped } from "./shaped.ts";

/** @param fields the fields to send; undefined means all */
export async function findRecord<T>(
  reads: RowReads,
  place: Place,
  shape: Shape,
  record_id: string,
  fields?: readonly string[],
): Promise<Json<T> | undefined | typeof STALE> {
  const id = record_id.toLowerCase();
  const rows = await reads.read(
    (ids) =>
      part`
        select r.id, r.json
        from (${provenDb(place.db)}) db
        left join lateral (
          select id, ${shaped(place, shape, fields)}::text as json
          from records
          where id = any(${ids}::uuid[])
            and ${within(place)}
        ) r on true
      `,
    id,
  );
  if (rows.size === 0) return STALE;
  const json = rows.get(id);
  return json === undefined || json === null ? undefined : new Json(json);
}

/**
 * Finds the tables of records whose caller named no table.
 *
 * @param ids in lower case, as PostgreSQL writes them
 * @returns tables by record id; records that do not exist or are hidden from the caller are left out
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
