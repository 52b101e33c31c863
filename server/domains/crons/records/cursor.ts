/** Which database a trigger of changed records follows. */
import type { Context } from "../../../context.ts";
import type { Sql } from "../../../database/pool.ts";
import { type Fields, invalid, Refusal } from "../../../errors.ts";
import { chosenIn, RecordSettings } from "../../../schedule/schedule.ts";
import { holdFeed, type KnownDb } from "../../../store/store.ts";
import { visibleTo } from "../../../visibility.ts";

/** A database that the viewer sees. Asked before the transaction of the write. */
export async function findFollowed(
  { dbs, viewer }: Context,
  { db_code }: RecordSettings,
): Promise<KnownDb | undefined> {
  const db = await dbs.find(viewer.account_id, db_code);
  return db && visibleTo(viewer, db.department_id) ? db : undefined;
}

/** The faults of the settings, by field. */
export async function faultsOfRecord(ctx: Context, settings: RecordSettings): Promise<Fields> {
  const db = await findFollowed(ctx, settings);
  if (!db) return { "record.db_code": ["must exist"] };
  try {
    const chosen = chosenIn(db, settings);
    return "fault" in chosen ? { [`record.${chosen.field}`]: [chosen.fault] } : {};
  } catch (error) {
    if (error instanceof Refusal && error.status === 400) return { "record.filter": [error.message] };
    throw error;
  }
}

/**
 * Places a trigger's cursor at the present of a database, unless it is in this database already.
 *
 * @param sql the transaction that writes the trigger
 * @throws {Refusal} 422 if the database was deleted meanwhile
 */
export async function placeCursor(sql: Sql, id: number, db: KnownDb): Promise<void> {
  if (!await holdFeed(sql, db)) throw invalid({ "record.db_code": ["must exist"] });
  await sql`
    insert into record_cursors (id, account_id, db_id, seq)
    select ${id}, ${db.account_id}, db_id, seq
    from db_feeds
    where db_id = ${db.id}
    on conflict (id) do update
      set db_id = excluded.db_id, seq = excluded.seq
      where record_cursors.db_id is distinct from excluded.db_id
  `;
}

/** Makes every process look at a trigger, when the transaction ends. */
export async function lookAgain(sql: Sql, id: number): Promise<void> {
  await sql`
    select pg_notify('records_changed', coalesce(db_id, 0)::text)
    from record_cursors
    where id = ${id}
  `;
}

const NOUNS = { create: "created", update: "updated", delete: "deleted" };

/** `When a record of orders is created, updated or deleted`. */
export function sentenceOf({ db_code, table_name, on }: RecordSettings): string {
  const verbs = Object.entries(NOUNS).flatMap(([kind, verb]) => on.some((one) => one === kind) ? [verb] : []);
  const last = verbs.pop() ?? "";
  const list = verbs.length > 0 ? `${verbs.join(", ")} or ${last}` : last;
  return `When a record of ${table_name === null ? db_code : `${db_code}.${table_name}`} is ${list}`;
}
