/** The private record API: who may see what, and what a table takes. */
import type { Context } from "../../context.ts";
import { badRequest, type Fields, invalid, notFound } from "../../errors.ts";
import type { Json } from "../../database/json.ts";
import {
  deleteRecord,
  findRecord,
  findTablesOf,
  insertRecords,
  type KnownDb,
  type KnownTable,
  listRecords,
  part,
  type Place,
  readFilter,
  readOrder,
  readValues,
  type Shape,
  STALE,
  updateRecord,
  withDb,
} from "../../store/store.ts";
import { visible, visibleTo } from "../../visibility.ts";
import { proveDepartment } from "../departments/proof.ts";
import type { ByRecord, FlatRecord, NewRecordInput, Record, RecordChanges, RecordPage } from "./schema.ts";
import { tableOf } from "./tables.ts";

const noDb = () => notFound("Database");

/** Runs `work` in a database that the viewer may see. @throws {Refusal} 404 */
export function inDb<Result>(
  { viewer, dbs }: Pick<Context, "viewer" | "dbs">,
  db_code: string,
  work: (db: KnownDb) => Promise<Result | typeof STALE>,
): Promise<Result> {
  return withDb(dbs, viewer.account_id, db_code, noDb, (db) => {
    if (!visibleTo(viewer, db.department_id)) throw noDb();
    return work(db);
  });
}

/** A table of it, with the records that the viewer may see. */
export const placeIn = ({ viewer }: Context, db: KnownDb, table_name: string | undefined): Place => ({
  db,
  table: tableOf(db, table_name),
  allowed: visible(part, viewer),
});

const inTable = <Result>(
  ctx: Context,
  db_code: string,
  table_name: string | undefined,
  work: (place: Place) => Promise<Result | typeof STALE>,
): Promise<Result> => inDb(ctx, db_code, (db) => work(placeIn(ctx, db, table_name)));

export const listPrivate = (ctx: Context, input: RecordPage): Promise<Json<Record[]>> =>
  listed<Record>(ctx, "nested", input);

export const search = (ctx: Context, input: RecordPage): Promise<Json<FlatRecord[]>> =>
  listed<FlatRecord>(ctx, "flat", input);

function listed<T>(ctx: Context, shape: Shape, input: RecordPage): Promise<Json<T[]>> {
  const { db_code, table_name, filter, sort, after, page } = input;
  if (after !== undefined && page > 1) throw badRequest("after and page exclude each other");
  return inTable(ctx, db_code, table_name, (place) =>
    listRecords<T>(ctx.sql, place, shape, {
      ...input,
      conditions: readFilter(place.table, filter),
      order: readOrder(place.table, sort),
      fields: fieldsOf(place.table, input.fields),
    }));
}

/** What every record is sent with. */
const ALWAYS = ["id", "table_name", "created_at", "updated_at"];

/** @throws {Refusal} 400 */
function fieldsOf({ fields }: KnownTable, names: string | undefined): string[] | undefined {
  if (names === undefined) return undefined;
  const chosen = [...new Set(names.split(","))].filter((name) => !ALWAYS.includes(name));
  const strange = chosen.find((name) => !fields.has(name));
  if (strange !== undefined) throw badRequest(`fields names no field of this table: ${strange}`);
  return chosen;
}

/** Runs `work` in the table of a record. Ids are unique, so that the table need not be named. */
const inTableOf = <Result>(
  ctx: Context,
  db_code: string,
  { id, table_name }: { id: string; table_name?: string | undefined },
  work: (place: Place) => Promise<Result | typeof STALE>,
): Promise<Result> =>
  inDb(ctx, db_code, async (db) => {
    if (table_name !== undefined || db.tables.has("")) return work(placeIn(ctx, db, table_name));
    const tables = await findTablesOf(ctx.sql, db, visible(part, ctx.viewer), [id]);
    const [table] = tables.values();
    if (!table) throw notFound("Record");
    return work(placeIn(ctx, db, table.name));
  });

/** @throws {Refusal} 404 */
export async function readRecord(ctx: Context, { db_code, id, table_name, fields }: ByRecord): Promise<Json<Record>> {
  const found = await inTableOf(
    ctx,
    db_code,
    { id, table_name },
    (place) => findRecord<Record>(ctx.sql, place, "nested", id, fieldsOf(place.table, fields)),
  );
  if (!found) throw notFound("Record");
  return found;
}

export async function createRecord(ctx: Context, { db_code, record }: NewRecordInput): Promise<Json<Record>> {
  const { data, table_name, department_id = null } = record;
  await proveDepartment(ctx, department_id);
  const [created] = await inTable(ctx, db_code, table_name, (place) => {
    const { changes, faults } = readValues(place.table, data, true);
    refuseFaults(faults);
    const created_by_id = ctx.viewer.user_id;
    return insertRecords<Record>(ctx.sql, place, "nested", [{ changes, department_id, created_by_id }]);
  });
  if (!created) throw new Error("an insert returned no row");
  return created;
}

/** @throws {Refusal} 404 */
export async function changeRecord(ctx: Context, { db_code, id, record }: RecordChanges): Promise<Json<Record>> {
  const { data, table_name, department_id } = record;
  if (department_id !== undefined) await proveDepartment(ctx, department_id);
  const changed = await inTableOf(ctx, db_code, { id, table_name }, (place) => {
    const { changes, faults } = readValues(place.table, data, false);
    refuseFaults(faults);
    return updateRecord<Record>(ctx.sql, place, "nested", id, changes, department_id);
  });
  if (!changed) throw notFound("Record");
  return changed;
}

/** @throws {Refusal} 404 */
export async function removeRecord(
  ctx: Context,
  { db_code, id, table_name }: { db_code: string; id: string; table_name?: string | undefined },
): Promise<void> {
  const deleted = await inTableOf(ctx, db_code, { id, table_name }, (place) => deleteRecord(ctx.sql, place, id));
  if (!deleted) throw notFound("Record");
}

function refuseFaults(faults: Fields): void {
  if (Object.keys(faults).length > 0) throw invalid(faults);
}
