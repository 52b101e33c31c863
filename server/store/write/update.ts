import type { Actor } from "../../actor.ts";
import { Json } from "../../database/json.ts";
import type { Sql } from "../../database/pool.ts";
import { type KnownTable, type Slot, SLOTS } from "../definition/table.ts";
import { type Changes, slotsOf } from "../definition/values.ts";
import { logChanges } from "../feed/log_changes.ts";
import { one, type Place, type Shape } from "../read/place.ts";
import { shaped } from "../read/shaped.ts";
import { type Part, part, run } from "../../database/part.ts";
import { heldDb, STALE } from "../statement/statement.ts";
import { auditUpdated } from "./audit_rows.ts";
import { searchChanges } from "./search_text.ts";

/**
 * Merges: fields that `changes` does not name keep their values, including values that others wrote in the meantime.
 *
 * @param department_id undefined keeps it
 * @returns undefined if the record does not exist or is hidden from the caller
 */
export async function updateRecord<T>(
  sql: Sql,
  place: Place,
  shape: Shape,
  id: string,
  changes: Changes,
  department_id?: number | null,
): Promise<Json<T> | undefined | typeof STALE> {
  const { db, table, by } = place;
  const [row] = await run<{ json: string | null }[]>(
    sql,
    part`
    with
      db as (${heldDb(db)}),
      ${db.live || by ? part`before as (${beforeUpdate(place, id)}),` : part``}
      written as (
        update records r
        set
          ${assignments(table, changes, department_id)}
        ${db.live || by ? part`from before b where r.id = b.id` : part`from db where ${one(place, id)}`}
        returning r.*${
      db.live ? part`, to_jsonb(b) as was` : by ? part`, b.data as was, b.department_id as was_in` : part``
    }
      )
      ${logChanges(place, "update", part`select * from written`)}
      ${by ? part`, audited as (${audited(place, by, changes, department_id)})` : part``}
    select (select ${shaped(place, shape)}::text from written) as json
    from db
  `,
  );
  return row ? row.json === null ? undefined : new Json(row.json) : STALE;
}

function audited({ db }: Place, by: Actor, changes: Changes, department_id: number | null | undefined): Part {
  const was = db.live ? part`(w.was -> 'data')` : part`w.was`;
  if (department_id === undefined) return auditUpdated(db, by, was, changes);
  const department = db.live ? part`w.was -> 'department_id'` : part`to_jsonb(w.was_in)`;
  const before = part`(${was} || jsonb_build_object('department_id', ${department}))`;
  return auditUpdated(db, by, before, { ...changes, department_id });
}

/** For subscribers, who may have seen the record, and for the audit log. */
const beforeUpdate = (place: Place, id: string): Part =>
  part`
    select records.*
    from records, db
    where ${one(place, id)}
    for update of records
  `;

/**
 * Unchanged columns are not assigned, so that an update without a change of indexed columns can be a HOT update.
 * `updated_at` has the precision of the API. It never becomes earlier than `created_at`, which the clock of another
 * machine may have set.
 */
function assignments(table: KnownTable, changes: Changes, department_id: number | null | undefined): Part {
  const slots = slotsOf(table, changes);
  return [
    ...searchChanges(table, changes).map(([position, text]) => part`search[${position}::integer] = ${text}`),
    ...SLOTS.flatMap((slot) => slots[slot] === undefined ? [] : [SLOT_IS[slot](slots[slot])]),
    ...department_id === undefined ? [] : [part`department_id = ${department_id}::integer`],
    part`updated_at = greatest(date_trunc('milliseconds', now()), r.updated_at)`,
  ].reduce(
    (sofar, assignment) => part`${sofar}, ${assignment}`,
    part`data = jsonb_strip_nulls(r.data || ${changes}::jsonb)`,
  );
}

const SLOT_IS: Record<Slot, (value: string) => Part> = {
  str_1: (value) => part`str_1 = ${value}::text`,
  str_2: (value) => part`str_2 = ${value}::text`,
  str_3: (value) => part`str_3 = ${value}::text`,
  int_1: (value) => part`int_1 = ${value}::bigint`,
  int_2: (value) => part`int_2 = ${value}::bigint`,
  time_1: (value) => part`time_1 = ${value}::timestamptz`,
  time_2: (value) => part`time_2 = ${value}::timestamptz`,
};
