/** What each action of a `record` step does with the record store. */
import type { Actor } from "../../actor.ts";
import { singleReads } from "../../database/groups/reads.ts";
import type { Sql } from "../../database/pool.ts";
import { invalid, notFound } from "../../errors.ts";
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import {
  deleteRecord,
  findRecord,
  insertRecords,
  type KnownDb,
  listRecords,
  part,
  type Place,
  readFilter,
  readOrder,
  readValues,
  STALE,
  updateRecord,
} from "../../store/store.ts";
import { departmentOfRecord, type Restriction, visible, visibleTo } from "../../visibility.ts";
import { storable } from "../storage/storable.ts";
import { objectOf } from "./rendered_keys.ts";

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Rolls the transaction back: the database's definition has changed since it was read. */
export class Outdated extends Error {}

/** A step's action, with the templates of its input filled. */
export interface Order {
  place: Place;
  input: JsonObject;
  limit: number;
  /** The user who started the run: the creator of new records. */
  user_id: number | null;
  /** Of new records; undefined if the run may create none. */
  department_id: number | null | undefined;
}

const NO_DEPARTMENT =
  "the flow's author sees several departments and no record without one: give the flow a department";

/** @returns STALE if the database's definition has changed since it was read */
export type ReadAction = (sql: Sql, order: Order) => Promise<JsonValue | typeof STALE>;

/** @throws {Outdated} if the database's definition has changed since it was read */
export type WriteAction = (tx: Sql, order: Order) => Promise<JsonValue>;

/**
 * The table, limited to the records that the run may see.
 *
 * @param by_cron_id the trigger of the run, or of the run that it is a part of
 * @throws {Refusal} 404
 */
export function placeOf(
  db: KnownDb,
  table_name: string | undefined,
  reach: Restriction,
  by: Actor,
  by_cron_id: number | undefined,
): Place {
  const table = db.tables.get(table_name ?? "");
  if (!table) throw notFound(table_name === undefined ? "Table (table_name is needed)" : "Table");
  return { db, table, allowed: visible(part, reach), by, by_cron_id };
}

/** As for a record that the author creates without naming a department; else that of the flow. */
export function departmentOfNew(reach: Restriction, of_flow: number | null): number | null | undefined {
  const department = departmentOfRecord(reach) ?? (visibleTo(reach, null) ? null : of_flow);
  return visibleTo(reach, department) ? department : undefined;
}

/** The record, or null. */
export async function getOne(
  sql: Sql,
  { place, input: { record_id, match, sort } }: Order,
): Promise<JsonValue | typeof STALE> {
  if (typeof record_id === "string") {
    if (!UUID.test(record_id)) return null;
    const found = await findRecord<JsonObject>(singleReads(sql), place, "flat", record_id);
    return found === STALE ? STALE : found?.parse() ?? null;
  }
  const records = await list(sql, place, { filter: objectOf(match), sort, per_page: 1 });
  return records === STALE ? STALE : records[0] ?? null;
}

export const listSome: ReadAction = (sql, { place, input: { filter, sort }, limit }) =>
  list(sql, place, { filter: objectOf(filter), sort, per_page: limit });

export const createOne: WriteAction = (tx, order) => create(tx, order, objectOf(order.input.data));

/** @throws {Refusal} 404 */
export async function updateOne(tx: Sql, { place, input }: Order): Promise<JsonValue> {
  const id = await selectedId(tx, place, input);
  const updated = id === undefined ? undefined : await update(tx, place, id, objectOf(input.data));
  if (updated === undefined) throw notFound("Record");
  return updated;
}

export async function upsertOne(tx: Sql, order: Order): Promise<JsonValue> {
  const { place, input } = order;
  const [match, data] = [objectOf(input.match), objectOf(input.data)];
  await lockMatch(tx, place, match);
  const id = await firstMatch(tx, place, match);
  const updated = id === undefined ? undefined : await update(tx, place, id, data);
  return updated ?? await create(tx, order, { ...match, ...data });
}

export async function deleteOne(tx: Sql, { place, input }: Order): Promise<JsonValue> {
  const id = await selectedId(tx, place, input);
  const deleted = id !== undefined && current(await deleteRecord(tx, place, id));
  return { id: id ?? null, deleted };
}

async function list(
  sql: Sql,
  place: Place,
  { filter, sort, per_page }: { filter: JsonObject; sort: JsonValue | undefined; per_page: number },
): Promise<JsonObject[] | typeof STALE> {
  const found = await listRecords<JsonObject>({ sql, reads: singleReads(sql) }, place, "flat", {
    conditions: readFilter(place.table, filter),
    order: readOrder(place.table, typeof sort === "string" ? sort : undefined),
    page: 1,
    per_page,
    count: false,
  });
  return found === STALE ? STALE : found.parse();
}

/** @throws {Refusal} 422 */
async function create(tx: Sql, { place, user_id, department_id }: Order, data: JsonObject): Promise<JsonValue> {
  if (department_id === undefined) throw invalid({ base: [NO_DEPARTMENT] });
  const row = { changes: changesOf(place, data, true), department_id, created_by_id: user_id };
  const [created] = current(await insertRecords<JsonObject>(tx, place, "flat", [row]));
  return created?.parse() ?? null;
}

async function update(tx: Sql, place: Place, id: string, data: JsonObject): Promise<JsonObject | undefined> {
  return current(await updateRecord<JsonObject>(tx, place, "flat", id, changesOf(place, data, false)))?.parse();
}

/** @param whole whether required fields must be there. @throws {Refusal} 422 with the fields */
function changesOf({ table }: Place, data: JsonObject, whole: boolean) {
  const { changes, faults } = readValues(table, data, whole);
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return changes;
}

function current<Result>(result: Result | typeof STALE): Result {
  if (result === STALE) throw new Outdated();
  return result;
}

async function selectedId(tx: Sql, place: Place, { record_id, match }: JsonObject): Promise<string | undefined> {
  if (typeof record_id === "string") return UUID.test(record_id) ? record_id : undefined;
  return match === undefined ? undefined : await firstMatch(tx, place, objectOf(match));
}

/** The newest record that matches. Lists have the same order. */
async function firstMatch(tx: Sql, place: Place, match: JsonObject): Promise<string | undefined> {
  const [record] = current(await list(tx, place, { filter: match, sort: undefined, per_page: 1 }));
  return typeof record?.id === "string" ? record.id : undefined;
}

/** Serializes upserts of the same match: otherwise two runs that find no record would both create one. */
async function lockMatch(tx: Sql, { table }: Place, match: JsonObject): Promise<void> {
  const key = storable(Object.entries(match).toSorted());
  await tx`select pg_advisory_xact_lock(${table.id}, hashtext(${key}))`;
}
