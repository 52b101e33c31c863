import type { Actor } from "../../actor.ts";
import { Json } from "../../database/json.ts";
import type { Rows } from "../../database/groups/group.ts";
import type { RowWrites } from "../../database/groups/writes.ts";
import type { Sql } from "../../database/pool.ts";
import { type KnownTable, type Slot, SLOTS } from "../definition/table.ts";
import { type Changes, slotsOf } from "../definition/values.ts";
import { logChanges } from "../feed/log_changes.ts";
import { one, type Place, type Shape, within } from "../read/place.ts";
import { shaped } from "../read/shaped.ts";
import { type Part, part, run } from "../../database/part.ts";
import { heldDb, STALE } from "../statement/statement.ts";
import { actorColumns, auditUpdated, auditUpdatedTogether } from "./audit_rows.ts";
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

/**
 * Like `updateRecord`, in a statement with other updates of the same fields in the same table at the same time. A database
 * with subscribers is written to as by `updateRecord`, and so is one whose changes are not audited.
 *
 * @param writes undefined if the write must join the transaction `sql`
 */
export async function updateTogether<T>(
  sql: Sql,
  writes: RowWrites | undefined,
  place: Place,
  shape: Shape,
  record_id: string,
  changes: Changes,
): Promise<Json<T> | undefined | typeof STALE> {
  const { db, table, by } = place;
  if (!writes || db.live || !by) return await updateRecord(sql, place, shape, record_id, changes);
  const id = record_id.toLowerCase();
  const search = Object.fromEntries(searchChanges(table, changes));
  const row = { id, changes, search, slots: slotsOf(table, changes), ...actorColumns(by) };
  const json = await writes.write((rows) => together(place, shape, changes, rows), row);
  return json === undefined ? await updateRecord(sql, place, shape, id, changes) : new Json(json);
}

/** @param rows a JSON array of rows with the same changed fields as `changes` */
function together(place: Place, shape: Shape, changes: Changes, rows: Rows): Part {
  const { db, table } = place;
  return part`
    with
      db as (${heldDb(db)}),
      sent as materialized (
        select s.*
        from db, jsonb_to_recordset(${rows}::text::jsonb) as s (
          id uuid, changes jsonb, search jsonb, slots jsonb, user_id integer, actor jsonb
        )
      ),
      before as (
        select records.id, records.data as was, sent.changes, sent.search, sent.slots, sent.user_id, sent.actor
        from records
        join sent using (id)
        where ${within(place)}
        for update of records skip locked
      ),
      written as (
        update records r
        set
          ${assignments(table, changes, undefined, OF_BEFORE)}
        from before b
        where r.id = b.id
        returning r.*, b.was, b.changes, b.user_id, b.actor
      ),
      audited as (${auditUpdatedTogether(db)})
    select id, ${shaped(place, shape)}::text as json
    from written
  `;
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
function assignments(
  table: KnownTable,
  changes: Changes,
  department_id: number | null | undefined,
  values: Values = given(table, changes),
): Part {
  const slots = slotsOf(table, changes);
  return [
    ...searchChanges(table, changes).map(([position]) =>
      part`search[${position}::integer] = ${values.search(position)}`
    ),
    ...SLOTS.flatMap((slot) => slots[slot] === undefined ? [] : [SLOT_IS[slot](values.slot(slot))]),
    ...department_id === undefined ? [] : [part`department_id = ${department_id}::integer`],
    part`updated_at = greatest(date_trunc('milliseconds', now()), r.updated_at)`,
  ].reduce(
    (sofar, assignment) => part`${sofar}, ${assignment}`,
    part`data = jsonb_strip_nulls(r.data || ${values.changes})`,
  );
}

/** Where an update's values stand in its statement. */
interface Values {
  changes: Part;
  /** The text of a position of the column `search`. */
  search(position: number): Part;
  /** As text. */
  slot(slot: Slot): Part;
}

function given(table: KnownTable, changes: Changes): Values {
  const search = new Map(searchChanges(table, changes));
  const slots = slotsOf(table, changes);
  return {
    changes: part`${changes}::jsonb`,
    search: (position) => part`${search.get(position) ?? ""}::text`,
    slot: (slot) => part`${slots[slot] ?? null}::text`,
  };
}

const OF_BEFORE: Values = {
  changes: part`b.changes`,
  search: (position) => part`b.search ->> ${String(position)}::text`,
  slot: (slot) => part`b.slots ->> ${slot}::text`,
};

const SLOT_IS: Record<Slot, (value: Part) => Part> = {
  str_1: (value) => part`str_1 = ${value}`,
  str_2: (value) => part`str_2 = ${value}`,
  str_3: (value) => part`str_3 = ${value}`,
  int_1: (value) => part`int_1 = (${value})::bigint`,
  int_2: (value) => part`int_2 = (${value})::bigint`,
  time_1: (value) => part`time_1 = (${value})::timestamptz`,
  time_2: (value) => part`time_2 = (${value})::timestamptz`,
};
