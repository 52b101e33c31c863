/**
 * The audit log's rows for writes of records, in the same statement. They are written here and not by a trigger, which
 * would also run for each record of a schema change and of an import.
 */
import type { Actor } from "../../actor.ts";
import { type Part, part } from "../../database/part.ts";
import type { KnownDb } from "../definition/known_db.ts";

/** How many ids a row about many records names. */
const NAMED = 20;

const COLUMNS = part`account_id, action, object, object_id, db_id, user_id, actor, before, after`;

/** The size of a jsonb value costs nothing; the length of its text does. A stored value may be compressed. */
const bounded = (fields: Part) =>
  part`case when pg_column_size(${fields}) <= 1000 and pg_column_compression(${fields}) is null then ${fields} else audit_bounded(${fields}) end`;

const DIFFERENCES = part`${bounded(part`f.before`)}, ${bounded(part`f.after`)}`;

/** A creation has no fields: the record has them, and the first change or the deletion keeps them as `before`. */
export const auditCreated = (db: KnownDb, by: Actor, many: boolean): Part =>
  many
    ? entry(
      db,
      by,
      part`'create', 'db', ${String(db.id)}::text`,
      part`null, jsonb_build_object(
        'created', count(*),
        'ids', to_jsonb((array_agg(id::text order by id))[1:${NAMED}::integer])
      )`,
      part`from written having count(*) > 0`,
    )
    : entry(db, by, part`'create', 'record', id::text`, part`null::jsonb, null::jsonb`, part`from written`);

/** Of rows that have been sent together, with the actor of each. @param sent selects `id`, `user_id` and `actor` */
export const auditCreatedTogether = (db: KnownDb, sent: Part): Part =>
  part`
    insert into audit_entries (${COLUMNS})
    select
      ${db.account_id}::integer, 'create', 'record', id::text, ${db.id}::integer, user_id, actor, null::jsonb, null::jsonb
    from ${sent}
  `;

/**
 * @param before the values before the change, from `written w`
 * @param sent the fields of the change
 */
export const auditUpdated = (
  db: KnownDb,
  by: Actor,
  before: Part,
  sent: Record<string, string | number | boolean | null>,
) => entry(db, by, part`'update', 'record', w.id::text`, DIFFERENCES, changed(before, part`${sent}::jsonb`));

/** Of rows that have been sent together. `written w` has `was`, `changes`, `user_id` and `actor` of each. */
export const auditUpdatedTogether = (db: KnownDb): Part =>
  part`
    insert into audit_entries (${COLUMNS})
    select
      ${db.account_id}::integer, 'update', 'record', w.id::text, ${db.id}::integer, w.user_id, w.actor, ${DIFFERENCES}
    ${changed(part`w.was`, part`w.changes`)}
  `;

/** Of each row of `written w`, the fields whose values differ. */
const changed = (before: Part, sent: Part): Part =>
  part`
    from written w, lateral (
      select
        coalesce(jsonb_object_agg(key, coalesce(${before} -> key, 'null')), '{}') as before,
        coalesce(jsonb_object_agg(key, value), '{}') as after
      from jsonb_each(${sent}) c
      where coalesce(${before} -> key, 'null') <> value
    ) f
  `;

export const auditDeleted = (db: KnownDb, by: Actor) =>
  entry(
    db,
    by,
    part`'delete', 'record', w.id::text`,
    part`${bounded(part`w.data`)}, null::jsonb`,
    part`from written w`,
  );

/** What a batch has done, as one row. */
export const auditBatch = (
  db: KnownDb,
  by: Actor,
  done: { created: number; updated: number; deleted: number },
  ids: string[],
) =>
  entry(
    db,
    by,
    part`'batch', 'db', ${String(db.id)}::text`,
    part`null::jsonb, ${done}::jsonb || jsonb_build_object('ids', to_jsonb(${ids.slice(0, NAMED)}::text[]))`,
    part``,
  );

/** The columns of an entry that name its actor. */
export const actorColumns = ({ user_id, agent, ...known }: Actor) => ({
  user_id,
  actor: { ...known, ...agent && { agent: { ...agent } } },
});

function entry(db: KnownDb, by: Actor, object: Part, fields: Part, from: Part): Part {
  const { user_id, actor } = actorColumns(by);
  return part`
    insert into audit_entries (${COLUMNS})
    select ${db.account_id}::integer, ${object}, ${db.id}::integer, ${user_id}::integer, ${actor}::jsonb, ${fields}
    ${from}
  `;
}
