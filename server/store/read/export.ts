/** Reads all records of a table that a caller may see, page by page, so that memory does not grow with the table. */
import type { Sql } from "../../database/pool.ts";
import { part, run } from "../../database/part.ts";
import type { Place } from "./place.ts";
import { shaped } from "./shaped.ts";
import { provenDb, STALE } from "../statement/statement.ts";

const AT_ONCE = 1_000;

/** Nested records as JSON texts, oldest first. @throws if the schema changes during the export */
export async function* exportRecords(sql: Sql, place: Place): AsyncGenerator<string[]> {
  let last: { created_at: string; id: string } | undefined;
  for (;;) {
    const page = await pageBehind(sql, place, last);
    if (page === STALE) throw new Error("the schema has changed during an export");
    const end = page.at(-1);
    if (!end) return;
    yield page.map(({ json }) => json);
    last = end;
  }
}

interface Exported {
  json: string;
  id: string;
  created_at: string;
}

async function pageBehind(
  sql: Sql,
  place: Place,
  last: { created_at: string; id: string } | undefined,
): Promise<Exported[] | typeof STALE> {
  const [row] = await run<{ rows: Exported[] }[]>(
    sql,
    part`
    select (
      select coalesce(json_agg(r), '[]')
      from (
        select ${shaped(place, "nested")}::text as json, id, created_at
        from records
        where table_id = ${place.table.id}
          and ${place.allowed}
          ${last ? part`and (created_at, id) > (${last.created_at}::text::timestamptz, ${last.id}::uuid)` : part``}
        order by created_at, id
        limit ${AT_ONCE}
      ) r
    ) as rows
    from (${provenDb(place.db)}) db
  `,
  );
  return row ? row.rows : STALE;
}
