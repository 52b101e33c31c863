import type { Sql } from "../../database/pool.ts";
import { logChanges } from "../feed/log_changes.ts";
import { one, type Place } from "../read/place.ts";
import { part, run } from "../../database/part.ts";
import { auditDeleted } from "./audit_rows.ts";
import { heldDb, STALE } from "../statement/statement.ts";

export async function deleteRecord(sql: Sql, place: Place, id: string): Promise<boolean | typeof STALE> {
  const { db, by } = place;
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
      ${logChanges(place, "delete", part`select * from written`)}
      ${by ? part`, audited as (${auditDeleted(db, by)})` : part``}
    select (select count(*)::int from written) as count
    from db
  `,
  );
  return row ? row.count > 0 : STALE;
}
